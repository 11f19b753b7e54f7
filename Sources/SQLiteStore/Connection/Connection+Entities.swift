import CSQLite

extension Connection {
  // MARK: Reading

  /// The entity with an id, or nil.
  public func entity<E: Entity>(_ type: E.Type = E.self, id: E.ID) throws -> E? {
    let sql: SQL = "SELECT * FROM \(identifier: E.table) WHERE \(identifier: E.idColumn) = \(id)"
    return try withStatement(sql) { statement in try statement.step() ? try E(row: Row(statement)) : nil }
  }

  /// Every entity of its table, in the order of the ids.
  public func all<E: Entity>(_ type: E.Type = E.self) throws -> [E] {
    try entities("SELECT * FROM \(identifier: E.table) ORDER BY \(identifier: E.idColumn)")
  }

  /// How many rows an entity's table has.
  public func count<E: Entity>(_ type: E.Type) throws -> Int {
    try value("SELECT count(*) FROM \(identifier: E.table)", as: Int.self) ?? 0
  }

  // MARK: Writing

  /// Inserts an entity and returns its id: the one that was generated, where its id is nil and the table generates them.
  @discardableResult @inlinable
  public func insert<E: MappedEntity>(_ entity: E) throws -> E.ID {
    try runEntity(entity, .insert)
    return try insertedID(of: entity)
  }

  /// Inserts an entity and returns it as it is stored: with its generated id, defaults and generated columns.
  public func inserted<E: MappedEntity>(_ entity: E) throws -> E {
    let mapping = E.mapping
    let statements = try statements(of: mapping, E.self)
    var sql = SQL(raw: statements.sql(.insert) + " RETURNING " + statements.returning)
    for column in mapping.columns { sql += SQL(raw: "", bindings: [try column.value(entity)]) }
    return try withStatement(sql) { statement in
      guard try statement.step() else {
        throw DatabaseError.misuse("the insertion gave no row back; does a trigger take it away?", sql: sql.text)
      }
      let stored = try E(row: Row(statement))
      while try statement.step() {}
      return stored
    }
  }

  /// Inserts an entity, or updates the row that has its id.
  @inlinable
  public func upsert<E: MappedEntity>(_ entity: E) throws {
    try runEntity(entity, .upsert)
  }

  /// Updates the row that has the entity's id; throws when there is none.
  @inlinable
  public func update<E: MappedEntity>(_ entity: E) throws {
    if try runEntity(entity, .update).changes == 0 { throw missing(E.table, E.idColumn, entity.id) }
  }

  /// Deletes the row with an id; false when there was none.
  @discardableResult
  public func delete<E: Entity>(_ type: E.Type, id: E.ID) throws -> Bool {
    try execute("DELETE FROM \(identifier: E.table) WHERE \(identifier: E.idColumn) = \(id)") > 0
  }

  /// Deletes an entity's row; false when there was none.
  @discardableResult
  public func delete<E: Entity>(_ entity: E) throws -> Bool { try delete(E.self, id: entity.id) }

  // MARK: How

  /// Runs a write of an entity and returns its statement, for what is to be asked of it.
  @discardableResult @inlinable
  func runEntity<E: MappedEntity>(_ entity: E, _ kind: EntityStatements.Kind) throws -> Statement {
    let mapping = E.mapping
    let statements: EntityStatements
    if let recent = recentEntityStatements, recent.owner === mapping {
      statements = recent
    } else {
      statements = try self.statements(of: mapping, E.self)
    }
    let statement = try self.statement(kind, of: statements)
    do {
      try statement.begin()
      try mapping.bind(entity, statement)
      while try statement.step() {}
    } catch {
      statement.end()
      forget(kind, of: statements)
      throw error
    }
    // The next run binds every parameter anew.
    statement.end(keepingBindings: true)
    return statement
  }

  @usableFromInline
  func statements<E: MappedEntity>(of mapping: Mapping<E>, _: E.Type) throws -> EntityStatements {
    try checkUsable()
    let key = ObjectIdentifier(mapping)
    if let known = entityStatements[key] {
      recentEntityStatements = known
      return known
    }
    guard mapping.columnNames.contains(E.idColumn) else {
      throw DatabaseError.misuse(
        "the mapping of \(E.self) lacks its id column \"\(E.idColumn)\"; it has \(mapping.columnNames)")
    }
    let made = EntityStatements(
      table: E.table, idColumn: E.idColumn, columnNames: mapping.columnNames, owner: mapping)
    // A mapping that is made anew at every look (a computed property) must not pile statements up.
    if entityStatements.count >= 64 { entityStatements.removeAll() }
    entityStatements[key] = made
    recentEntityStatements = made
    return made
  }

  @inlinable @inline(__always)
  func statement(_ kind: EntityStatements.Kind, of statements: EntityStatements) throws -> Statement {
    switch kind {
    case .insert: if let known = statements.insert { return known }
    case .upsert: if let known = statements.upsert { return known }
    case .update: if let known = statements.update { return known }
    }
    return try prepareStatement(kind, of: statements)
  }

  @usableFromInline @inline(never)
  func prepareStatement(_ kind: EntityStatements.Kind, of statements: EntityStatements) throws -> Statement {
    let made = try prepare(statements.sql(kind))
    switch kind {
    case .insert: statements.insert = made
    case .upsert: statements.upsert = made
    case .update: statements.update = made
    }
    return made
  }

  @usableFromInline
  func forget(_ kind: EntityStatements.Kind, of statements: EntityStatements) {
    switch kind {
    case .insert: statements.insert = nil
    case .upsert: statements.upsert = nil
    case .update: statements.update = nil
    }
  }

  @inlinable @inline(__always)
  func insertedID<E: MappedEntity>(of entity: E) throws -> E.ID {
    // Only a nil id can have been generated, and only as a row id.
    if try entity.id.databaseValue.isNull { return try E.ID(databaseValue: .integer(lastInsertedRowID)) }
    return entity.id
  }

  @usableFromInline
  func missing(_ table: String, _ column: String, _ id: any ValueConvertible) -> any Error {
    let shown: String
    do { shown = try id.databaseValue.description } catch { shown = "\(id)" }
    return DatabaseError(code: .notFound, message: "there is no row in \(table) with \(column) = \(shown)")
  }
}
