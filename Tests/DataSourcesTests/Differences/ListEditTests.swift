import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct ListEditTests {
  /// A section as a page has it: a title and nodes.
  private struct Part: Equatable {
    var title: String
    var rows: [Row]
  }

  private func parts(_ list: Snapshot<Row>) -> [Part] { list.map { Part(title: $0.name, rows: Array($0.items)) } }

  @Test func `the edits of a change, one after another, lead to the new list`() {
    for seed in Seeds.range(2000) {
      var random = SeededGenerator(seed: seed)
      let (old, new) = (random.list(), random.list())
      var shown = parts(old)
      // What was removed, by its place in the old list.
      var sections: [Int: Part] = [:]
      let moved = Update(old: old, new: new).changes
      let removed = Dictionary(uniqueKeysWithValues: moved.movedItems.map { ($0.from, old[$0.from]) })
      let places = Dictionary(uniqueKeysWithValues: parts(old).enumerated().map { ($1.title, $0) })
      for edit in moved.edits {
        switch edit {
        case .removeItem(let path): shown[path.section].rows.remove(at: path.item)
        case .removeSection(let section):
          let part = shown.remove(at: section)
          if let place = places[part.title] { sections[place] = part }
        case .insertSection(let section, from: let from):
          let part = from.flatMap { sections[$0] } ?? Part(title: new[section].name, rows: [])
          shown.insert(part, at: section)
        case .insertItem(let path, from: let from):
          shown[path.section].rows.insert(from.flatMap { removed[$0] } ?? new[path], at: path.item)
        case .updateSection(let section): shown[section].title = new[section].name
        case .updateItem(let path): shown[path.section].rows[path.item] = new[path]
        }
      }
      #expect(shown == parts(new), "\(old.text) to \(new.text), \(Seeds.hint(seed))")
      #expect(moved.count >= moved.edits.count - moved.movedItems.count - moved.movedSections.count)
      if shown != parts(new) { return }
    }
  }
}
