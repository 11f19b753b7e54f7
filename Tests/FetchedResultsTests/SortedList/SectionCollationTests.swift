import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

/// Sections under the program's own collations that take different texts as equal, against a model in Swift that knows
/// no SQL. SQLite's collations are the oracle's.
@Suite struct SectionCollationTests {
  /// A collation, with what it does to a text before it compares bytes.
  enum Kind: String, CaseIterable, Sendable {
    /// Without regard to case in all of Unicode, by the first letter, by the length, and all texts equal.
    case folded, initial, length, everything

    var name: String { rawValue.uppercased() }

    func key(_ text: String) -> [UInt8] {
      switch self {
      case .folded: Array(text.lowercased().utf8)
      case .initial: Array(text.unicodeScalars.prefix(1).map(String.init).joined().utf8)
      case .length: [UInt8](repeating: 0, count: text.utf8.count)
      case .everything: []
      }
    }

    func compare(_ left: String, _ right: String) -> Int {
      let (left, right) = (key(left), key(right))
      return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }
  }

  struct Thing: MappedEntity, Equatable {
    static let table = "thing"
    static let mapping = Mapping(Thing.init, ("id", \.id), ("name", \.name), ("rank", \.rank))
    var id: Int
    var name: String?
    var rank: Int
  }

  private struct Part: Equatable, CustomStringConvertible {
    var id: SectionID
    var name: [UInt8]
    var rows: [Thing]
    var description: String { "\(id) \"\(String(decoding: name, as: UTF8.self))\": \(rows)" }
  }

  private static let texts: [String?] = [
    nil, "", " ", "a", "A", "a ", "A  ", "b", "B", "ab", "AB", "Ab ", "\u{e4}", "\u{c4}", "\u{e9}", "e\u{301}",
    "E\u{301}", "z",
  ]

  /// What a list must show.
  private static func parts(_ rows: [Int: Thing], _ kind: Kind, isDescending: Bool) -> [Part] {
    let sorted = rows.values.sorted { left, right in
      let order: Int =
        switch (left.name, right.name) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (let left?, let right?): kind.compare(left, right)
        }
      if order != 0 { return order < 0 }
      if left.rank != right.rank { return (left.rank < right.rank) != isDescending }
      return left.id < right.id
    }
    var parts: [Part] = []
    for row in sorted {
      if let first = parts.last?.rows.first, areOne(first.name, row.name, kind) {
        parts[parts.count - 1].rows.append(row)
      } else {
        parts.append(Part(id: row.name.map { .text($0) } ?? .none, name: Array((row.name ?? "").utf8), rows: [row]))
      }
    }
    return parts
  }

  private static func areOne(_ left: String?, _ right: String?, _ kind: Kind) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return kind.compare(left, right) == 0
  }

  private static func database(_ kind: Kind, isDeclared: Bool) throws -> Database {
    let database = try Database(path: TemporaryFolder.make() + "/sections.db")
    try database.addCollation(kind.name) { kind.compare($0, $1) }
    let collation = isDeclared ? " COLLATE \(kind.name)" : ""
    try database.write {
      try $0.execute(SQL(raw: "CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT\(collation), rank INTEGER)"))
    }
    return database
  }

  @Test(arguments: Kind.allCases, [false, true])
  func `texts that a collation treats as equal are one section`(kind: Kind, isDeclared: Bool) async throws {
    for seed in Seeds.range(4) {
      var dice = SeededGenerator(seed: seed ^ 0xC011)
      let database = try Self.database(kind, isDeclared: isDeclared)
      let isDescending = dice.once(in: 2)
      let value = isDeclared ? "name" : "name COLLATE \(kind.name)"
      let controller = FetchedResultsController(
        fetchRequest: FetchRequest<Thing>(
          sectionBy: .by(SQL(raw: value)), orderBy: [isDescending ? .descending("rank") : .ascending("rank")]),
        database: database)
      let updates = Shared<[Update<Thing>]>([])
      let observation = controller.observeOnAnyThread { update in updates.change { $0.append(update) } }
      defer { observation.cancel() }
      var rows: [Int: Thing] = [:]
      try await controller.performFetch()
      for step in 0..<60 {
        let before = rows
        try Self.change(&rows, database, &dice)
        try await controller.settled()
        let found = controller.snapshot.map { Part(id: $0.id, name: Array($0.name.utf8), rows: Array($0.items)) }
        let expected = Self.parts(rows, kind, isDescending: isDescending)
        guard found == expected else {
          Issue.record("SEED=\(seed), step \(step), from \(before.values)\nfound \(found)\nnot \(expected)")
          return
        }
        for update in updates.take(leaving: []) {
          #expect(Laws.violations(of: update).isEmpty, "SEED=\(seed), step \(step)")
        }
      }
    }
  }

  /// Some changes in one commit, in the table and in the model: mostly another spelling.
  private static func change(_ rows: inout [Int: Thing], _ database: Database, _ dice: inout SeededGenerator) throws {
    var changed = rows
    try database.write { c in
      for _ in 0..<dice.pick(1, 1, 2, 5) {
        let thing = Thing(id: dice.below(12), name: dice.pick(texts), rank: dice.below(4))
        if changed[thing.id] != nil, dice.once(in: 4) {
          changed[thing.id] = nil
          try c.execute("DELETE FROM thing WHERE id = \(thing.id)")
        } else {
          changed[thing.id] = thing
          try c.execute(
            "INSERT OR REPLACE INTO thing(id, name, rank) VALUES (\(thing.id), \(thing.name), \(thing.rank))")
        }
      }
    }
    rows = changed
  }
}
