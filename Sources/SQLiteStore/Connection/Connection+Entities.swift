import CSQLite

extension Connection {
  // MARK: Reading

  /// The entity with an id, or nil; throws where several rows have it. Ids are equal in whichever form they are stored,
  /// see ``StoredForms``.
  public func entity<E: Entity>(_ type: E.Type = E.self, id: E.ID) throws -> E? {
    let condition = try id.matches("\(identifier: E.checkedIDColumn())")
    let sql: SQL = "SELECT * FROM \(raw: quotedTable(E.table)) WHERE \(condition)"
    return try withStatement(sql) { statement in
      guard try statement.step() else { return nil }
      let entity = try E(row: Row(statement))
      if try statement.step() { throw repeated(E.self, id) }
      return entity
    }
  }

  /// Every entity of its table, in the order of the ids.
  public func all<E: Entity>(_ type: E.Type = E.self) throws -> [E] {
    try entities("SELECT * FROM \(raw: quotedTable(E.table)) ORDER BY \(identifier: E.checkedIDColumn())")
  }

  /// How many rows an entity's table has.
  public func count<E: Entity>(_ type: E.Type) throws -> Int {
    try value("SELECT count(*) FROM \(raw: quotedTable(E.table))", as: Int.self) ?? 0
  }

  // MARK: Writing

  /// Inserts an entity and returns its id: the one that was generated, where its id is nil and the table generates ids.
  ///
  /// SQLite generates the values of a column that is declared `INTEGER PRIMARY KEY`, and of no other: inserting an entity
  /// whose id is nil is an error elsewhere.
  ///
  /// What is nil is stored as NULL, as it is to come back as nil: the DEFAULT of a column is for inserts that leave
  /// the column out. A value that would come back from its column as another one is an error, a NaN among them. Columns
  /// that SQLite computes (`GENERATED ALWAYS AS`) are left out.
  @discardableResult @inlinable
  public func insert<E: MappedEntity>(_ entity: E) throws -> E.ID {
    if try entity.id.databaseValue.isNull { return try insertGeneratingID(entity) }
    if E.ID.storedForms != .one { try refuseOtherForm(of: entity) }
    try runEntity(entity, .insert)
    return entity.id
  }

  /// Inserts an entity and returns it as it is stored: with its generated id and generated columns.
  ///
  /// What is nil is stored as NULL, as by ``insert(_:)``; the DEFAULT of a column is for inserts that leave the
  /// column out. Map a second type without that column to have it filled in.
  public func inserted<E: MappedEntity>(_ entity: E) throws -> E {
    let statements = try statements(of: E.mapping, E.self)
    if E.ID.storedForms != .one { try refuseOtherForm(of: entity) }
    if try entity.id.databaseValue.isNull { try requireGeneratedID(E.self, statements.table) }
    let values = try values(of: entity)
    if statements.check != nil { try check(entity, statements) }
    let sql = SQL(
      raw: statements.sql(.insert) + " RETURNING " + statements.returning, bindings: values)
    // The row is there before it is read, which may fail.
    return try savepoint {
      try withStatement(sql) { statement in
        guard try statement.step() else { throw takenAway(E.table) }
        let stored = try E(row: Row(statement))
        while try statement.step() {}
        return stored
      }
    }
  }

  /// Inserts an entity, or updates the row that has its id.
  @inlinable
  public func upsert<E: MappedEntity>(_ entity: E) throws {
    if try isUpsertedOtherwise(entity) { return }
    if try runEntity(entity, .upsert).changes == 0 { try explainNoUpsert(of: entity) }
  }

  /// Updates the row that has the entity's id; throws when there is none, and where several have it.
  @inlinable
  public func update<E: MappedEntity>(_ entity: E) throws {
    if try isUpdatedOtherwise(entity) { return }
    if try runEntity(entity, .update).changes == 0 { throw try notUpdated(entity) }
  }

  /// Deletes the row with an id; false when there was none.
  ///
  /// Where several rows have the id it throws, and deletes none.
  @discardableResult
  public func delete<E: Entity>(_ type: E.Type, id: E.ID) throws -> Bool {
    let column = try E.checkedIDColumn()
    let condition = try id.matches("\(identifier: column)")
    let table = try entityTable(of: type, idColumn: column)
    let deletion: SQL = "DELETE FROM \(raw: quotedTable(E.table)) WHERE \(condition)"
    if E.ID.storedForms == .one, table.isIDUnique || !table.exists { return try execute(deletion) > 0 }
    // Looked at first, as what is deleted would stay so for a caller who catches the error. And SQLite doesn't count the
    // rows that triggers delete from a view.
    let sql: SQL = "SELECT count(*) FROM \(raw: quotedTable(E.table)) WHERE \(condition)"
    let count = try value(sql, as: Int.self) ?? 0
    if count > 1 { throw repeated(E.self, id) }
    if count == 1 { try execute(deletion) }
    return count == 1
  }

  /// Deletes an entity's row; false when there was none.
  @discardableResult
  public func delete<E: Entity>(_ entity: E) throws -> Bool {
    // Nothing says which column the id was read from, so the row is read to see whether it is this one.
    guard let found = try self.entity(E.self, id: entity.id) else { return false }
    guard found.id == entity.id else {
      let (id, other) = (DatabaseError.shown(entity.id), DatabaseError.shown(found.id))
      throw DatabaseError.otherID(E.self, "the row with \(E.idColumn) = \(id) has the id \(other)")
    }
    return try delete(E.self, id: entity.id)
  }

  /// Deletes an entity's row; false when there was none.
  @discardableResult
  public func delete<E: MappedEntity>(_ entity: E) throws -> Bool {
    try E.mapping.checkID(of: entity)
    return try delete(E.self, id: entity.id)
  }

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
      if statements.check != nil { try check(entity, statements) }
      while try statement.step() {}
    } catch {
      statement.end()
      forget(kind, of: statements)
      throw naming(error, of: entity)
    }
    // The next run binds every parameter anew.
    statement.end(keepingBindings: true)
    return statement
  }

  @usableFromInline
  func statements<E: MappedEntity>(of mapping: Mapping<E>, _: E.Type) throws -> EntityStatements {
    try checkUsable()
    try forgetOtherSchema()
    let key = ObjectIdentifier(mapping)
    if let known = entityStatements[key] {
      recentEntityStatements = known
      return known
    }
    let idColumn = try E.checkedIDColumn()
    let table = try entityTable(of: E.self, idColumn: idColumn)
    let made = EntityStatements(
      table, idColumn: idColumn, columnNames: mapping.columnNames,
      comparesBytes: !(E.ID.self is any FixedWidthInteger.Type || E.ID.self == Int64?.self || E.ID.self == Int?.self),
      owner: mapping)
    let check = AffinityCheck(mapping, table)
    made.check = check.isEmpty ? nil : check
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
    made.writesEntity = true
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
}
