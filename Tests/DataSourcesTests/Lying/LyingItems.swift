import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import TestSupport

/// An object whose id, hash and equality a test can change at any moment.
///
/// Its id lies in the same ways, so that a hash table of ids meets them too.
final class Liar: Identifiable, Hashable, @unchecked Sendable {  // because tests use it on one thread
  /// An id that may change its hash and its equality.
  struct ID: Hashable, Sendable {
    var number: Int
    var lie: Lie

    static func == (lhs: ID, rhs: ID) -> Bool { lhs.lie.isEqual(lhs.number, rhs.number) }
    func hash(into hasher: inout Hasher) { hasher.combine(lie.hash(number)) }
  }

  /// A way to break what `Hashable` promises.
  enum Lie: CaseIterable, Sendable {
    case none, neverEqual, alwaysEqual, notSymmetric, randomlyEqual, oneHash, randomHash, otherHash

    private static let moment = Locked(SeededGenerator(seed: 7))

    func isEqual(_ first: Int, _ second: Int) -> Bool {
      switch self {
      case .none, .oneHash, .randomHash, .otherHash: first == second
      case .neverEqual: false
      case .alwaysEqual: true
      case .notSymmetric: first <= second
      case .randomlyEqual: Self.moment.withLock { $0.once(in: 2) }
      }
    }

    func hash(_ number: Int) -> Int {
      switch self {
      case .oneHash, .alwaysEqual: 1
      case .randomHash: Self.moment.withLock { $0.below(1_000_000) }
      case .otherHash: Self.moment.withLock { number + $0.below(2) }
      default: number
      }
    }
  }

  var id: ID
  var content = 0

  init(_ number: Int, _ lie: Lie = .none) { id = ID(number: number, lie: lie) }

  static func == (lhs: Liar, rhs: Liar) -> Bool { lhs.id.lie.isEqual(lhs.content, rhs.content) }
  func hash(into hasher: inout Hasher) { hasher.combine(id.lie.hash(content)) }
}

extension SeededGenerator {
  /// Changes some items of a list in place.
  mutating func lie(_ list: Snapshot<Liar>) {
    for _ in 0..<below(6) where list.numberOfItems > 0 {
      let item = list.items[below(list.numberOfItems)]
      switch below(3) {
      case 0: item.id.number = below(2_000)
      case 1: item.content += 1
      default: item.id.lie = Liar.Lie.allCases[below(Liar.Lie.allCases.count)]
      }
    }
  }

  /// A list of up to some hundred such items, mostly honest.
  mutating func liars(_ lies: [Liar.Lie]) -> Snapshot<Liar> {
    Snapshot(
      (0...below(4)).map { section in
        Section(
          id: .integer(Int64(below(6))), name: "\(section)",
          items: (0..<below(120)).map { _ in Liar(below(300), once(in: 3) ? lies[below(lies.count)] : .none) })
      })
  }

  /// Edits a list of items about which nothing is known, in one of several ways.
  mutating func edit(_ list: inout Snapshot<Liar>, _ lies: [Liar.Lie]) {
    if list.isEmpty || once(in: 8) {
      return list.insertSection(
        Section(id: .integer(Int64(below(6))), name: "", items: [Liar(below(300))]), at: below(list.count + 1))
    }
    let section = below(list.count)
    let rows = list[section].items.count
    switch below(6) {
    case 0: list.removeSection(at: section)
    case 1: list.moveSection(from: section, to: below(list.count))
    case 2, 3:
      list.insert(Liar(below(300), lies[below(lies.count)]), at: ItemPath(section: section, item: below(rows + 1)))
    case 4: if rows > 0 { list.remove(at: ItemPath(section: section, item: below(rows))) }
    default:
      if rows > 0 {
        list.move(
          from: ItemPath(section: section, item: below(rows)), to: ItemPath(section: section, item: below(rows)))
      }
    }
  }
}
