import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

/// Text ids that SQLite tells apart and Swift does not.
@Suite(.timeLimit(.minutes(5))) struct TextIDTests {
  struct Name: RawRepresentable, Hashable, ValueConvertible, Sendable { var rawValue: String }

  struct Word<ID: ValueConvertible & Hashable & Sendable>: Entity, Equatable {
    static var table: String { "word" }
    var id: ID
    var rank: Int
    init(row: Row) throws {
      id = try row["id"]
      rank = try row["rank"]
    }
  }

  private static let spellings = [
    "caf\u{e9}", "cafe\u{301}", "cafe", "\u{c5}", "\u{212b}", "A\u{30a}", "plain", "\u{1100}\u{1161}", "\u{ac00}",
  ]

  @Test(arguments: Seeds.range(12)) func `an id occurs once, also for Swift`(seed: UInt64) async throws {
    try await compare(Word<String>.self, seed) { $0 }
    try await compare(Word<String?>.self, seed) { $0 }
    try await compare(Word<Name>.self, seed) { Name(rawValue: $0) }
    try await compare(Word<Name?>.self, seed) { Name(rawValue: $0) }
  }

  private func compare<ID>(_ type: Word<ID>.Type, _ seed: UInt64, _ makeID: (String) -> ID) async throws {
    var dice = SeededGenerator(seed: seed)
    let database = try Database(path: TemporaryFolder.make() + "/words.db")
    try await database.write { try $0.execute("CREATE TABLE word(id TEXT NOT NULL PRIMARY KEY, rank INTEGER)") }
    let limit = dice.once(in: 3) ? 3 : nil
    let request = FetchRequest<Word<ID>>(orderBy: ["rank"], limit: limit)
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try await controller.performFetch()
    for _ in 0..<40 {
      let (id, other, rank) = (dice.pick(Self.spellings), dice.pick(Self.spellings), dice.below(9))
      let kind = dice.below(4)
      try await database.write { c in
        switch kind {
        case 0, 1: try c.execute("INSERT OR REPLACE INTO word(id, rank) VALUES (\(id), \(rank))")
        case 2: try c.execute("DELETE FROM word WHERE id = \(id)")
        default: try c.execute("UPDATE OR IGNORE word SET id = \(other), rank = \(rank) WHERE id = \(id)")
        }
      }
      let stored = try await database.read { try $0.values("SELECT id FROM word ORDER BY rank, id", as: String.self) }
      let shown = stored.prefix(limit ?? .max).map(makeID)
      do {
        try await controller.settled()
        #expect(Array(controller.fetchedObjects.map(\.id)) == shown, "\(Seeds.hint(seed))")
        #expect(Set(shown).count == shown.count, "an id twice and no error; \(Seeds.hint(seed))")
      } catch let error as DatabaseError {
        #expect("\(error)".contains("more than once") && "\(error)".contains("composed"), "\(error)")
        #expect(Set(shown).count < shown.count, "\(error); \(Seeds.hint(seed))")
      }
    }
  }
}
