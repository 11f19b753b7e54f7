import DataSources
import TerminalLists

/// The sample list in memory: how an edit is reported, and how it looks.
func runListDemo() {
  struct Errand: Identifiable, Equatable, Sendable {
    let id: Int
    var title: String
  }

  print("\nThe same as a list in memory, shown by an adapter:")
  let errands = SectionController<Errand>()
  errands.createSection(
    name: "Errands", items: [Errand(id: 1, title: "Groceries"), Errand(id: 2, title: "Post Office")])
  errands.createSection(
    name: "Career", items: [Errand(id: 3, title: "Presentation"), Errand(id: 4, title: "Multiple Selections")])
  let host = PlainTextRenderer()
  let adapter = ListAdapter(
    source: AnyDataSource(errands),
    presenter: .configuring(TextCell.self) { cell, errand in cell.text = StyledText(errand.title) }, host: host)
  print(indented(host.text))

  print("\nThe last row leaves a section, one is renamed, and a section goes before the other, in one edit:")
  let before = errands.snapshot
  errands.edit { draft in
    draft.move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 1, item: 1))
    draft.move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 1, item: 0))
    draft.update(Errand(id: 3, title: "Slides"), at: ItemPath(section: 1, item: 1))
    draft.moveSection(from: 1, to: 0)
  }
  let changes = errands.snapshot.changes(from: before)
  print("  \(changes)")
  print("  in \(changes.batches().count) stages that a list view accepts")
  adapter.show(errands.snapshot)
  print(indented(host.text))
}
