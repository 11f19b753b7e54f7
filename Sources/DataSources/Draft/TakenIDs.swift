/// The ids of a list's sections, for finding a free one. It follows the edits of the list.
struct TakenIDs: Sendable {
  /// The number of sections with an id: an edit may insert the same one twice.
  private var counts: [SectionID: Int]
  /// For a name's id, the highest number up to which all are taken.
  private var numbers: [SectionID: Int] = [:]

  init(_ ids: some Sequence<SectionID>) {
    counts = Dictionary(ids.lazy.map { ($0, 1) }, uniquingKeysWith: +)
  }

  mutating func insert(_ id: SectionID) { counts[id, default: 0] += 1 }

  mutating func remove(_ id: SectionID) {
    guard let count = counts[id] else { return }
    counts[id] = count > 1 ? count - 1 : nil
    if count == 1, case .text(let text) = id { free(text) }
  }

  mutating func removeAll() {
    counts = [:]
    numbers = [:]
  }

  /// `.text(name)`, with the first free number after it if that is taken.
  mutating func freeID(for name: String) -> SectionID {
    var number = numbers[.text(name)] ?? 1
    var id = SectionID.text(number == 1 ? name : "\(name) \(number)")
    while counts[id] != nil {
      number += 1
      id = .text("\(name) \(number)")
    }
    numbers[.text(name)] = number
    return id
  }

  /// Makes the search for a free number start no later than at a text that is free again.
  private mutating func free(_ text: String) {
    if numbers[.text(text)] != nil { numbers[.text(text)] = 1 }
    guard let blank = text.lastIndex(of: " "), let number = Int(text[text.index(after: blank)...]), number > 1 else {
      return
    }
    let name = SectionID.text(String(text[..<blank]))
    if let known = numbers[name], known > number { numbers[name] = number }
  }
}
