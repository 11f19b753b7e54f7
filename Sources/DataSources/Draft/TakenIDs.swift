/// The ids of a list's sections, for finding a free one. It follows the edits of the list.
struct TakenIDs: Sendable {
  /// The number of sections with an id: an edit may insert the same one twice.
  private var counts: [SectionID: Int]
  /// For a name, a number up to which all are taken.
  private var numbers: [SectionID: Int] = [:]

  init(_ ids: some Sequence<SectionID>) {
    counts = Dictionary(ids.lazy.map { ($0, 1) }, uniquingKeysWith: +)
  }

  mutating func insert(_ id: SectionID) { counts[id, default: 0] += 1 }

  mutating func remove(_ id: SectionID) {
    guard let count = counts[id] else { return }
    counts[id] = count > 1 ? count - 1 : nil
    numbers = [:]
  }

  mutating func removeAll() { (counts, numbers) = ([:], [:]) }

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
}
