/// Finds the word that was meant.
///
/// ```swift
/// Suggestion.nearest(to: "hihg", among: ["high", "medium", "low"])  // "high"
/// ```
public enum Suggestion {
  /// The word nearest to a mistyped one; nil if none is near.
  ///
  /// Missing, extra, wrong or swapped letters count one each. A third of the letters may be wrong, and a prefix of at
  /// least two letters is near to its word.
  public static func nearest(to typed: String, among words: [String]) -> String? {
    let typed = Array(typed.lowercased())
    guard !typed.isEmpty else { return nil }
    var best: (word: String, distance: Int)?
    for word in words {
      let letters = Array(word.lowercased())
      let limit = max(1, max(letters.count, typed.count) / 3)
      var distance = distance(typed, letters)
      if distance > limit {
        guard typed.count >= 2, letters.starts(with: typed) else { continue }
        distance = limit
      }
      if distance < (best?.distance ?? .max) { best = (word, distance) }
    }
    return best?.word
  }

  /// `; did you mean "high"?`, or other advice if no word is near.
  public static func clause(for typed: String, among words: [String], otherwise advice: String) -> String {
    "; " + (nearest(to: typed, among: words).map { "did you mean \"\($0)\"?" } ?? advice)
  }

  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    if left.count > 64 || right.count > 64 { return .max }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
