import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Connections that leave the closure that they were passed to, which Swift lets happen without an unsafe word.
@Suite(.timeLimit(.minutes(10))) struct LeftConnectionTests {
  private static func database(_ scratch: Scratch) throws -> Database {
    let database = try scratch.database(options: .fast)
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    return database
  }

  private static func connections(of database: Database) throws -> (Connection, Connection) {
    (try database.write { $0 }, try database.read { $0 })
  }

  private static let message = "the connection was used outside the read or write that it belongs to"

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
}
