import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct CreateSectionTests {
  /// The id that a new section should have: the first free one.
  private func expected(_ name: String, _ list: Snapshot<Int>) -> SectionID {
    let taken = Set(list.map(\.id))
    if !taken.contains(.text(name)) { return .text(name) }
    var number = 2
    while taken.contains(.text("\(name) \(number)")) { number += 1 }
    return .text("\(name) \(number)")
  }

  /// Names that look like numbered ones, in edits of one step and of several, with sections that come and go.
  @Test(arguments: Seeds.range(60)) func `a new section has the first free id`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let list = SectionController<Int>()
    let names = ["A", "A 2", "A 3", "A 02", "A  2", " 2", "", "B", "A 2 2", "A -2", "A +3", "caf\u{E9}", "cafe\u{301}"]
    for _ in 0..<80 {
      list.edit { draft in
        for _ in 0...random.below(3) {
          let count = draft.snapshot.count
          switch random.below(10) {
          case 0 where count > 0: draft.removeSection(at: random.below(count))
          case 1 where count > 0: draft.removeSection(at: random.below(count))
          case 2 where count > 0:
            let id = draft.snapshot[random.below(count)].id
            draft.insertSection(Section(id: id, name: "twice", items: []), at: random.below(count))
          case 3 where random.once(in: 5): draft.clear()
          case 4 where random.once(in: 5): draft.replace(with: Snapshot(draft.snapshot.dropFirst()))
          case 5 where count > 0: draft.renameSection(at: random.below(count), to: names[random.below(names.count)])
          default:
            let name = names[random.below(names.count)]
            let id = expected(name, draft.snapshot)
            #expect(draft.createSection(name: name) == id, "\(Seeds.hint(seed))")
          }
        }
      }
      if random.once(in: 9) {
        try? list.edit { draft in
          draft.createSection(name: "A")
          throw CancellationError()
        }
      }
    }
  }
}
