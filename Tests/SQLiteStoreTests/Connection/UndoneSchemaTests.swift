import CFetchedResultsSQLite
import DataSourcesTestSupport
import FixtureSupport
import SQLiteStore
import TestSupport
import Testing

/// Schema changes that are undone, and then repeated or followed by others: the version of the schema goes back with
/// them, so that a later change reaches the same number. `SEED=n` repeats the case that failed.
@Suite(.timeLimit(.minutes(5))) struct UndoneSchemaTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch(inMemory: true) }

  private struct Undo: Error {}

  /// A world of two files with tables of the same names, and what each table must hold.
  private final class World {
    let database: Database
    let main: RawDatabase
    let other: RawDatabase
    var random: SeededGenerator
    /// The number of rows of each table that exists: `main.t`, `o.t`, …
    var tables: [String: Int] = [:]
    /// What has been done, for a failure's message.
    var done: [String] = []

    init(_ scratch: Scratch, seed: UInt64) throws {
      random = SeededGenerator(seed: seed &* 7_919 &+ 3)
      database = try scratch.database("main\(seed).db")
      if Bool.random(using: &random) { try database.addFunction("own", arguments: 1) { $0[0] } }
      try database.attach(scratch.path("other\(seed).db"), as: "o")
      try database.write {
        try $0.executeScript(
          "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE k(id REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)")
      }
      main = try RawDatabase(path: scratch.path("main\(seed).db"))
      other = try RawDatabase(path: scratch.path("other\(seed).db"))
    }

    func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    /// Mostly one table, so that a statement is often repeated after a change of what its name means.
    func name() -> String { below(4) == 0 ? "u" : "t" }

    /// Inserts a row by the bare name, which means the first file that has the table.
    func insert(_ connection: Connection) throws {
      let name = name()
      done.append("insert \(name)")
      let table = ["main.\(name)", "o.\(name)"].first { tables[$0] != nil }
      do {
        // The same text each time, so that the compiled statement is used again.
        try connection.execute(name == "t" ? "INSERT INTO t VALUES (1)" : "INSERT INTO u VALUES (1)")
        guard let table else { throw Unexpected("a row was inserted into \(name), which does not exist") }
        tables[table, default: 0] += 1
      } catch let error as DatabaseError where error.message.contains("no such table") {
        if let table { throw Unexpected("\(table) was not found") }
      }
    }

    /// Creates or drops a table.
    func change() -> (sql: String, table: String, exists: Bool) {
      let table = "\(["main", "o"][below(2)]).\(name())"
      let exists = tables[table] != nil
      done.append("\(exists ? "drop" : "create") \(table)")
      return (exists ? "DROP TABLE \(table)" : "CREATE TABLE \(table)(x)", table, exists)
    }

    func changeOwn(_ connection: Connection) throws {
      let (sql, table, exists) = change()
      switch below(3) {
      case 0: try connection.execute("\(raw: sql)")
      case 1: try connection.executeScript(sql)
      default:
        try connection.withUnsafeHandle { handle in
          if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK { throw Unexpected(sql) }
        }
      }
      tables[table] = exists ? nil : 0
    }

    /// What another program changes between our transactions.
    func changeForeign() throws {
      let (sql, table, exists) = change()
      done.append("by another")
      try (table.hasPrefix("o.") ? other : main).execute(sql.replacing("o.", with: "main."))
      tables[table] = exists ? nil : 0
    }

    func steps(_ connection: Connection, depth: Int) throws {
      for _ in 0..<(2 + below(7)) {
        switch below(depth > 0 ? 7 : 5) {
        case 0...2: try insert(connection)
        case 3, 4: try changeOwn(connection)
        default:
          let before = tables
          done.append("savepoint")
          do {
            try connection.savepoint {
              try steps(connection, depth: depth - 1)
              if below(2) == 0 { throw Undo() }
            }
            done.append("released")
          } catch is Undo {
            tables = before
            done.append("undone")
          }
        }
      }
    }

    func write() throws {
      let before = tables
      do {
        try database.write { connection in
          try steps(connection, depth: 2)
          switch below(5) {
          case 0: throw Undo()
          case 1: try connection.execute("INSERT INTO k VALUES (77)")
          default: break
          }
        }
        done.append("committed")
      } catch is Undo {
        tables = before
        done.append("thrown")
      } catch let error as DatabaseError where error.extendedCode == .constraintForeignKey {
        tables = before
        done.append("refused")
      }
    }

    func check() throws {
      for (file, connection) in [("main", main), ("o", other)] {
        for name in ["t", "u"] {
          let rows = try? connection.strings("SELECT count(*) FROM \(name)")[0][0]
          let expected = tables["\(file).\(name)"].map { String($0) }
          if rows != expected { throw Unexpected("\(file).\(name) holds \(rows ?? "-") of \(expected ?? "-") rows") }
        }
        let problems = try connection.strings("PRAGMA integrity_check")
        if problems != [["ok"]] { throw Unexpected("\(file): \(problems)") }
      }
    }
  }

  private struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  @Test func `a name means the first file that has it, whatever was undone`() throws {
    for seed in Seeds.all(60, of: "undone schemas", perSoak: 0.1) {
      let world = try World(scratch, seed: seed)
      do {
        for _ in 0..<24 {
          if world.below(4) == 0 { try world.changeForeign() } else { try world.write() }
          try world.check()
        }
      } catch {
        Issue.record("SEED=\(seed) \(error): \(world.done.joined(separator: ", "))")
        return
      }
      try world.database.close()
    }
  }

  @Test func `a read in memory does not read the schema again because an earlier write has changed it`() throws {
    let database = try Database.inMemory()
    let tables = (0..<100).map { "CREATE TABLE t\($0)(a, b, c);" }.joined()
    try database.migrate([Migration("1", sql: tables)])
    try database.write { _ = try $0.value("PRAGMA table_info(t1)", as: Int.self) }
    for _ in 0..<2 {
      // The memory that SQLite uses for the schema, before this read has used it.
      let size = try database.read { connection in
        var (size, highest) = (Int32(0), Int32(0))
        sqlite3_db_status(connection.rawHandle, SQLITE_DBSTATUS_SCHEMA_USED, &size, &highest, 0)
        return size
      }
      #expect(size > 10_000)
    }
  }
}
