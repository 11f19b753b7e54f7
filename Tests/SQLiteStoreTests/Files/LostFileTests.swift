import FetchedResultsSupport
import Foundation
import Synchronization
import Testing

@testable import SQLiteStore

/// Files that are removed, renamed or replaced while they are open.
@Suite struct LostFileTests {
  enum Loss: CaseIterable { case removed, renamed, replaced, linked }

  private func lose(_ path: String, _ loss: Loss) throws {
    switch loss {
    case .removed: for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    case .renamed: try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    case .linked:
      try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".old")
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

  @Test func `a thread that saw the file just before it was lost doesn't make it seem to be back`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    let reports = Box(0)
    let observation = database.observe(["t"]) { _ in reports.change { $0 += 1 } }
    defer { observation.cancel() }
    try FileManager.default.moveItem(atPath: scratch.path(), toPath: scratch.path("away.db"))
    #expect(waits { reports.value == 1 })
    // What that thread notes late.
    database.filesSeen.store(MonotonicClock.now(), ordering: .relaxed)
    _ = try databaseError { try database.write { _ = try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(throws: DatabaseError.self) { try database.catchUp() }
    #expect(reports.value == 1)
  }

  @Test func `a file that is removed after its database was closed is no news`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    try database.close()
    try lose(scratch.path(), .removed)
    let error = try databaseError { try database.read { try $0.values("SELECT x FROM t", as: Int.self) } }
    #expect(error.message.contains("closed"))
  }
}
