import DataSources
import TerminalLists
import Testing
import TodoCore

@Suite(.timeLimit(.minutes(10))) struct AddToDoViewModelTests {
  /// A client that knows the data source only.
  private func titles(_ viewModel: AddToDoViewModel) -> [String] {
    viewModel.dataSource.snapshot.map { "\($0.name): \($0.items.map(\.title).joined(separator: ", "))" }
  }

  @Test func `the sample and the database look alike to their client`() async throws {
    let test = try TestStore()
    _ = try test.store.add(Sample.drafts)
    let viewModel = AddToDoViewModel(store: test.store)
    #expect(titles(viewModel) == [])
    viewModel.initSectionData()
    let sample = ["Errands: Groceries, Post Office", "Career: Presentation, Multiple Selections"]
    #expect(titles(viewModel) == sample)
    try viewModel.reloadData()
    #expect(titles(viewModel) == sample)
    var updates = viewModel.dataSource.updates().makeAsyncIterator()
    _ = try test.store.done(Selection(1))
    #expect(await updates.next()?.changes.deletedItems == [ItemPath(section: 0, item: 0)])
    #expect(titles(viewModel)[0] == "Errands: Post Office")
  }

  @Test func `any data source will do`() throws {
    let viewModel = AddToDoViewModel()
    let source = viewModel.createDataSource(dataSource: SectionController([Item(id: 7, title: "Seven")]))
    #expect(source.snapshot.items.map(\.id) == [7])
    #expect(titles(viewModel) == [": Seven"])
    #expect(throws: TodoError.self) { try viewModel.reloadData() }
  }

  /// A screen that follows the data source, and learns nothing of what is behind it.
  @MainActor @Test func `a client that follows is switched from the sample to the database`() async throws {
    let test = try TestStore()
    _ = try test.store.add(Sample.drafts)
    let viewModel = AddToDoViewModel(store: test.store)
    let text = PlainTextRenderer()
    let adapter = ListAdapter(
      source: viewModel.dataSource, presenter: .configuring(TextCell.self) { $0.text = StyledText($1.title) },
      host: text)
    adapter.follow()
    let sample = SectionController([Item(id: 9, title: "Nine", list: "Other")])
    viewModel.createDataSource(dataSource: sample)
    while !text.text.contains("Nine") { await Task.yield() }
    try viewModel.reloadData()
    sample.append(Item(id: 10, title: "Ten", list: "Other"), toSection: 0)
    while text.text.contains("Nine") { await Task.yield() }
    #expect(text.text == "Errands\n  Groceries\n  Post Office\n\nCareer\n  Presentation\n  Multiple Selections\n")
    _ = try test.store.done(Selection(1))
    while text.text.contains("Groceries") { await Task.yield() }
    #expect(!text.text.contains("Ten"))
  }

  @Test func `a query counts from the next reload`() throws {
    let test = try TestStore()
    _ = try test.store.add(Sample.drafts)
    let viewModel = AddToDoViewModel(store: test.store)
    viewModel.query = ListQuery(.priority, limit: 1)
    try viewModel.reloadData()
    #expect(titles(viewModel) == ["no priority: Groceries"])
  }

  @Test func `a list shown once is the same from memory, from the database and when followed`() throws {
    let test = try TestStore()
    _ = try test.store.add(Sample.drafts)
    let viewModel = AddToDoViewModel(store: test.store)
    func shown() throws -> [String] {
      var lines = Lines()
      try viewModel.show(to: &lines)
      return lines.lines
    }
    let sample = ["Errands: Groceries, Post Office", "Career: Presentation, Multiple Selections"]
    #expect(try shown() == sample)
    try viewModel.reloadData()
    #expect(try shown() == sample)
    _ = try test.store.done(Selection(1))
    viewModel.initSectionData()
    #expect(try shown() == sample)
    viewModel.query = ListQuery(.tag)
    #expect(throws: TodoError.self) { try viewModel.reloadData() }
    var lines = Lines()
    try AddToDoViewModel().show(to: &lines)
    #expect(lines.lines.isEmpty)
  }
}
