extension Connection {
  /// Runs one statement to its end and returns the number of rows it changed; rows that it returns are ignored.
  @discardableResult
  public func execute(_ sql: SQL) throws -> Int {
    try withStatement(sql) { statement in
      while try statement.step() {}
      return statement.changes
    }
  }

  /// Runs the statements of a script in order, until one fails. A script has no bound values.
  public func executeScript(_ script: String) throws {
    try checkUsable()
    try runScript(script, isInternal: false)
  }

  /// Returns all rows of a result, copied.
  ///
  /// For a long result that is read once, `forEach` avoids the copies.
  public func rows(_ sql: SQL) throws -> sending [Row] {
    let copies = try withStatement(sql) { statement in
      var copies: [RowCopy] = []
      while try statement.step() { copies.append(try Row(statement).copiedValues()) }
      return copies
    }
    return copies.map(Row.init)
  }

  /// Returns the first row of a result, copied, or nil if not found.
  public func row(_ sql: SQL) throws -> sending Row? {
    let copy = try withStatement(sql) { statement in try statement.step() ? try Row(statement).copiedValues() : nil }
    return copy.map(Row.init)
  }

  /// Returns the first column of the first row; nil if there is no row, or if the value is NULL.
  public func value<T: ValueConvertible>(_ sql: SQL, as type: T.Type = T.self) throws -> T? {
    try withStatement(sql) { statement in
      try statement.step() ? try Row(statement).read(at: 0, as: T?.self) : nil
    }
  }

  /// Returns the first column of every row.
  public func values<T: ValueConvertible>(_ sql: SQL, as type: T.Type = T.self) throws -> [T] {
    try withStatement(sql) { statement in
      var values: [T] = []
      while try statement.step() { values.append(try Row(statement).read(at: 0)) }
      return values
    }
  }

  /// Calls `body` with each row while the result is read. The row is a window on the result: do not keep it.
  @inlinable
  public func forEach(_ sql: SQL, _ body: (Row) throws -> Void) throws {
    try withStatement(sql) { statement in
      while try statement.step() { try body(Row(statement)) }
    }
  }

  /// Returns all rows of a result as entities.
  @inlinable
  public func entities<E: Entity>(_ sql: SQL, of type: E.Type = E.self) throws -> [E] {
    try withStatement(sql) { statement in
      var entities: [E] = []
      while try statement.step() { entities.append(try E(row: Row(statement))) }
      return entities
    }
  }

  /// Calls `body` with each row as an entity while the result is read, so that only one is in memory.
  @inlinable
  public func forEach<E: Entity>(_ sql: SQL, as type: E.Type, _ body: (E) throws -> Void) throws {
    try withStatement(sql) { statement in
      while try statement.step() { try body(try E(row: Row(statement))) }
    }
  }
}
