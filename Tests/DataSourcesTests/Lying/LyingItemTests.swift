import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

/// Items that break the promises of their protocols lead to stale answers at worst. CI runs these under the address
/// sanitizer.
@Suite(.timeLimit(.minutes(5))) struct LyingItemTests {
  @Test func `an id that changes in the list leaves no trace in the index`() {
    let items = (0..<200).map { Liar($0) }
    var list = Snapshot([Section(id: 0, name: "", items: items)])
    #expect(list.path(of: items[5].id) == ItemPath(section: 0, item: 5))
    for item in items { item.id.number += 10_000 }
    let old = Liar(5).id
    #expect(list.path(of: old) == nil)
    for step in 0..<150 {
      list.remove(at: ItemPath(section: 0, item: 0))
      for item in list.items.prefix(20) { item.id.number -= 1 }
      _ = list.path(of: old)
      _ = list.path(of: Liar(step).id)
    }
    list = Snapshot()
    #expect(list.path(of: old) == nil)
  }

  @Test(arguments: Seeds.range(24)) func `paths are in the list, whatever the items do`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let lies = [Liar.Lie.allCases[Int(seed) % Liar.Lie.allCases.count]] + (random.once(in: 3) ? Liar.Lie.allCases : [])
    var list = random.liars(lies)
    var versions: [Snapshot<Liar>] = []
    for _ in 0..<120 {
      for _ in 0...random.below(4) { random.edit(&list, lies) }
      random.lie(list)
      if random.once(in: 4) { versions.append(list) }
      if versions.count > 5 { versions.remove(at: random.below(versions.count)) }
      for version in [list] + versions where random.once(in: 2) {
        guard let path = version.path(of: Liar(random.below(300), lies[0]).id) else { continue }
        #expect(version.item(at: path) != nil, "\(Seeds.hint(seed))")
      }
    }
  }

  @Test(arguments: Seeds.range(24)) func `the counts of a difference add up, whatever the items do`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let lies = [Liar.Lie.allCases[Int(seed) % Liar.Lie.allCases.count]]
    let host = StrictListHost()
    let list = SectionController(random.liars(lies))
    let adapter = ListAdapter(
      source: list, presenter: .configuring(TextCell.self) { $0.text = StyledText("\($1.id.number)") }, host: host)
    for step in 0..<40 {
      var next = random.once(in: 5) ? random.liars(lies) : list.snapshot
      for _ in 0..<random.below(5) { random.edit(&next, lies) }
      random.lie(next)
      if random.once(in: 2) { list.replace(with: next) }
      // What rows say of themselves may be out of date, but not how many there are.
      adapter.show(random.once(in: 2) ? next : list.snapshot)
      adapter.apply(Update(old: next, new: list.snapshot, changes: list.snapshot.changes(from: next)))
      #expect(host.violations == [], "step \(step), \(Seeds.hint(seed))")
      if !host.violations.isEmpty { return }
    }
  }

  @Test(arguments: Seeds.range(8)) func `a table shows as many rows as the list has, whatever the items do`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let lies = Liar.Lie.allCases
    let table = TerminalTable(screen: TerminalScreen(size: TerminalSize(columns: 10, rows: 8)) { _ in })
    table.highlightDuration = .seconds(1)
    var list = random.liars(lies)
    let adapter = ListAdapter(
      source: SectionController(list), presenter: .configuring(TextCell.self) { $0.text = StyledText("\($1.content)") },
      host: table)
    table.selectFirst()
    for _ in 0..<60 {
      for _ in 0...random.below(4) { random.edit(&list, lies) }
      random.lie(list)
      adapter.show(list)
      table.moveSelection(by: random.below(9) - 4)
      if let path = table.selectedPath { #expect(list.item(at: path) != nil, "\(Seeds.hint(seed))") }
      _ = table.selectedID.map { table.select(id: $0) }
    }
  }

  @Test(arguments: Liar.Lie.allCases) func `slow readers receive consistent updates, whatever the items do`(
    lie: Liar.Lie
  ) async {
    var random = SeededGenerator(seed: 3)
    let list = SectionController(random.liars([lie]))
    let reader = list.updates()
    for _ in 0..<50 {
      random.lie(list.snapshot)
      var next = list.snapshot
      random.edit(&next, [lie])
      list.replace(with: next)
    }
    var updates = reader.makeAsyncIterator()
    if let update = await updates.next() {
      #expect(update.new.numberOfItems == list.numberOfItems)
      let counted = update.old.numberOfItems - update.changes.deletedItems.count + update.changes.insertedItems.count
      #expect(counted == update.new.numberOfItems)
    }
  }
}
