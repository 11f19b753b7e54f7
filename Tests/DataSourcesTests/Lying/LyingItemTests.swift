import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import TerminalLists
import TestSupport
import Testing

/// Items that break the promises of their protocols lead to stale answers at worst, and never out of the list's memory.
/// CI runs this under the address sanitizer.
@Suite(.timeLimit(.minutes(5))) struct LyingItemTests {
  /// An item whose id and content have another hash, and are equal to others, as it happens.
  struct Liar: Identifiable, Hashable, Sendable {
    struct ID: Hashable, Sendable {
      var number: Int
      static let moment = Locked(SeededGenerator(seed: 7))

      static func == (lhs: ID, rhs: ID) -> Bool { moment.withLock { lhs.number == rhs.number || $0.once(in: 3) } }
      func hash(into hasher: inout Hasher) { hasher.combine(Self.moment.withLock { number + $0.below(2) }) }
    }
    var id: ID
    init(_ number: Int) { id = ID(number: number) }
  }

  private static func list(_ random: inout SeededGenerator) -> Snapshot<Liar> {
    Snapshot(
      (0...random.below(4)).map { section in
        Section(
          id: .integer(Int64(section)), name: "", items: (0..<random.below(120)).map { _ in Liar(random.below(300)) })
      })
  }

  @Test(arguments: Seeds.range(60)) func `paths are in the list and counts add up, whatever the items do`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let hint = Comment(rawValue: Seeds.hint(seed))
    let host = StrictListHost()
    let list = SectionController(Self.list(&random))
    let adapter = ListAdapter(
      source: list, presenter: .configuring(TextCell.self) { $0.text = StyledText("\($1.id.number)") }, host: host)
    for _ in 0..<40 {
      var next = random.once(in: 5) ? Self.list(&random) : list.snapshot
      for _ in 0..<random.below(9) where next.numberOfItems > 0 {
        let path = next.path(atOffset: random.below(next.numberOfItems))!
        if random.once(in: 2) { next.remove(at: path) } else { next.insert(Liar(random.below(300)), at: path) }
      }
      for version in [list.snapshot, next] {
        guard let path = version.path(of: Liar(random.below(300)).id) else { continue }
        #expect(version.item(at: path) != nil, hint)
      }
      if random.once(in: 2) { list.replace(with: next) }
      adapter.show(random.once(in: 2) ? next : list.snapshot)
      adapter.apply(Update(old: next, new: list.snapshot, changes: list.snapshot.changes(from: next)))
      #expect(host.violations == [], hint)
      if !host.violations.isEmpty { return }
    }
  }
}
