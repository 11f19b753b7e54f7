/// The section ids that are taken in a list to which sections only come.
struct TakenIDs: Sendable {
  private var ids: Set<SectionID>
  /// For a name, the highest number up to which all are taken.
  private var numbers: [String: Int] = [:]

  init(_ ids: some Sequence<SectionID>) { self.ids = Set(ids) }

  mutating func insert(_ id: SectionID) { ids.insert(id) }

  /// `.text(name)`, with the first free number after it where that is taken.
  mutating func freeID(for name: String) -> SectionID {
    var number = numbers[name] ?? 1
    var id = SectionID.text(number == 1 ? name : "\(name) \(number)")
    while ids.contains(id) {
      number += 1
      id = .text("\(name) \(number)")
    }
    numbers[name] = number
    return id
  }
}
