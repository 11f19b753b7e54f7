import FetchedResults
import FixtureSupport
import Foundation
import Testing
import TodoCore

/// A list stays as it was while its database can't be read, reports why, and recovers by itself.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RecoveryTests {
  @Test func `a check of a file says that the disk has failed, and not that the file is damaged`() throws {
    let files = try FaultyFiles()
    let database = try Database(path: try TemporaryFolder.make() + "/todo.db", options: files.options(.delete))
    try database.write { c in
      try c.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY, v); CREATE INDEX t_v ON t(v)")
      for number in 0..<3000 { try c.execute("INSERT INTO t(v) VALUES (\("text number \(number)"))") }
    }
    var failed = 0
    for nth in 1...1000 as ClosedRange<Int64> {
      // A reader that has nothing in its cache.
      let fresh = try Database(path: try #require(database.path), options: files.options(.delete))
      files.arm(.short, at: nth, lasting: 1, of: .read, seed: UInt64(nth))
      do {
        let problems = try fresh.integrityCheck()
        #expect(problems.isEmpty, "at read \(nth): \(problems)")
      } catch let error as DatabaseError {
        #expect(error.code == .ioError, "at read \(nth): \(error)")
        failed += 1
      }
      let hasFired = files.fired > 0
      files.disarm()
      try fresh.close()
      if !hasFired { break }
    }
    #expect(failed > 20)
  }

  @Test(arguments: [Database.Options.Journal.wal, .delete])
  func `lists keep their last good state and recover with one update`(journal: Database.Options.Journal) async throws {
    for fault in [Fault.inputOutput, .short] {
      let files = try FaultyFiles()
      let path = try TemporaryFolder.make() + "/todo.db"
      let store = try TodoStore.open(DatabaseLocation(path: path), files.options(journal))
      try await Self.add("Milk", to: store)
      let follow = Follow(try store.controller(ListQuery(.list)))
      try follow.fetch()
      try await follow.settle()
      // Other connections than the writer's can't read any more.
      files.arm(
        fault, at: 1, lasting: .max, of: [.read, .lock, .sharedMemory], suffix: "todo.db", readersOnly: true)
      for title in ["Rent", "Shoes", "Bread"] { try await Self.add(title, to: store) }
      await #expect { try await follow.settle() } throws: { error in
        (error as? DatabaseError).map { $0.code == .ioError || $0.code == .cantOpen } ?? false
      }
      #expect(follow.itemCount == 1)
      #expect(follow.updateCount == 0)
      #expect(follow.lastError is DatabaseError)
      // The delegate is called after the waiters.
      while follow.errors.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      #expect(follow.errors.count == 1, "\(follow.errors)")
      files.disarm()
      try await follow.settle()
      #expect(follow.itemCount == 4)
      #expect(follow.updateCount == 1)
      try follow.check(against: store.database)
      try store.close()
    }
  }

  @Test(arguments: [Database.Options.Journal.wal, .delete])
  func `a read that an I/O error has ended reads nothing more, even if the error is caught`(
    journal: Database.Options.Journal
  ) throws {
    let files = try FaultyFiles()
    let database = try Database(path: TemporaryFolder.make() + "/read.db", options: files.options(journal))
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, text);
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT i, hex(zeroblob(2000)) FROM n
        """)
    }
    var errors: [DatabaseError] = []
    func failing(_ body: () throws -> Void) {
      do { try body() } catch { (error as? DatabaseError).map { errors.append($0) } }
    }
    failing {
      try database.read { c in
        _ = try c.value("SELECT text FROM t WHERE id = 1", as: String.self)
        files.arm(.inputOutput, at: 1, lasting: .max, of: .read, readersOnly: true)
        failing { _ = try c.value("SELECT count(*) FROM t WHERE length(text) > 1", as: Int.self) }
        files.disarm()
        failing { _ = try c.value("SELECT 1", as: Int.self) }
      }
    }
    try #require(errors.count == 3)
    #expect(errors[1].code == .ioError && errors[1].message.contains("has ended this read"), "\(errors[1])")
    #expect(errors[2] == errors[1])
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 200)
  }

  @Test func `a first start that is interrupted anywhere leaves a file that the next one opens`() throws {
    for nth in 1...90 {
      let files = try FaultyFiles()
      let path = try TemporaryFolder.make() + "/todo.db"
      // Nothing can be tidied up either, as when the program is killed.
      files.arm(.inputOutput, at: Int64(nth), lasting: .max)
      _ = try? TodoStore.open(DatabaseLocation(path: path), files.options(.wal))
      do {
        try TodoStore.openToRead(DatabaseLocation(path: path))?.close()
        try TodoStore.open(DatabaseLocation(path: path)).close()
      } catch {
        Issue.record("cut off at call \(nth): \(error)")
      }
      _ = try RawDatabase.whole(path)
    }
  }

  private static func add(_ title: String, to store: TodoStore) async throws {
    _ = try store.add(ItemDraft(title: title))
  }
}
