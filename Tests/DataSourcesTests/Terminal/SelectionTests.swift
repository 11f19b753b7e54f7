import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

/// The selection of a table against lists of all lines.
@Suite(.timeLimit(.minutes(10))) struct SelectionTests {
  typealias Adapter = ListAdapter<SectionController<Row>, TerminalTable>

  private func table(_ list: Snapshot<Row>, rows: Int = 6) -> (TerminalTable, Adapter) {
    let table = TerminalTable(screen: TerminalScreen(size: TerminalSize(columns: 20, rows: rows)) { _ in })
    return (table, ListAdapter(source: SectionController(list), presenter: .rows, host: table))
  }

  @Test(arguments: [(160, 70), (160, 130), (70, 160), (199, 150), (0, 200)])
  func `the next remaining row is selected when more rows are deleted than the screen shows`(selected: Int, count: Int)
  {
    var list = Snapshot([Section("A", Array(0..<200))])
    let (table, adapter) = table(list)
    table.select(ItemPath(section: 0, item: selected))
    let first = max(0, min(selected - count / 2, 200 - count))
    for _ in 0..<count { list.remove(at: ItemPath(section: 0, item: first)) }
    adapter.show(list)
    let next = list.items.first { $0.id > selected }?.id ?? list.items.last?.id
    #expect(table.selectedPath.map { list[$0].id } == next)
  }

  /// Rows and sections are only deleted and inserted, so that "the nearest remaining row" has one meaning.
  @Test(arguments: Seeds.range(300)) func `the selection moves to the nearest remaining row`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var nextID = 0
    func section() -> Section<Row> {
      let rows = (0..<random.below(random.once(in: 3) ? 1 : 12)).map { Row(nextID + $0) }
      nextID += rows.count + 1
      return Section(id: .integer(Int64(nextID)), name: random.once(in: 3) ? "" : "S\(nextID)", items: rows)
    }
    var list = Snapshot((0..<random.below(9)).map { _ in section() })
    let (table, adapter) = table(list, rows: 2 + random.below(6))
    for step in 0..<20 {
      if list.numberOfItems > 0, table.selectedPath == nil || random.once(in: 2) {
        table.select(list.path(atOffset: random.below(list.numberOfItems)))
      }
      let before = Array(list.items)
      let selected = table.selectedPath.map { list[$0] }
      var next = list
      for path in next.paths.reversed() where !random.once(in: 3) { next.remove(at: path) }
      for index in next.indices.reversed() where random.once(in: 4) { next.removeSection(at: index) }
      for _ in 0..<random.below(3) { next.insertSection(section(), at: random.below(next.count + 1)) }
      for _ in 0..<random.below(4) where !next.isEmpty {
        next.append(Row(nextID), toSection: random.below(next.count))
        nextID += 1
      }
      adapter.show(next)
      let left = Set(next.items.map(\.id))
      if let selected, let index = before.firstIndex(of: selected) {
        let expected = before[index...].first { left.contains($0.id) } ?? before[..<index].last { left.contains($0.id) }
        #expect(table.selectedPath.map { next[$0] } == expected, "step \(step), \(Seeds.hint(seed))")
      }
      list = next
    }
  }

  private enum Line: Equatable {
    case row(ItemPath)
    case fold(Int)
  }

  @Test(arguments: Seeds.range(200)) func `the selection steps through all rows and folded sections`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var list = random.list(sections: 8)
    let (table, adapter) = table(list)
    for step in 0..<60 {
      var nextID = 1_000 * (step + 1)
      switch random.below(4) {
      case 0: if !list.isEmpty { table.toggleFold(section: random.below(list.count)) }
      case 1:
        for _ in 0..<random.below(5) { random.edit(&list, nextID: &nextID) }
        adapter.show(list)
      case 2: table.foldedSections = Set(list.map(\.id).filter { _ in random.once(in: 3) })
      default: break
      }
      let lines = list.indices.flatMap { section in
        table.foldedSections.contains(list[section].id)
          ? [Line.fold(section)] : list[section].items.indices.map { .row(ItemPath(section: section, item: $0)) }
      }
      func selected() -> Line? {
        table.selectedPath.map { .row($0) } ?? table.selectedSection.map { .fold($0) }
      }
      if let line = selected() { #expect(lines.contains(line), "step \(step), \(Seeds.hint(seed))") }
      if random.once(in: 3) {
        if random.once(in: 2) { table.selectFirst() } else { table.selectLast() }
        #expect(selected() == lines.first || selected() == lines.last, "step \(step), \(Seeds.hint(seed))")
      } else if let index = selected().flatMap(lines.firstIndex) {
        let steps = random.once(in: 8) ? (random.once(in: 2) ? Int.max : .min) : random.below(25) - 12
        table.moveSelection(by: steps)
        let end =
          steps < 0 ? index - min(steps.magnitude.clamped, index) : min(index + min(steps, 1_000), lines.count - 1)
        #expect(selected() == lines[end], "step \(step), \(steps) from \(index), \(Seeds.hint(seed))")
      }
    }
  }
}

extension UInt {
  /// As an `Int`, or the largest one.
  fileprivate var clamped: Int { Int(exactly: self) ?? .max }
}
