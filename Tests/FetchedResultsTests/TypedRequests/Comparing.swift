import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport
import Testing

/// Rows, and what a predicate finds among them: in Swift, and in SQL.
struct Comparing {
  let database: Database
  let things: [Thing]

  init(seed: UInt64, rows: Int64) throws {
    var random = SeededGenerator(seed: seed)
    let database = try Database.inMemory()
    things = try database.write { connection in
      try Thing.fill(connection, rows, using: &random)
      return try connection.all(Thing.self)
    }
    self.database = database
  }

  /// The rows for which SQL and Swift say different things, or for which SQL says neither 1 nor 0. Rows at which
  /// Swift fails (`!` on nil) don't count.
  func differences(_ predicate: Predicate<Thing>) throws -> [String] {
    let sql = try SQL(predicate)
    let answers = try database.read { connection in
      try connection.rows("SELECT id, (\(sql)) FROM \(identifier: Thing.table) ORDER BY id").map { row in
        (try row[0] as Int64, try row[1] as Value)
      }
    }
    return zip(things, answers).compactMap { thing, answer in
      precondition(thing.id == answer.0)
      let isTrue = answer.1 == .integer(1)
      if !isTrue, answer.1 != .integer(0) { return "\(answer.1) for \(thing) in \(sql)" }
      do {
        return try predicate.evaluate(thing) == isTrue ? nil : "\(isTrue) for \(thing) in \(sql)"
      } catch {
        return nil
      }
    }
  }

  func ids(where sql: SQL) throws -> [Int64] {
    try database.read {
      try $0.values("SELECT id FROM \(identifier: Thing.table) WHERE \(sql) ORDER BY id", as: Int64.self)
    }
  }
}
