import FixtureSupport
import Foundation
import Testing

@testable import SQLiteStore

/// The write-ahead log stays short, whoever reads.
@Suite(.timeLimit(.minutes(2))) struct LogKeeperTests {
  let scratch: Scratch
  let database: Database

  init() throws {
    scratch = try Scratch()
    database = try scratch.database()
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

  @Test func theLogBeginsAnewAfterAThousandPagesWhereNobodyReads() throws {
    try Self.write(5000, database)
    #expect(logPages <= 1100)
  }

  @Test func theLogStaysShortWhileSomebodyAlwaysReads() async throws {
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
    #expect(logPages < 12_000, "the log has \(logPages) pages")
  }

  @Test func aReadThatTakesLongIsNotWaitedForAndKeepsItsState() throws {
    try database.read { c in
      #expect(try c.value("SELECT sum(value) FROM item", as: Int.self) == 0)
      let took = try ContinuousClock().measure { try Self.write(9000, database) }
      #expect(try c.value("SELECT sum(value) FROM item", as: Int.self) == 0)
      #expect(took < .seconds(60))
    }
    // And once it is over the log begins anew.
    let pages = logPages
    try Self.write(3000, database)
    #expect(logPages <= pages + 1100)
  }

  @Test func readsThatAreHeldBackGoOnWhenTheyMay() async throws {
    let pool = try #require(database.readers)
    let isHeld = Box(false)
    let order = Box<[String]>([])
    let database = database
    // A read is under way, which ends as others are being held back; and one comes meanwhile.
    let first = Thread {
      try? database.read { _ in
        isHeld.change { $0 = true }
        MonotonicClock.sleep(microseconds: 2000)
        order.change { $0.append("first") }
      }
    }
    first.start()
    while !isHeld.value { MonotonicClock.sleep(microseconds: 50) }
    let late = Box(false)
    pool.withoutReads(waiting: 10_000_000_000) {
      Thread {
        try? database.read { _ in order.change { $0.append("late") } }
        late.change { $0 = true }
      }.start()
      MonotonicClock.sleep(microseconds: 20_000)
      order.change { $0.append("alone") }
    }
    while !late.value { try await Task.sleep(for: .milliseconds(1)) }
    #expect(order.value == ["first", "alone", "late"])
  }

  @Test func aReadWithinAReadAndOneThatIsSlowAreNotHeldBack() throws {
    let pool = try #require(database.readers)
    try database.read { _ in
      MonotonicClock.sleep(microseconds: 2000)
      // It has taken longer than that already.
      pool.withoutReads(waiting: 1_000_000) { Issue.record("somebody reads") }
      // It is waited for, and can't end.
      pool.withoutReads(waiting: 20_000_000) { Issue.record("somebody reads") }
      let count = try database.readAnew { try $0.value("SELECT count(*) FROM item", as: Int.self) }
      #expect(count == 100)
    }
    #expect(try database.read { try $0.value("SELECT count(*) FROM item", as: Int.self) } == 100)
  }

  @Test func theLogOfAnAttachedFileBeginsAnewToo() throws {
    let other = try scratch.database("other.db")
    try other.write { try $0.execute("CREATE TABLE thing(value INTEGER NOT NULL)") }
    try other.close()
    try database.withWriter { c in
      try c.execute("ATTACH \(scratch.path("other.db")) AS other")
      for number in 0..<4000 { try c.execute("INSERT INTO other.thing VALUES (\(number))") }
    }
    let size = try FileManager.default.attributesOfItem(atPath: scratch.path("other.db-wal"))[.size] as? Int ?? 0
    #expect(size / 4096 <= 1100)
  }
}
