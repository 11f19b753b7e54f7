import Foundation
import SQLiteStore
import Testing

/// Names as long as the file system takes them, and longer.
@Suite struct LongNameTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private func name(_ count: Int) -> String { String(repeating: "é", count: count / 2) + (count % 2 == 0 ? "" : "n") }

  @Test(arguments: [200, 234, 235, 243, 244, 246, 247], [Database.Options.Journal.wal, .delete])
  func `a name may be as long as SQLite allows`(count: Int, journal: Database.Options.Journal) throws {
    let options = Database.Options.fast.with { $0.journal = journal }
    let database = try scratch.database(name(count), options: options)
    try database.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    #expect(try database.read { try $0.value("SELECT a FROM t", as: Int.self) } == 1)
    let other = scratch.path("o" + name(count - 1))
    if journal == .delete, count > 243 {
      // For a commit to several files SQLite keeps one more beside the main file, whose name is the longest.
      let error = try databaseError { try database.attach(other, as: "o") }
      #expect(error.message.contains("\(count) bytes") && error.message.contains("243 at most"), "\(error)")
    } else {
      try database.attach(other, as: "o")
      try database.write { try $0.executeScript("CREATE TABLE o.t(a); INSERT INTO t VALUES (2)") }
    }
    try database.close()
    #expect(try scratch.files().first == name(count) || scratch.files().first == "o" + name(count - 1))
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(name(count)))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: [248, 251, 252, 255, 256, 300]) func `a longer name is refused with the limit, and no file is left`(
    count: Int
  ) throws {
    for journal in [Database.Options.Journal.wal, .delete] {
      let error = try databaseError {
        try scratch.database(name(count), options: .fast.with { $0.journal = journal })
      }
      #expect(error.code == .cantOpen && error.message.contains("\(count) bytes"), "\(error)")
      #expect(error.message.contains(count > 251 ? "-wal" : "247 at most"), "\(error)")
      #expect(error.message.contains("names of 255 bytes"), "\(error)")
    }
    #expect(try scratch.files() == [])
  }

  @Test func `a file with a log may have the longest name that leaves room for the log's`() throws {
    try scratch.database("short").write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    try FileManager.default.moveItem(atPath: scratch.path("short"), toPath: scratch.path(name(251)))
    let database = try scratch.database(name(251))
    try database.write { try $0.execute("INSERT INTO t VALUES (2)") }
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 2)
    try database.close()
    _ = try databaseError { try scratch.database(name(251), options: .fast.with { $0.journal = .delete }) }
    try FileManager.default.moveItem(atPath: scratch.path(name(251)), toPath: scratch.path(name(252)))
    let error = try databaseError { try scratch.database(name(252)) }
    #expect(error.message.contains("251 at most") && error.message.contains("-wal"), "\(error)")
  }

  @Test(arguments: [229, 230, 240, 247]) func `a backup's name may be as long as a database's`(count: Int) throws {
    let database = try scratch.database()
    try database.write { try $0.executeScript("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    try database.backup(to: scratch.path(name(count)))
    try database.backup(to: scratch.path(name(count)), replacing: true)
    #expect(try scratch.database(name(count)).read { try $0.value("SELECT a FROM t", as: Int.self) } == 1)
    let before = try scratch.files()
    let error = try databaseError { try database.backup(to: scratch.path("x" + name(247))) }
    #expect(error.message.contains("248 bytes") && error.message.contains("247 at most"), "\(error)")
    #expect(try scratch.files() == before)
  }

  @Test func `a link with a long name leads to a file with a short one`() throws {
    try FileManager.default.createSymbolicLink(atPath: scratch.path(name(255)), withDestinationPath: "short.db")
    try scratch.database(name(255)).write { try $0.execute("CREATE TABLE t(a)") }
    #expect(try scratch.database("short.db").read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
  }

  @Test func `a path that is too long leaves no file`() throws {
    var folder = scratch.root
    while folder.path.utf8.count < 400 {
      folder.append(path: String(repeating: "x", count: min(100, 449 - folder.path.utf8.count)))
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let room = 504 - folder.path.utf8.count - 1
    let fits = folder.appending(path: String(repeating: "y", count: room)).path
    let long = folder.appending(path: String(repeating: "z", count: room + 1)).path
    try Database(path: fits, options: .fast).write { try $0.execute("CREATE TABLE t(a)") }
    let error = try databaseError { try Database(path: long, options: .fast) }
    #expect(error.message.contains("505 bytes") && error.message.contains("504 at most"), "\(error)")
    #expect(!FileManager.default.fileExists(atPath: long))
    let database = try scratch.database()
    _ = try databaseError { try database.attach(long, as: "o") }
    #expect(!FileManager.default.fileExists(atPath: long))
    // A link is as long as what it leads to.
    try FileManager.default.createSymbolicLink(atPath: scratch.path("link"), withDestinationPath: long)
    _ = try databaseError { try scratch.database("link") }
    #expect(!FileManager.default.fileExists(atPath: long))
  }

  @Test func `leftovers of a killed program with a long name are removed by the next one`() throws {
    let long = name(240)
    // No process has so high a number.
    func left(_ process: Int32) throws -> String {
      let path = StaleFiles.path(beside: scratch.path(long), ".new-")
      let own = "\(ProcessInfo.processInfo.processIdentifier)-"
      let other = path.replacing(".new-" + own, with: ".new-\(process)-")
      try Data().write(to: URL(fileURLWithPath: other))
      let hourAgo = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3600)]
      try FileManager.default.setAttributes(hourAgo, ofItemAtPath: other)
      return other
    }
    let (dead, running) = (try left(99_999_999), try left(ProcessInfo.processInfo.processIdentifier))
    _ = try scratch.database(long)
    #expect([dead, running].map(FileManager.default.fileExists) == [false, true])
  }
}
