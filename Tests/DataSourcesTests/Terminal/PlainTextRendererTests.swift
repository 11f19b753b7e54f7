import DataSources
import TerminalLists
import Testing

@Suite struct PlainTextRendererTests {
  @Test func `sections are a line apart and rows are indented`() {
    let renderer = PlainTextRenderer()
    let list = SectionController(
      sections: [
        Section(id: 1, name: "Errands", footer: "2 open", items: ["Milk", "Bread"]),
        Section(id: 2, name: "Career", header: "Work", items: []),
      ])
    let adapter = ListAdapter(source: list, presenter: .settingData(TextCell.self), host: renderer)
    #expect(renderer.text == "Errands\n  Milk\n  Bread\n  2 open\n\nWork\n")
    withExtendedLifetime(adapter) {}
  }

  @Test func `a flat list is just its rows`() {
    let renderer = PlainTextRenderer()
    let adapter = ListAdapter(
      source: SectionController(["Milk", "Bread"]), presenter: .settingData(TextCell.self), host: renderer)
    #expect(renderer.text == "Milk\nBread\n")
    withExtendedLifetime(adapter) {}
  }

  @Test func `an empty list is nothing`() {
    let renderer = PlainTextRenderer()
    #expect(renderer.text == "")
    let adapter = ListAdapter(
      source: SectionController<String>([]), presenter: .settingData(TextCell.self), host: renderer)
    #expect(renderer.text == "")
    withExtendedLifetime(adapter) {}
  }

  @Test func `a row is one line, whatever it contains`() {
    let renderer = PlainTextRenderer(width: 10)
    let adapter = ListAdapter(
      source: SectionController(["two\nlines", "\u{1B}[2J\u{202E}x", "牛乳牛乳牛乳"]),
      presenter: .settingData(TextCell.self), host: renderer)
    #expect(renderer.text == "two lines\n␛[2Jx\n牛乳牛乳…\n")
    withExtendedLifetime(adapter) {}
  }

  @Test func `one cell serves a long list`() {
    let renderer = PlainTextRenderer()
    let adapter = ListAdapter(
      source: SectionController((0..<1_000).map(String.init)), presenter: .settingData(TextCell.self), host: renderer)
    var lines = 0
    renderer.write { _ in lines += 1 }
    #expect(lines == 1_000)
    #expect(renderer.numberOfCellsMade == 1)
    withExtendedLifetime(adapter) {}
  }

  @Test func `it shows the list after each update`() {
    let renderer = PlainTextRenderer()
    let list = Ledger(Snapshot([Section("A", [1])]))
    let adapter = ListAdapter(source: list, presenter: .rows, host: renderer)
    list.append(Row(2), toSection: 0)
    #expect(renderer.text == "A\n  1\n")
    list.told.forEach(adapter.apply)
    #expect(renderer.text == "A\n  1\n  2\n")
  }
}
