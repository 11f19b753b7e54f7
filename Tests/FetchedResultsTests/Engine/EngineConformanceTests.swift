import DataSourcesTestSupport
import EngineConformance
import FetchedResults
import FixtureSupport
import TestSupport
import Testing

/// The sample in a table of SQLite.
private struct EntryDatabase: EngineHost, @unchecked Sendable {  // because the suite uses it on one thread at a time
  enum Kind: CaseIterable {
    case file, rollbackJournal, history, memory
  }

  let database: Database
  /// Another program's connection to the file.
  private let outside: RawDatabase?

  init(_ rows: [Entry], _ kind: Kind) throws {
    var options = Database.Options()
    options.durability = .normal
    if kind == .rollbackJournal { options.journal = .delete }
    let path = kind == .memory ? nil : try TemporaryFolder.make() + "/entries.db"
    database = try path.map { try Database(path: $0, options: options) } ?? Database.inMemory()
    try database.run(
      "CREATE TABLE entry(id INTEGER PRIMARY KEY, list TEXT NOT NULL, title TEXT NOT NULL, rank INTEGER NOT NULL)")
    try database.write { c in for row in rows { try c.insert(row) } }
    if kind == .history { try database.recordHistory(of: ["entry"]) }
    outside = try path.map { try RawDatabase(path: $0) }
  }

  func commit(_ changes: [EntryChange]) throws {
    try database.write { c in try Self.make(changes, c) }
  }

  private static func make(_ changes: [EntryChange], _ connection: Connection) throws {
    for change in changes {
      switch change {
      case .put(let entry): try connection.upsert(entry)
      case .remove(let id): try connection.execute("DELETE FROM entry WHERE id = \(id)")
      }
    }
  }

  func commitFromOutside(_ changes: [EntryChange]) throws {
    guard let outside else { return try commit(changes) }
    let statements = changes.map { change in
      switch change {
      case .put(let entry):
        "INSERT OR REPLACE INTO entry VALUES (\(entry.id), '\(entry.list)', '\(entry.title)', \(entry.rank));"
      case .remove(let id): "DELETE FROM entry WHERE id = \(id);"
      }
    }
    try outside.execute("BEGIN IMMEDIATE; \(statements.joined()) COMMIT")
  }

  func rollBack(_ changes: [EntryChange]) throws {
    struct Undone: Error {}
    do {
      try database.write { c in
        try Self.make(changes, c)
        throw Undone()
      }
    } catch is Undone {
      // The error is expected.
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct EngineConformanceTests {
  @Test(arguments: EntryDatabase.Kind.allCases)
  fileprivate func `SQLite does what every engine must do`(_ kind: EntryDatabase.Kind) async throws {
    let suite = EngineConformance { try EntryDatabase($0, kind) }
    for seed in Seeds.all(2, of: "engine conformance", perSoak: 0.002) {
      let violations = try await suite.violations(seed: seed)
      #expect(violations == [], "\(Seeds.hint(seed))")
      if !violations.isEmpty { break }
    }
    #expect(try await suite.violationsOfProportion() == [])
    #expect(try await suite.violationsOfHarm() == [])
  }
}
