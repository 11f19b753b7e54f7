import CFetchedResultsSQLite
import RowModel

/// Statements of the store's own, to which no refusal applies.
extension Connection {
  /// Runs `body` with a cached statement of the store's own. They have a cache of their own, so that they don't push
  /// out the user's, and may run at any time.
  func withInternal<T>(_ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> T) throws -> T {
    let author = statementGuard.author
    statementGuard.author = .library
    defer { statementGuard.author = author }
    let statement = try internalStatements.take(sql) ?? compile(sql, isInternal: true)
    let result: T
    do {
      if !values.isEmpty { try statement.bind(values) }
      result = try body(statement)
    } catch {
      statement.end()
      throw error
    }
    statement.end()
    internalStatements.give(back: statement)
    return result
  }

  /// Runs SQL of the store's own on the handle, to which no refusal applies.
  @discardableResult
  package func asLibrary<T>(_ body: () throws -> T) rethrows -> T {
    let author = statementGuard.author
    statementGuard.author = .library
    defer { statementGuard.author = author }
    return try body()
  }

  /// Runs one of the store's own statements to its end.
  func runInternal(_ sql: String, _ values: [Value] = []) throws {
    try withInternal(sql, values) { statement in
      while try statement.step() {}
    }
  }

  /// The first column of the first row of one of the store's own statements.
  func internalValue(_ sql: String, _ values: [Value] = []) throws -> Value {
    try withInternal(sql, values) { statement in
      try statement.step() ? try Row(statement).read(at: 0) : .null
    }
  }

  func internalInteger(_ sql: String) throws -> Int64 {
    try withInternal(sql) { statement in
      try statement.step() ? sqlite3_column_int64(statement.handle, 0) : 0
    }
  }

  func internalRows(_ sql: String, _ values: [Value] = []) throws -> [Row] {
    try withInternal(sql, values) { statement in
      var rows: [Row] = []
      while try statement.step() { rows.append(try Row(statement).copied()) }
      return rows
    }
  }
}
