import DataSources
import DataSourcesTestSupport
import TerminalLists
import Testing

@Suite struct CellPresenterTests {
  final class TaskCell: LineCell, ItemCell {
    var task: Row?
    var timesReused = 0
    func setData(_ item: Row) { task = item }
    func prepareForReuse() {
      task = nil
      timesReused += 1
    }
    func line(in context: LineContext) -> StyledText { StyledText(task.map { "task \($0.id)" } ?? "empty") }
  }

  final class OtherCell: ReusableCell {}

  final class NamedCell: ReusableCell {
    static let reuseIdentifier = "named"
  }

  let path = ItemPath(section: 0, item: 0)

  @Test func `the identifier is the type's name unless given`() {
    #expect(TaskCell.reuseIdentifier == "DataSourcesTests.CellPresenterTests.TaskCell")
    #expect(TextCell.reuseIdentifier == "TerminalLists.TextCell")
    #expect(NamedCell.reuseIdentifier == "named")
  }

  @Test func `a cell that knows the item is given it`() {
    let renderer = PlainTextRenderer()
    let presenter = CellPresenter<Row, any LineCell>.settingData(TaskCell.self)
    presenter.register(with: renderer)
    let cell = presenter.cell(for: Row(7), in: renderer, at: path)
    #expect((cell as? TaskCell)?.task == Row(7))
  }

  @Test func `a closure fills the cell`() {
    let renderer = PlainTextRenderer()
    let presenter = CellPresenter<Row, any LineCell>.configuring(TextCell.self) { cell, row in
      cell.text = StyledText("row \(row.id)")
    }
    presenter.register(with: renderer)
    #expect(presenter.cell(for: Row(7), in: renderer, at: path).line(in: LineContext()).text == "row 7")
  }

  @Test func `rows may look different`() {
    let presenter = CellPresenter<Row, any LineCell>.choosing(
      among: [.settingData(TaskCell.self), .configuring(TextCell.self) { cell, row in cell.text = "old \(row.id)" }]
    ) { $0.version }
    let renderer = PlainTextRenderer()
    let list = SectionController([Row(1), Row(2, 1)])
    let adapter = ListAdapter(source: list, presenter: presenter, host: renderer)
    #expect(renderer.text == "task 1\nold 2\n")
    #expect(adapter.presenter.registrations.map(\.identifier) == [TaskCell.reuseIdentifier, TextCell.reuseIdentifier])
  }

  @Test func `a missing identifier is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PlainTextRenderer().dequeue("TaskCell", for: ItemPath(section: 0, item: 0))
    }
    let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(message.contains("no cell is registered under \"TaskCell\""))
  }

  @Test func `a cell that the host cannot show is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CellRegistration<any LineCell>(OtherCell.self).makeCell()
    }
    let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(message.contains("a OtherCell is no"))
  }

  enum Inbox { final class Cell: LineCell { func line(in context: LineContext) -> StyledText { "inbox" } } }
  enum Archive { final class Cell: LineCell { func line(in context: LineContext) -> StyledText { "archive" } } }

  @Test func `cells with the same simple name are two kinds`() {
    let presenter = CellPresenter<Row, any LineCell>.choosing(
      among: [.configuring(Inbox.Cell.self) { _, _ in }, .configuring(Archive.Cell.self) { _, _ in }]
    ) { $0.version }
    let renderer = PlainTextRenderer()
    let adapter = ListAdapter(source: SectionController([Row(1), Row(2, 1)]), presenter: presenter, host: renderer)
    #expect(renderer.text == "inbox\narchive\n")
    _ = adapter
  }

  final class FirstCell: LineCell {
    static let reuseIdentifier = "cell"
    func line(in context: LineContext) -> StyledText { "" }
  }
  final class SecondCell: LineCell {
    static let reuseIdentifier = "cell"
    func line(in context: LineContext) -> StyledText { "" }
  }

  private func refuses(_ result: ExitTest.Result?) -> Bool {
    let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    return message.contains("\"cell\"") && message.contains("CellPresenterTests.FirstCell")
      && message.contains("CellPresenterTests.SecondCell")
  }

  @Test func `two kinds under one identifier are refused with both names`() async {
    let inPresenter = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CellPresenter<Row, any LineCell>.choosing(
        among: [.configuring(FirstCell.self) { _, _ in }, .configuring(SecondCell.self) { _, _ in }]
      ) { _ in 0 }.register(with: TestHost())
    }
    #expect(refuses(inPresenter))
    let inHost = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let host = PlainTextRenderer()
      CellPresenter<Row, any LineCell>.configuring(FirstCell.self) { _, _ in }.register(with: host)
      CellPresenter<Row, any LineCell>.configuring(SecondCell.self) { _, _ in }.register(with: host)
    }
    #expect(refuses(inHost))
  }
}
