import CFetchedResultsSQLite
import FetchedResultsSupport
import FixtureSupport
import Foundation
import Testing

@testable import SQLiteStore

/// The write-ahead log stays short, whatever reads are running.
@Suite(.timeLimit(.minutes(10))) struct LogKeeperTests {
  let scratch: Scratch
  let database: Database

  init() throws {
    scratch = try Scratch()
    // Others may have the processors.
    database = try scratch.database(options: .fast.with { $0.patienceWithReads = .seconds(10) })
    try database.write { c in
      try c.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
      for id in 1...100 { try c.execute("INSERT INTO item VALUES (\(id), 0)") }
    }
    try database.checkpoint()
  }

  private var logPages: Int {
    let size = try? FileManager.default.attributesOfItem(atPath: scratch.path("test.db-wal"))[.size] as? Int
    return (size ?? 0) / 4096
  }

  /// So many commits of one page each.
  private static func write(_ commits: Int, _ database: Database) throws {
    for index in 0..<commits {
      _ = try database.write { try $0.execute("UPDATE item SET value = value + 1 WHERE id = \(index % 100 + 1)") }
    }
  }

  private static func writeElsewhere(_ commits: Int, _ database: Database) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread { continuation.resume(with: Result { try write(commits, database) }) }.start()
    }
  }

  @Test func `the log restarts after a thousand pages if nobody reads`() throws {
    try Self.write(5000, database)
    #expect(logPages <= 1100)
  }

  @Test func `the log stays short while somebody always reads`() async throws {
    let left = Box(3)
    let isWriting = Box(true)
    for index in 0..<3 {
      let database = database
      Thread {
        // Never all three between two reads.
        MonotonicClock.sleep(microseconds: index * 200)
        do {
          while isWriting.value {
            try database.read { c in
              let before = try c.value("SELECT sum(value) FROM item", as: Int.self)
              MonotonicClock.sleep(microseconds: 600)
              let after = try c.value("SELECT sum(value) FROM item", as: Int.self)
              #expect(after == before)
            }
          }
        } catch { Issue.record(error) }
        left.change { $0 -= 1 }
      }.start()
    }
    let database = database
    let written: Int = try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(
          with: Result {
            defer { isWriting.change { $0 = false } }
            try Self.write(25_000, database)
            return try database.read { try $0.value("SELECT sum(value) FROM item", as: Int.self) ?? 0 }
          })
      }.start()
    }
    while left.value > 0 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(written == 25_000)
    // Left to SQLite it has all 25,000.
    #expect(logPages < 6000, "the log has \(logPages) pages")
  }

  @Test func `the writer doesn't wait for a long read, which keeps its state`() async throws {
    try database.close()
    let database = try scratch.database(options: .fast.with { $0.patienceWithReads = .milliseconds(1) })
    let (hasBegun, mayEnd) = (Box(false), Box(false))
    async let sums: [Int?] = try withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(
          with: Result {
            try database.read { c in
              let before = try c.value("SELECT sum(value) FROM item", as: Int.self)
              hasBegun.change { $0 = true }
              while !mayEnd.value { MonotonicClock.sleep(microseconds: 100) }
              return [before, try c.value("SELECT sum(value) FROM item", as: Int.self)]
            }
          })
      }.start()
    }
    while !hasBegun.value { try await Task.sleep(for: .milliseconds(1)) }
    try await Self.writeElsewhere(9000, database)
    #expect(logPages >= 9000)
    mayEnd.change { $0 = true }
    #expect(try await sums == [0, 0])
    // And after it has ended the log restarts.
    let pages = logPages
    try await Self.writeElsewhere(3000, database)
    #expect(logPages <= pages + 1100)
  }

  @Test func `quick reads are waited for and no others`() throws {
    let pool = try #require(database.readers)
    let (isHeld, mayEnd, isOver) = (Box(false), Box(false), Box(false))
    let database = database
    Thread {
      try? database.read { _ in
        isHeld.change { $0 = true }
        while !mayEnd.value { MonotonicClock.sleep(microseconds: 100) }
      }
      isOver.change { $0 = true }
    }.start()
    while !isHeld.value { MonotonicClock.sleep(microseconds: 50) }
    let moment = MonotonicClock.now()
    #expect(!pool.awaitReads(begunBefore: moment, for: 1000))
    #expect(!pool.awaitReads(begunBefore: moment, for: 3_000_000))
    Thread {
      MonotonicClock.sleep(microseconds: 2000)
      mayEnd.change { $0 = true }
    }.start()
    #expect(pool.awaitReads(begunBefore: moment, for: 20_000_000_000))
    while !isOver.value { MonotonicClock.sleep(microseconds: 50) }
    try database.read { _ in
      // One that begins later is none of those, and one of this thread would never end.
      #expect(pool.awaitReads(begunBefore: moment, for: 1_000_000_000))
      let began = MonotonicClock.now()
      #expect(!pool.awaitReads(begunBefore: began, for: 60_000_000_000))
      let count = try database.readForList(Connection.uncancellable) {
        try $0.value("SELECT count(*) FROM item", as: Int.self)
      }
      #expect(count == 100)
    }
  }

  @Test func `a write within a read waits for no read`() throws {
    try database.read { c in
      let before = try c.value("SELECT sum(value) FROM item", as: Int.self)
      try Self.write(5000, database)
      #expect(before == 0)
      #expect(try c.value("SELECT sum(value) FROM item", as: Int.self) == 0)
    }
    try Self.write(1500, database)
    #expect(logPages <= 6100)
  }

  @Test func `the log restarts between migrations`() throws {
    let migrations = (0..<8).map { number in
      Migration("\(number)") { connection in
        try connection.execute("CREATE TABLE bulk_\(raw: "\(number)")(content)")
        try connection.execute("INSERT INTO bulk_\(raw: "\(number)") VALUES (zeroblob(6000000))")
      }
    }
    try database.migrate(migrations)
    #expect(logPages < 3500, "the log has \(logPages) pages")
  }

  @Test func `the log of an attached file restarts too`() throws {
    let other = try scratch.database("other.db")
    try other.write { try $0.execute("CREATE TABLE thing(value INTEGER NOT NULL)") }
    try other.close()
    try database.withWriter("attach") { c in
      try c.runInternal("ATTACH ?1 AS other", [.text(scratch.path("other.db"))])
      for number in 0..<4000 { try c.execute("INSERT INTO other.thing VALUES (\(number))") }
    }
    let size = try FileManager.default.attributesOfItem(atPath: scratch.path("other.db-wal"))[.size] as? Int ?? 0
    #expect(size / 4096 <= 1100)
  }

  /// The memory that SQLite uses for the schema.
  private func schemaSize(of connection: Connection) -> Int32 {
    var (size, highest) = (Int32(0), Int32(0))
    sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_SCHEMA_USED, &size, &highest, 0)
    return size
  }
}
