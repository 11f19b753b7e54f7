import DataSourcesTestSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

// The shapes in which people call `read`, `write`, `savepoint` and `execute`. That this file compiles is the test; it
// also checks that each call does what it says. What stops compiling here breaks somebody's program.

private func message(_ body: () throws -> Void) rethrows { try body() }
private func later(_ body: () async throws -> Void) async rethrows { try await body() }
private func escaping(_ body: @escaping @Sendable () async throws -> Void) async throws { try await body() }
private func returning<T>(_ body: () throws -> T) rethrows -> T { try body() }
private func returningLater<T>(_ body: () async throws -> T) async rethrows -> T { try await body() }
private func handling(_ body: (Connection) throws -> Void, _ database: Database) throws { try database.write(body) }

private func counted(_ c: Connection) throws -> Int { try c.execute("INSERT INTO item(title) VALUES ('counted')") }
@Sendable private func uncounted(_ c: Connection) throws {
  try c.execute("INSERT INTO item(title) VALUES ('uncounted')")
}

@Suite struct CallShapeTests {
  let database: Database
  private let item = Item(id: nil, title: "an item")

  init() throws {
    database = try Database.inMemory()
    try database.write { try $0.execute(Item.schema) }
  }

  private func count() throws -> Int { try database.read { try $0.count(Item.self) } }

  /// The same where a call without `await` would be the asynchronous one.
  private var rows: Int { get throws { try count() } }

  @Test func `an unused result is dropped, in a closure that returns nothing`() throws {
    let database = database
    try message { try database.write { try $0.execute("INSERT INTO item(title) VALUES ('x')") } }
    try message { try database.write { c in try c.execute("INSERT INTO item(title) VALUES ('x')") } }
    try message { try database.write { try $0.insert(item) } }
    try message { try database.write { try $0.executeScript("INSERT INTO item(title) VALUES ('x')") } }
    try message { try database.write { _ = try $0.insert(item) } }
    try message { _ = try database.write { try $0.insert(item) } }
    #expect(try rows == 6)
    try message { try database.write { c in try c.savepoint { try c.insert(item) } } }
    try message { try database.write { c in try c.transaction { try c.savepoint { try c.insert(item) } } } }
    try message { try database.write { c in try c.delete(Item.self, id: 1) } }
    try message { try database.write(counted) }
    try message { try database.write(uncounted) }
    try message { try database.read { try $0.execute("SELECT 1") } }
    try handling({ try $0.insert(item) }, database)
    try handling(uncounted, database)
    #expect(try rows == 11)
    let kept: () throws -> Void = { try database.write { try $0.insert(item) } }
    try kept()
    try [1, 2].forEach { _ in try database.write { try $0.insert(item) } }
    #expect(throws: DatabaseError.self) { try database.write { try $0.execute("INSERT INTO item VALUES (2)") } }
    #expect(throws: DatabaseError.self) { try database.read { try $0.execute("DELETE FROM item") } }
    #expect(try rows == 14)
  }

  @Test func `a result that is used has its type`() throws {
    let database = database
    let changed = try database.write { try $0.execute("INSERT INTO item(title) VALUES ('x')") }
    #expect(changed + 1 == 2)
    let id = try database.write { try $0.insert(item) }
    #expect(id + 1 == 3)
    let typed: Int = try database.write { c in
      try c.insert(item)
      return try c.execute("DELETE FROM item WHERE id = 1")
    }
    #expect(typed == 1)
    #expect(try database.write { try $0.execute("DELETE FROM item") } == 2)
    if try database.write({ try $0.execute("DELETE FROM item") }) > 0 { Issue.record("rows were there") }
    let value = try database.read { try $0.value("SELECT 7", as: Int.self) } ?? 0
    #expect(value + 1 == 8)
    let through: Int = try returning { try database.write(counted) }
    let inferred = try returning { try database.write { try $0.execute("DELETE FROM item") } }
    #expect(through + inferred == 2)
    let mapped = try [1, 2].map { _ in try database.write { try $0.insert(item) } }
    #expect(mapped.count == 2)
    let make = { try database.write { try $0.execute("DELETE FROM item") } }
    #expect(try make() + 0 == 2)
    let (number, text) = try database.write { c in (try c.insert(item), "text") }
    #expect(number > 0 && text.count == 4)
    let nested = try database.write { c in try c.savepoint { try c.execute("DELETE FROM item") } }
    #expect(nested + 0 == 1)
    let explicit: Void = try database.write { c in _ = try c.insert(item) }
    let never: Int? = try? database.write { _ in throw CancellationError() }
    #expect(explicit == () && never == nil)
    let connection: (Connection) throws -> Int = { try $0.execute("DELETE FROM item") }
    #expect(try database.write(connection) + 0 == 1)
  }

  @Test func `asynchronous calls have the same shapes`() async throws {
    let database = database
    let item = item
    try await database.write { try $0.insert(item) }
    try await later { try await database.write { try $0.insert(item) } }
    try await later { try await database.write { c in try c.insert(item) } }
    try await later { try await database.write(uncounted) }
    try await escaping { try await database.write { try $0.insert(item) } }
    try await escaping { try await database.read { try $0.execute("SELECT 1") } }
    // In a closure that can't wait it is the one that doesn't.
    try message { try database.write { try $0.insert(item) } }
    #expect(try rows == 6)
    let changed = try await database.write { try $0.execute("DELETE FROM item") }
    #expect(changed + 1 == 7)
    let typed: Int = try await database.write { try $0.execute("DELETE FROM item") }
    let through: Int = try await returningLater { try await database.write { try $0.execute("DELETE FROM item") } }
    let inferred = try await returningLater { try await database.write { try $0.execute("DELETE FROM item") } }
    #expect(typed + through + inferred == 0)
  }
}
