import AppleLists
import DataSources
import DataSourcesTestSupport
import Foundation
import TestSupport
import Testing

/// Lists in a table without sections, such as NSTableView.
@Suite(.timeLimit(.minutes(10))) struct RowStepsTests {
  struct Row: Identifiable, Equatable, Sendable {
    var id: Int
    var version: Int
  }

  final class Cell: ReusableCell {
    var text = ""
  }

  /// A table that performs the steps as NSTableView does, and asks only for rows that are new or differ.
  final class Table: ListHost {
    weak var content: (any ListContent<Cell>)?
    let hasHeaders: Bool
    let mostMoves: Int
    var rows: [String] = []
    var moves = 0

    init(hasHeaders: Bool, mostMoves: Int) { (self.hasHeaders, self.mostMoves) = (hasHeaders, mostMoves) }

    func register(_ registration: CellRegistration<Cell>) {}
    func dequeue(_ identifier: String, for path: ItemPath) -> Cell { Cell() }
    func reloadData() { rows = all() }
    func performBatch(_ stage: Changes, switchingContent: () -> Void) {
      let steps = RowSteps(
        stage, of: FlatRows(content!, hasHeaders: hasHeaders), mostMoves: mostMoves, switchingContent: switchingContent)
      for row in steps.removed.reversed() { rows.remove(at: row) }
      for move in steps.moved { rows.insert(rows.remove(at: move.from), at: move.to) }
      moves += steps.moved.count
      for row in steps.inserted { rows.insert(text(row), at: row) }
      for row in steps.updated { rows[row] = text(row) }
    }

    func all() -> [String] { (0..<FlatRows(content!, hasHeaders: hasHeaders).count).map(text) }

    private func text(_ row: Int) -> String {
      let flat = FlatRows(content!, hasHeaders: hasHeaders)
      guard let place = flat.place(at: row) else { return "nothing" }
      guard let item = place.item else {
        #expect(flat.rows(ofSection: place.section).lowerBound == row)
        return content!.header(ofSection: place.section) ?? ""
      }
      let path = ItemPath(section: place.section, item: item)
      #expect(flat.row(of: path) == row)
      return content!.cell(at: path).text
    }
  }

  private func list(_ random: inout SeededGenerator) -> Snapshot<Row> {
    var names = ["A", "B", "C", "D"].shuffled(using: &random)
    names.removeLast(random.below(4))
    var parts: [[Row]] = names.map { _ in [] }
    for id in 0..<12 where !random.once(in: 4) {
      let part = random.below(parts.count)
      parts[part].insert(Row(id: id, version: random.below(2)), at: random.below(parts[part].count + 1))
    }
    return Snapshot(
      zip(names, parts).map { Section(id: .text($0), name: random.once(in: 4) ? $0 + "!" : $0, items: $1) })
  }

  @Test(arguments: Seeds.range(400)) func `a table without sections shows every change`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let table = Table(hasHeaders: !random.once(in: 3), mostMoves: random.pick(0, 500, 500))
    let adapter = ListAdapter(
      source: SectionController<Row>(sections: Array(list(&random))),
      presenter: .configuring(Cell.self) { cell, row in cell.text = "\(row.id) \(row.version)" }, host: table)
    for _ in 0..<8 {
      adapter.show(list(&random))
      #expect(table.rows == table.all(), "\(Seeds.hint(seed))")
    }
    #expect((table.moves > 0) == (table.mostMoves > 0), "\(Seeds.hint(seed))")
  }

  @Test func `there is no row before the first and after the last`() {
    let table = Table(hasHeaders: true, mostMoves: 0)
    let adapter = ListAdapter(
      source: SectionController([Row(id: 1, version: 0)]), presenter: .configuring(Cell.self) { _, _ in }, host: table)
    let rows = FlatRows(adapter, hasHeaders: true)
    #expect(rows.count == 2)
    #expect(rows.place(at: -1) == nil && rows.place(at: 2) == nil)
  }

  @Test func `a path and an index path are the same`() {
    let path = ItemPath(section: 3, item: 5)
    #expect(IndexPath(path) == IndexPath(indexes: [3, 5]))
    #expect(ItemPath(IndexPath(path)) == path)
  }
}
