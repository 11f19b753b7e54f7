import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Connections and statements that leave the closure that they were passed to, which Swift lets happen without an
/// unsafe word.
@Suite(.timeLimit(.minutes(10))) struct LeftConnectionTests {
  private static func database(_ scratch: Scratch) throws -> Database {
    let database = try scratch.database(options: .fast)
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    return database
  }

  private static func connections(of database: Database) throws -> (Connection, Connection) {
    (try database.write { $0 }, try database.read { $0 })
  }

  private static func statement(of database: Database) throws -> Statement {
    try database.write { try $0.prepare("INSERT INTO t VALUES (?)") }
  }

  private static let message = "the connection was used outside the read or write that it belongs to"

  @Test func `a statement that outlives close leaves no log beside the database`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    let kept = try database.write { c in
      try c.execute("CREATE TABLE t(a)")
      return [try c.prepare("INSERT INTO t VALUES (1)"), try c.prepare("SELECT a FROM t")]
    }
    try database.close()
    #expect(!FileManager.default.fileExists(atPath: scratch.path() + "-wal"))
    for statement in kept {
      #expect(throws: DatabaseError.self) { try statement.run() }
      #expect(statement.columnNames == [] && statement.statistics.runs == 0)
    }
  }

  @Test func `a connection kept after its closure throws on another thread while its owner writes`() throws {
    let scratch = try Scratch()
    let database = try Self.database(scratch)
    let kept = try database.write { $0 }
    let begun = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let writer = Thread {
      try? database.write { connection in
        begun.signal()
        done.wait()
        try connection.execute("INSERT INTO t VALUES (1)")
      }
      begun.signal()
    }
    writer.start()
    begun.wait()
    #expect(try databaseError { try kept.execute("INSERT INTO t VALUES (2)") }.message == Self.message)
    #expect(try databaseError { try kept.executeScript("INSERT INTO t VALUES (3)") }.message == Self.message)
    #expect(try databaseError { try kept.savepoint {} }.message == Self.message)
    #expect(try databaseError { try kept.withUnsafeHandle { _ in } }.message == Self.message)
    #expect(try databaseError { _ = try kept.prepare("SELECT 1") }.message == Self.message)
    #expect(!kept.isInTransaction && kept.lastInsertedRowID == 0 && kept.changesCount == 0)
    #expect(kept.statementStatistics.isEmpty)
    done.signal()
    begun.wait()
    #expect(try database.read { try $0.values("SELECT x FROM t", as: Int.self) } == [1])
  }

  @Test func `threads that share a kept connection crash nothing and join no transaction`() async throws {
    let scratch = try Scratch()
    let database = try Self.database(scratch)
    let (kept, reader) = try Self.connections(of: database)
    // Without an unsafe word this would be sent to one task; several make the collisions more frequent.
    nonisolated(unsafe) let all = [kept, reader]
    let refused = Box(0)
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for round in 0..<300 {
            if number < 2 {
              do {
                try all[number].execute("INSERT INTO t VALUES (-1)")
              } catch {
                refused.change { $0 += 1 }
              }
            } else {
              try? await database.write { connection in
                try connection.execute("INSERT INTO t VALUES (\(round))")
                if round % 3 == 0 { throw CancellationError() }
              }
              _ = try? await database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) }
            }
          }
        }
      }
    }
    #expect(refused.value == 600)
    #expect(try await database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 400)
    #expect(try await database.read { try $0.value("SELECT count(*) FROM t WHERE x < 0", as: Int.self) } == 0)
    #expect(try await database.integrityCheck() == [])
  }

  @Test func `statements kept after their closure can be released on any thread`() async throws {
    let scratch = try Scratch()
    let database = try Self.database(scratch)
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for round in 0..<200 {
            let statement = try Self.statement(of: database)
            #expect(throws: DatabaseError.self) { try statement.run(7) }
            #expect(statement.columnNames.isEmpty && statement.statistics.runs == 0)
            try await database.write { try $0.execute("INSERT INTO t VALUES (\(round))") }
            _ = consume statement
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 800)
  }

  @Test func `a statement that outlives its database frees the database in the end`() throws {
    let scratch = try Scratch()
    weak var token: Token?
    do {
      var database: Database? = try Self.database(scratch)
      try withExtendedLifetime(Token()) { given in
        token = given
        try database?.addFunction("marked", arguments: 0) { [given] _ in given.value }
      }
      var statements = try database?.write { c in try (0..<3).map { _ in try c.prepare("SELECT marked()") } } ?? []
      try database?.close()
      database = nil
      #expect(token != nil)
      statements.removeAll()
    }
    #expect(token == nil)
  }

  private final class Token: Sendable {
    let value = Value.integer(1)
  }
}
