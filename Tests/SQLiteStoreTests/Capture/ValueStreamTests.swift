import FixtureSupport
import Foundation
import Testing

@testable import SQLiteStore

/// Values that are read again when a commit may have changed them.
@Suite(.timeLimit(.minutes(2))) struct ValueStreamTests {
  private let scratch: Scratch
  private let database: Database

  init() throws {
    scratch = try Scratch()
    database = try scratch.database()
    try database.write {
      try $0.executeScript(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, done INTEGER NOT NULL);
        CREATE TABLE other(id INTEGER PRIMARY KEY);
        CREATE VIEW open AS SELECT id FROM item WHERE NOT done;
        """)
    }
  }

  private func insert(done: Bool = false) throws {
    try database.write { try $0.execute("INSERT INTO item(done) VALUES (\(done))") }
  }

  @Test(arguments: ["SELECT count(*) FROM item WHERE NOT done", "SELECT count(*) FROM open"])
  func `a value comes at once, and then each time that it has changed`(sql: String) async throws {
    let reads = Box(0)
    var counts = database.values { c in
      reads.change { $0 += 1 }
      return try c.value(SQL(raw: sql), as: Int.self)
    }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    // A table that is not read does not matter, nor does a value that stays as it is.
    let before = reads.value
    try await database.write { _ = try $0.execute("INSERT INTO other DEFAULT VALUES") }
    try insert(done: true)
    try insert()
    #expect(try await counts.next() == 1)
    #expect(reads.value <= before + 2)
    // What a slow reader has missed is one value.
    for _ in 0..<5 { try insert() }
    #expect(try await counts.next() == 6)
    // Another program's commits count too.
    try await scratch.database().write { _ = try $0.execute("DELETE FROM item WHERE id > 3") }
    #expect(try await counts.next() == 2)
  }

  @Test func `a read that reads other tables later follows those too`() async throws {
    var values = database.values { c in
      guard try c.value("SELECT count(*) FROM item", as: Int.self) == 1 else { return -1 }
      return try c.value("SELECT count(*) FROM other", as: Int.self) ?? 0
    }.makeAsyncIterator()
    #expect(try await values.next() == -1)
    try insert()
    #expect(try await values.next() == 0)
    try await database.write { _ = try $0.execute("INSERT INTO other DEFAULT VALUES") }
    #expect(try await values.next() == 1)
  }

  @Test func `the stream throws what the read throws, and ends with the database and its task`() async throws {
    struct Stop: Error {}
    var failing = database.values { c in
      if try c.value("SELECT count(*) FROM item", as: Int.self) == 1 { throw Stop() }
      return 0
    }.makeAsyncIterator()
    #expect(try await failing.next() == 0)
    try insert()
    await #expect(throws: Stop.self) { try await failing.next() }
    let counts = Box(0)
    func reading() -> Task<Void, any Error> {
      let values = database.values { c in try c.value("SELECT count(*) FROM item", as: Int.self) }
      return Task { for try await _ in values { counts.change { $0 += 1 } } }
    }
    let (cancelled, closed) = (reading(), reading())
    while counts.value < 2 { try await Task.sleep(for: .milliseconds(5)) }
    cancelled.cancel()
    _ = await cancelled.result
    try database.close()
    try await closed.value
    #expect(counts.value == 2)
  }

  @Test func `a database that is closed during a read ends the stream`() async throws {
    let closing = Box(false)
    var values = database.values { [database] c in
      let count = try c.value("SELECT count(*) FROM item", as: Int.self)
      if closing.value {
        Thread.detachNewThread { try? database.close() }
        while !database.wasClosed { Thread.sleep(forTimeInterval: 0.001) }
        throw DatabaseError(code: .interrupt, message: "interrupted")
      }
      return count
    }.makeAsyncIterator()
    _ = try await values.next()
    closing.change { $0 = true }
    try insert()
    #expect(try await values.next() == nil)
  }

  @Test func `no commit is missed, whenever the observation begins`() async throws {
    for _ in 0..<20 {
      let goal = try await database.read { c in try c.value("SELECT count(*) FROM item", as: Int.self) ?? 0 } + 20
      let writing = Task { for _ in 0..<20 { try insert() } }
      for try await count in database.values({ c in try c.value("SELECT count(*) FROM item", as: Int.self) })
      where count == goal { break }
      try await writing.value
    }
  }
}
