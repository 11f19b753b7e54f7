/// Differences in turn as one, composed by the first reader who asks and kept for all others.
final class ComposedChanges: Sendable {
  private enum Source: Sendable {
    case log(ChangesLog)
    case pair(ComposedChanges, ComposedChanges)
  }

  private let source: Source
  private let known = Locked<Changes?>(nil)

  init(_ log: ChangesLog) { source = .log(log) }

  init(_ first: ComposedChanges, _ second: ComposedChanges) { source = .pair(first, second) }

  /// All of them as one.
  var changes: Changes {
    if let changes = known.withLock({ $0 }) { return changes }
    let changes =
      switch source {
      case .log(let log): log.changes
      case .pair(let first, let second): first.changes.appending(second.changes)
      }
    known.withLock { $0 = changes }
    return changes
  }
}

/// Stretches of updates, such that the sum from any of them to the last one consists of few pieces.
///
/// Each level has the neighbours of the level below in pairs.
struct ComposedStretches: Sendable {
  private var levels: [[ComposedChanges]] = [[]]

  /// Puts a stretch after all others.
  ///
  /// Complexity: amortized O(1); nothing is composed yet.
  mutating func append(_ stretch: ComposedChanges) {
    levels[0].append(stretch)
    var level = 0
    while levels[level].count.isMultiple(of: 2) {
      let count = levels[level].count
      let pair = ComposedChanges(levels[level][count - 2], levels[level][count - 1])
      level += 1
      if level == levels.count { levels.append([]) }
      levels[level].append(pair)
    }
  }

  /// The pieces that make up all stretches from one to the last, in order.
  ///
  /// Complexity: O(log n).
  func parts(from start: Int) -> [ComposedChanges] {
    var (low, high, level) = (start, levels[0].count, 0)
    var first: [ComposedChanges] = []
    var last: [ComposedChanges] = []
    while low < high {
      if !low.isMultiple(of: 2) {
        first.append(levels[level][low])
        low += 1
      }
      if !high.isMultiple(of: 2) {
        high -= 1
        last.append(levels[level][high])
      }
      (low, high, level) = (low / 2, high / 2, level + 1)
    }
    return first + last.reversed()
  }
}
