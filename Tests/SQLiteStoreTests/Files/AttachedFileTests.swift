import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

/// Files beside the main one: their settings, entities that are stored in them, and attachments that are refused.
@Suite struct AttachedFileTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  struct Part: MappedEntity, Equatable {
    static let table = "o.p"
    static let mapping = Mapping(Part.init, ("id", \.id), ("title", \.title))
    var id: Int64?
    var title: String
  }

  private func attached(_ options: Database.Options = .fast) throws -> Database {
    let database = try scratch.database(options: options)
    try database.read { _ = try $0.rows("SELECT 1") }  // opens a reader before the file is there
    try database.attach(scratch.path("other.db"), as: "o")
    return database
  }

  private func pragma(_ name: String, _ database: Database, write: Bool = true) throws -> String? {
    let body = { (c: Connection) in try c.value("PRAGMA o.\(raw: name)", as: Value.self).map { "\($0)" } }
    return write ? try database.write(body) : try database.read(body)
  }

  /// An attached file that has objects of every name that the library uses itself.
  @Test func `what the library does for the main file leaves an attached file as it is`() throws {
    let steps = [
      Migration("1", sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, x); CREATE TABLE list(id INTEGER PRIMARY KEY)")
    ]
    for seed in Seeds.all(30, of: "attached files") {
      var dice = SeededGenerator(seed: seed)
      let folder = scratch.path("attached-\(seed)")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      var options = Database.Options.fast
      options.capture = dice.pick(.preupdateHook, .triggers)
      options.journal = dice.pick(.wal, .delete)
      let other = try Database(path: folder + "/other.db", options: options)
      try other.migrate(steps)
      try other.recordHistory(of: ["item", "list"])
      try other.write { c in
        try c.executeScript(
          """
          INSERT INTO item VALUES (1, 'a'); ANALYZE; CREATE TABLE frc_lock(x); CREATE TABLE frc_changes(x);
          CREATE TABLE frc_probe(x); CREATE TABLE scratch(x);
          """)
      }
      func content() throws -> [[String]] {
        try other.read { c in
          let objects = try c.values(
            "SELECT type || name || ifnull(sql, '') FROM sqlite_schema ORDER BY 1", as: String.self)
          let tables = try c.values("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1", as: String.self)
          return try [objects]
            + tables.map { table in
              try c.rows("SELECT * FROM \(identifier: table)").map { try "\($0.values)" }
            }
        }
      }
      let before = try content()
      let main = try Database(path: folder + "/main.db", options: options)
      if dice.once(in: 2) { try main.migrate(steps) }
      try main.attach(folder + "/other.db", as: "other")
      var observation: ObservationToken?
      var log = ["seed \(seed)"]
      for _ in 0..<12 {
        let action = dice.pick(
          "migrate", "record", "stop", "vacuum", "checkpoint", "check", "observe", "cancel", "write", "handle", "move",
          "adopt", "more steps", "catch up", "fail")
        log.append(action)
        // Some need a table that is not there yet.
        do {
          switch action {
          case "migrate": try main.migrate(steps)
          case "more steps": try main.migrate(steps + [Migration("2", sql: "CREATE TABLE frc_probe(x)")])
          case "record": try main.recordHistory(of: ["main.item", "list"])
          case "stop": try main.stopRecordingHistory()
          case "vacuum": try main.vacuum()
          case "checkpoint": try main.checkpoint()
          case "check": _ = try main.integrityCheck()
          case "observe": observation = main.observe(["item", "other.item", "list"]) { _ in }
          case "cancel": observation?.cancel()
          case "write": try main.write { try $0.execute("INSERT INTO main.item(x) VALUES (1)") }
          case "handle": try main.write { c in try c.withUnsafeHandle { _ in } }
          case "move": try main.moveLog()
          case "adopt": try main.adoptJournal()
          case "catch up": try main.catchUp()
          default: try main.migrate(steps + [Migration("3", sql: "CREATE TABLE frc_log(x); SELECT 1 FROM missing")])
          }
        } catch is DatabaseError {}
        #expect(try content() == before, "\(log)")
      }
      observation?.cancel()
      try other.write { try $0.execute("INSERT INTO item(x) VALUES ('recorded')") }
      #expect(try other.read { try $0.value("SELECT count(*) FROM frc_history", as: Int.self) } == 2, "\(log)")
    }
  }

  @Test func `a file can be attached once, under any of its paths`() throws {
    let database = try attached()
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link.db"), withDestinationPath: scratch.path("other.db"))
    try FileManager.default.linkItem(atPath: scratch.path("other.db"), toPath: scratch.path("hard.db"))
    for path in ["other.db", "link.db", "hard.db"] {
      let error = try databaseError { try database.attach(scratch.path(path), as: "again") }
      #expect(error.message.contains("it is attached already, as o"), "\(error.message)")
    }
    try database.detach("o")
    try database.attach(scratch.path("other.db"), as: "again")
    try database.write { try $0.execute("CREATE TABLE again.t(a)") }
  }

  @Test(arguments: [Database.Options.Journal.wal, .delete], [Database.Options.Durability.normal, .full])
  func `an attached file has the settings of the options`(
    journal: Database.Options.Journal, durability: Database.Options.Durability
  ) throws {
    let options = Database.Options().with {
      $0.journal = journal
      $0.durability = durability
      $0.pageCacheBytes = 512 * 1024
    }
    let database = try attached(options)
    try database.write { try $0.execute("CREATE TABLE o.t(a)") }
    for write in [true, false] {
      for name in ["synchronous", "cache_size", "journal_mode"] {
        let body = { (c: Connection) in try c.value("PRAGMA main.\(raw: name)", as: Value.self).map { "\($0)" } }
        let main = write ? try database.write(body) : try database.read(body)
        #expect(try pragma(name, database, write: write) == main, "\(name)")
      }
    }
    #expect(try pragma("journal_mode", database)?.contains(journal.rawValue.lowercased()) == true)
    for file in try scratch.files() {
      let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(file))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(file)")
    }
    #expect(try scratch.files().contains("other.db-wal") == (journal == .wal))
  }

  @Test func `a file with another journal mode gets that of the options`() throws {
    try scratch.database("other.db", options: .fast.with { $0.journal = .delete }).write {
      try $0.execute("CREATE TABLE t(a)")
    }
    #expect(try pragma("journal_mode", attached())?.contains("wal") == true)
  }

  @Test func `a read-only database attaches existing files, and changes nothing`() throws {
    try scratch.database("other.db", options: .fast.with { $0.journal = .delete }).write {
      try $0.execute("CREATE TABLE t(a)")
    }
    try scratch.database().write { try $0.execute("CREATE TABLE t(a)") }
    let before = try Data(contentsOf: URL(filePath: scratch.path("other.db")))
    let database = try scratch.database(options: .fast.with { $0.isReadOnly = true })
    try database.attach(scratch.path("other.db"), as: "o")
    #expect(try database.read { try $0.value("SELECT count(*) FROM o.t", as: Int.self) } == 0)
    #expect(try Data(contentsOf: URL(filePath: scratch.path("other.db"))) == before)
    _ = try databaseError { try database.attach(scratch.path("new.db"), as: "new") }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("new.db")))
  }

  @Test(arguments: [true, false], [true, false])
  func `a name without a file means the first file that has it now`(isFile: Bool, byOther: Bool) throws {
    let path = scratch.path("named.db")
    let other = try Database(path: path)
    try other.write { try $0.execute("CREATE TABLE main.any(x)") }
    let database = try isFile ? Database(path: path) : Database.inMemory()
    try Database(path: scratch.path("earlier.db")).write { try $0.execute("CREATE TABLE any(x)") }
    try database.attach(scratch.path("earlier.db"), as: "earlier")
    try database.attach(scratch.path("other.db"), as: "o")
    try database.write { try $0.execute("CREATE TABLE o.note(x)") }
    func write() throws { try database.write { try $0.execute("INSERT INTO note VALUES (1)") } }
    func count() throws -> Int? { try database.read { try $0.value("SELECT count(*) FROM note") } }
    try write()
    #expect(try count() == 1)
    for (number, file) in ["earlier", "main"].enumerated() where isFile || !byOther || file == "earlier" {
      let create: SQL = "CREATE TABLE main.note(x)"
      if byOther {
        let other = try file == "main" ? other : Database(path: scratch.path("earlier.db"))
        try other.write { try $0.execute(create) }
      } else {
        try database.write { c in
          try c.execute("INSERT INTO note VALUES (1)")
          try c.execute("CREATE TABLE \(raw: file).note(x)")
          // The same text as in the other write.
          try c.execute("INSERT INTO note VALUES (1)")
          #expect(try c.value("SELECT count(*) FROM \(raw: file).note", as: Int.self) == 1, "\(number)")
          try c.execute("DELETE FROM note")
        }
      }
      #expect(try count() == 0)
      try write()
      #expect(try count() == 1)
      #expect(try database.write { try $0.value("SELECT count(*) FROM \(raw: file).note", as: Int.self) } == 1)
    }
  }

  @Test func `the main file can't be attached, whatever its path`() throws {
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    try FileManager.default.createSymbolicLink(atPath: scratch.path("link.db"), withDestinationPath: "test.db")
    try FileManager.default.linkItem(atPath: scratch.path(), toPath: scratch.path("hard.db"))
    for name in ["test.db", "link.db", "hard.db", "../\(scratch.root.lastPathComponent)/./test.db"] {
      let error = try databaseError { try database.attach(scratch.path(name), as: "o") }
      #expect(error.code == .misuse && error.message.contains("the file of this database itself"), "\(error)")
    }
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
  }

  @Test func `a refused attachment leaves no new file`() throws {
    let database = try attached()
    let before = try scratch.files()
    for name in ["o", "O", "main", "temp"] {
      let error = try databaseError { try database.attach(scratch.path("new.db"), as: name) }
      #expect(error.message.contains("already in use"), "\(error)")
    }
    _ = try databaseError { try database.write { _ in try database.attach(scratch.path("new.db"), as: "new") } }
    #expect(try scratch.files() == before)
    for index in 1..<10 { try database.attach(scratch.path("\(index).db"), as: "a\(index)") }
    let full = try scratch.files()
    let error = try databaseError { try database.attach(scratch.path("new.db"), as: "new") }
    #expect(error.message.contains("10"), "\(error)")
    #expect(try scratch.files() == full)
    let long = scratch.path(String(repeating: "n", count: 250))
    _ = try databaseError { try database.attach(long, as: "long") }
    try database.close()
    _ = try databaseError { try database.attach(scratch.path("new.db"), as: "new") }
    #expect(try scratch.files().filter { $0.hasPrefix("n") } == [])
  }

  @Test func `a file that is not a database is refused by name`() throws {
    try "text, and no database at all".write(toFile: scratch.path("text"), atomically: true, encoding: .utf8)
    let database = try scratch.database()
    let error = try databaseError { try database.attach(scratch.path("text"), as: "o") }
    #expect(error.code == .notADatabase && error.message.contains(scratch.path("text")), "\(error)")
    try database.attach(scratch.path("other.db"), as: "o")
  }

  @Test func `a foreign key of an attached file is named, at once and at the commit`() throws {
    for database in [try attached(), try Database.inMemory()] {
      if database.path == nil { try database.attach(scratch.path("memory.db"), as: "o") }
      try database.write { c in
        try c.executeScript(
          """
          CREATE TABLE o.box(id INTEGER PRIMARY KEY);
          CREATE TABLE o.part(id INTEGER PRIMARY KEY, box REFERENCES box(id),
            later REFERENCES box(id) DEFERRABLE INITIALLY DEFERRED);
          CREATE TABLE main.part(id INTEGER PRIMARY KEY, other REFERENCES part(id));
          INSERT INTO o.box VALUES (1); INSERT INTO o.part VALUES (1, 1, NULL);
          """)
      }
      for (sql, column) in [
        ("INSERT INTO o.part(box) VALUES (7)", "part.box"), ("DELETE FROM o.box", "part.box"),
      ] as [(SQL, String)] {
        let error = try databaseError { try database.write { try $0.execute(sql) } }
        #expect(error.extendedCode == .constraintForeignKey && error.columns.contains(column), "\(error)")
        #expect(error.message.contains("\(column) ") && !error.columns.contains("part.other"), "\(error)")
      }
      let late = try databaseError { try database.write { try $0.execute("INSERT INTO o.part(later) VALUES (7)") } }
      #expect(late.message.hasSuffix("at COMMIT: row 2 of o.part refers to no row of box"), "\(late)")
    }
  }

  @Test func `migrations and the check find references to missing rows in an attached file`() throws {
    let database = try attached()
    let tables = Migration(
      "1", sql: "CREATE TABLE o.box(id INTEGER PRIMARY KEY); CREATE TABLE o.part(box REFERENCES box(id))")
    try database.migrate([tables])
    let broken = Migration("2", sql: "INSERT INTO o.part VALUES (7)")
    let error = try databaseError { try database.migrate([tables, broken]) }
    #expect(error.extendedCode == .constraintForeignKey && error.message.contains("o.part"), "\(error)")
    #expect(try database.integrityCheck() == [])
    try RawDatabase(path: scratch.path("other.db")).execute("INSERT INTO part VALUES (8)")
    #expect(try database.integrityCheck() == ["row 1 of o.part refers to no row of box"])
    // What was there before is no obstacle.
    try database.migrate([tables, Migration("2", sql: "ALTER TABLE o.part ADD COLUMN note")])
  }

  @Test(arguments: ["a.b", ".", "", "a\0b"]) func `an invalid name for an attached file is refused`(name: String)
    throws
  {
    let database = try scratch.database()
    let error = try databaseError { try database.attach(scratch.path("other.db"), as: name) }
    #expect(error.code == .misuse, "\(error)")
    #expect(try scratch.files().filter { $0.hasPrefix("other") } == [])
  }

  @Test func `commits of others to a file that is attached to a database in memory are reported`() throws {
    let database = try Database.inMemory()
    let path = scratch.path("other.db")
    let observed = Box<[String]>([])
    let observation = database.observe(["o.t", "u"]) { commit in
      observed.change { $0.append(contentsOf: commit.changes.keys.sorted()) }
    }
    defer { observation.cancel() }
    // Another observer's tables and spellings are not this one's.
    let others = Box<[String]>([])
    let second = database.observe(["O.T", "v"]) { commit in
      others.change { $0.append(contentsOf: commit.changes.keys.sorted()) }
    }
    defer { second.cancel() }
    try database.attach(path, as: "o")
    try database.write { try $0.executeScript("CREATE TABLE o.t(id INTEGER PRIMARY KEY); CREATE TABLE u(a)") }
    try database.catchUp()
    observed.change { $0 = [] }
    let other = try RawDatabase(path: path)
    for number in 1...3 {
      try other.execute("INSERT INTO t VALUES (\(number))")
      try database.catchUp()
      #expect(observed.value == Array(repeating: "o.t", count: number))
    }
    #expect(Set(others.value).isSubset(of: ["O.T", "v"]) && others.value.contains("O.T"))
    // Without a call of ours, by the watch.
    try other.execute("INSERT INTO t VALUES (4)")
    #expect(waits { observed.value.count >= 4 })
    try database.write { try $0.execute("INSERT INTO u VALUES (1)") }
    try database.catchUp()
    #expect(observed.value.last == "u")
    try database.detach("o")
    try database.attach(path, as: "o")
    try database.catchUp()
    let count = observed.value.count
    try other.execute("INSERT INTO t VALUES (5)")
    #expect(waits { observed.value.count > count })
  }
}
