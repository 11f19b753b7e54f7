extension Connection {
  /// Runs one statement to its end and returns the number of rows it changed; rows that it returns are ignored.
  ///
  /// ```swift
  /// let changed = try database.write { c in try c.execute("UPDATE item SET done = 1 WHERE list = \(7)") }
  /// ```
  @discardableResult
  public func execute(_ sql: SQL) throws -> Int {
    try withStatement(sql) { statement in
      while try statement.step() {}
      return statement.changes
    }
  }

  /// Runs the statements of a script in order, until one fails. A script has no bound values.
  ///
  /// ```swift
  /// try database.write { c in try c.executeScript("DELETE FROM item WHERE done; DELETE FROM list WHERE archived") }
  /// ```
  public func executeScript(_ script: String) throws {
    try checkUsable()
    try runScript(script, isInternal: false)
  }

  /// Returns all rows of a result, copied.
  ///
  /// ```swift
  /// for row in try connection.rows("SELECT list, count(*) AS number FROM item GROUP BY list") {
  ///   print(try row["list"] as Int64?, try row["number"] as Int)
  /// }
  /// ```
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
  ///
  /// ```swift
  /// if let row = try connection.row("SELECT title FROM item WHERE id = \(7)") { print(try row["title"] as String) }
  /// ```
  public func row(_ sql: SQL) throws -> sending Row? {
    let copy = try withStatement(sql) { statement in try statement.step() ? try Row(statement).copiedValues() : nil }
    return copy.map(Row.init)
  }

  /// Returns the first column of the first row; nil if there is no row, or if the value is NULL.
  ///
  /// ```swift
  /// let number = try connection.value("SELECT count(*) FROM item", as: Int.self) ?? 0
  /// ```
  public func value<T: ValueConvertible>(_ sql: SQL, as type: T.Type = T.self) throws -> T? {
    try withStatement(sql) { statement in
      try statement.step() ? try Row(statement).read(at: 0, as: T?.self) : nil
    }
  }

  /// Returns the first column of every row.
  ///
  /// ```swift
  /// let titles = try connection.values("SELECT title FROM item WHERE list = \(7)", as: String.self)
  /// ```
  public func values<T: ValueConvertible>(_ sql: SQL, as type: T.Type = T.self) throws -> [T] {
    try withStatement(sql) { statement in
      var values: [T] = []
      while try statement.step() { values.append(try Row(statement).read(at: 0)) }
      return values
    }
  }

  /// Calls `body` with each row while the result is read. The row is a window on the result: do not keep it.
  ///
  /// ```swift
  /// try connection.forEach("SELECT title FROM item") { row in print(try row["title"] as String) }
  /// ```
  @inlinable
  public func forEach(_ sql: SQL, _ body: (Row) throws -> Void) throws {
    try withStatement(sql) { statement in
      while try statement.step() { try body(Row(statement)) }
    }
  }

  /// Returns all rows of a result as entities.
  ///
  /// ```swift
  /// let items = try connection.entities("SELECT * FROM item WHERE due < \(Date())", of: Item.self)
  /// ```
  @inlinable
  public func entities<E: Entity>(_ sql: SQL, of type: E.Type = E.self) throws -> [E] {
    try withStatement(sql) { statement in
      var entities: [E] = []
      while try statement.step() { entities.append(try E(row: Row(statement))) }
      return entities
    }
  }

  /// Calls `body` with each row as an entity while the result is read, so that only one is in memory.
  ///
  /// ```swift
  /// try connection.forEach("SELECT * FROM item", as: Item.self) { item in print(item.title) }
  /// ```
  @inlinable
  public func forEach<E: Entity>(_ sql: SQL, as type: E.Type, _ body: (E) throws -> Void) throws {
    try withStatement(sql) { statement in
      while try statement.step() { try body(try E(row: Row(statement))) }
    }
  }
}
