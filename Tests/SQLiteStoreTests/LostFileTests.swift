import Foundation
import Testing

@testable import SQLiteStore

/// Files that are removed, renamed or replaced while they are open.
@Suite struct LostFileTests {
  enum Loss: CaseIterable { case removed, renamed, replaced }

  private func lose(_ path: String, _ loss: Loss) throws {
    switch loss {
    case .removed: for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    case .renamed: try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    case .replaced:
      let other = try Database(path: path + ".new", options: .fast)
      try other.write { _ = try $0.executeScript("CREATE TABLE t(x); INSERT INTO t VALUES ('another file')") }
      try other.close()
      try #require(rename(path + ".new", path) == 0)
    }
    Self.pass()
  }

  /// Lets the time pass in which the files still count as seen.
  private static func pass() { Thread.sleep(forTimeInterval: 0.003) }

  @Test(arguments: Loss.allCases, [Database.Options.Journal.wal, .delete])
  func `nothing is written to a file that is not there any more, or read from another one`(
    _ loss: Loss, _ journal: Database.Options.Journal
  ) throws {
    let scratch = try Scratch()
    let database = try scratch.database(options: .fast.with { $0.journal = journal })
    let path = scratch.path()
    try database.write { _ = try $0.executeScript("CREATE TABLE t(x); INSERT INTO t VALUES ('kept')") }
    try lose(path, loss)
    for error in [
      try databaseError { try database.write { _ = try $0.execute("INSERT INTO t VALUES ('lost')") } },
      try databaseError { try database.read { try $0.values("SELECT x FROM t", as: String.self) } },
      try databaseError { try database.vacuum() },
      try databaseError { try database.migrate([Migration("one") { _ = try $0.execute("CREATE TABLE u(x)") }]) },
    ] {
      #expect(error.extendedCode == .readOnlyFileMoved, "\(error)")
      #expect(error.message.contains("removed, renamed or replaced"), "\(error)")
    }
    // A copy could mix the two files, as their programs share a log.
    #expect(try databaseError { try database.backup(to: scratch.path("saved.db")) }.code == .readOnly)
  }

  @Test func `a file that is given its name back is used again`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    try FileManager.default.moveItem(atPath: scratch.path(), toPath: scratch.path("away.db"))
    Self.pass()
    _ = try databaseError { try database.write { _ = try $0.execute("INSERT INTO t VALUES (1)") } }
    try FileManager.default.moveItem(atPath: scratch.path("away.db"), toPath: scratch.path())
    try database.write { _ = try $0.execute("INSERT INTO t VALUES (2)") }
    #expect(try database.read { try $0.values("SELECT x FROM t", as: Int.self) } == [2])
  }

  @Test func `a connection that is opened after the file was replaced doesn't read the new one`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { _ = try $0.executeScript("CREATE TABLE t(x); INSERT INTO t VALUES ('kept')") }
    try lose(scratch.path(), .replaced)
    // A list reads without looking at the file each time.
    let error = try databaseError {
      try database.readForList(Connection.uncancellable) { try $0.values("SELECT x FROM t", as: String.self) }
    }
    #expect(error.extendedCode == .readOnlyFileMoved)
  }

  @Test func `a write that began before the file was removed fails`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    let error = try databaseError {
      try database.write {
        _ = try $0.execute("INSERT INTO t VALUES (1)")
        try FileManager.default.removeItem(atPath: scratch.path())
        Self.pass()
      }
    }
    #expect(error.extendedCode == .readOnlyFileMoved)
  }

  @Test(arguments: [true, false]) func `an attached file is noticed too`(_ isInMemory: Bool) throws {
    let scratch = try Scratch()
    let database = try isInMemory ? Database.inMemory() : scratch.database()
    try database.attach(scratch.path("other.db"), as: "other")
    try database.write { try $0.execute("CREATE TABLE other.t(x)") }
    try lose(scratch.path("other.db"), .replaced)
    let error = try databaseError { try database.write { _ = try $0.execute("INSERT INTO other.t VALUES (1)") } }
    #expect(error.extendedCode == .readOnlyFileMoved)
    #expect(error.message.contains("other.db"))
    _ = try databaseError { try database.read { try $0.values("SELECT x FROM other.t", as: Int.self) } }
    // Without it everything works.
    try database.detach("other")
    try database.write { try $0.execute("CREATE TABLE t(x)") }
  }

  enum Use: CaseIterable { case nothing, write, read, backup, look, checkpoint }

  /// Programs that have opened the new file share the log that was beside the old one.
  @Test(arguments: Use.allCases, [true, false])
  func `closing leaves the commits of those who use the file in its place`(_ use: Use, isObserved: Bool) throws {
    // A connection of this process would share locks with the lost one, so this needs SQLite's shell.
    guard FileManager.default.isExecutableFile(atPath: Shell.path) else { return }
    let scratch = try Scratch()
    var old: Database? = try scratch.database()
    try old?.write { try $0.execute("CREATE TABLE t(x)") }
    try old?.checkpoint()
    let observation = isObserved ? old?.observe(["t"]) { _ in } : nil
    try lose(scratch.path(), .replaced)
    let script = "PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES ('new 1'); INSERT INTO t VALUES ('new 2');"
    let other = try Shell(scratch.path())
    try other.run(script)
    switch use {
    case .nothing: break
    case .write: _ = try? old?.write { _ = try $0.execute("INSERT INTO t VALUES ('lost')") }
    case .read: _ = try? old?.read { try $0.values("SELECT x FROM t", as: String.self) }
    case .backup: _ = try? old?.backup(to: scratch.path("saved.db"))
    case .look: _ = try? old?.catchUp()
    case .checkpoint: _ = try? old?.checkpoint()
    }
    try old?.close()
    observation?.cancel()
    old = nil
    try other.run("INSERT INTO t VALUES ('new 3');")
    try other.end()
    let after = try scratch.database()
    #expect(
      try after.read { try $0.values("SELECT x FROM t", as: String.self) }
        == ["another file", "new 1", "new 2", "new 3"])
    #expect(try after.integrityCheck().isEmpty)
  }

  @Test func `observers learn that the file is gone, and that it is back`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    let commits = Box(0)
    let observation = database.observe(["t"]) { _ in commits.change { $0 += 1 } }
    defer { observation.cancel() }
    for round in 1...2 {
      try FileManager.default.moveItem(atPath: scratch.path(), toPath: scratch.path("away.db"))
      #expect(waits { commits.value == round * 2 - 1 })
      try FileManager.default.moveItem(atPath: scratch.path("away.db"), toPath: scratch.path())
      #expect(waits { commits.value == round * 2 })
    }
  }
}

/// SQLite's shell as another process, which keeps a file open.
private final class Shell {
  static let path = "/usr/bin/sqlite3"
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ file: String) throws {
    process.executableURL = URL(filePath: Self.path)
    process.arguments = ["-batch", file]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Runs statements, and returns when they have been run.
  func run(_ sql: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n.print done\n").utf8))
    var text = ""
    while !text.contains("done") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    #expect(text.contains("done"))
  }

  func end() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
