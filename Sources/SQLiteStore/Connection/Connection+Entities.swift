import CFetchedResultsSQLite

extension Connection {
  // MARK: Reading

  /// Returns the entity with an id, or nil; throws if several rows have it. Ids are equal whatever form they are stored
  /// in, see ``RowModel/StoredForms``.
  ///
  /// ```swift
  /// if let item = try connection.entity(Item.self, id: 7) { print(item.title) }
  /// ```
  public func entity<E: Entity>(_ type: E.Type = E.self, id: E.ID) throws -> E? {
    let condition = try id.matches("\(identifier: E.checkedIDColumn())")
    let sql: SQL = "SELECT \(raw: try columns(of: type)) FROM \(raw: quotedTable(E.table)) WHERE \(condition)"
    return try withStatement(sql) { statement in
      guard try statement.step() else { return nil }
      let entity = try E(row: Row(statement))
      if try statement.step() { throw repeated(E.self, id) }
      return entity
    }
  }

  /// Returns all entities of a table, in the order of their ids.
  ///
  /// ```swift
  /// let items = try connection.all(Item.self)
  /// ```
  public func all<E: Entity>(_ type: E.Type = E.self) throws -> [E] {
    try entities(
      "SELECT \(raw: columns(of: type)) FROM \(raw: quotedTable(E.table)) ORDER BY \(identifier: E.checkedIDColumn())")
  }

  /// All columns, as SQL. Those of the table don't contain the row id, which an entity may have as its id.
  private func columns<E: Entity>(of _: E.Type) throws -> String {
    let id = try E.checkedIDColumn()
    return EntityTable.isRowIDName(id) ? "\(SQL.quoted(id)) AS \(SQL.quoted(id)), *" : "*"
  }

  /// Returns the number of rows of an entity's table.
  ///
  /// ```swift
  /// let number = try connection.count(Item.self)
  /// ```
  public func count<E: Entity>(_ type: E.Type) throws -> Int {
    try value("SELECT count(*) FROM \(raw: quotedTable(E.table))", as: Int.self) ?? 0
  }

  // MARK: Writing

  /// Inserts an entity and returns its id: the generated one, if its id is nil and the table generates ids.
  ///
  /// SQLite generates values only for a column that is declared `INTEGER PRIMARY KEY`. For any other column, inserting
  /// an entity whose id is nil is an error.
  ///
  /// Nil is stored as NULL, so that it is read back as nil; the DEFAULT of a column applies only to inserts that leave
  /// the column out. A value that would be read back as a different one is an error, including NaN. Columns that SQLite
  /// computes (`GENERATED ALWAYS AS`) are left out. It is an error if no row is stored, because a trigger or an `ON
  /// CONFLICT` clause of the table ignores it. What AFTER triggers do to the row, and what those of a view store, is
  /// not checked; ``inserted(_:)`` reads the row again.
  @discardableResult @inlinable
  public func insert<E: MappedEntity>(_ entity: E) throws -> E.ID {
    if try entity.id.databaseValue.isNull { return try insertGeneratingID(entity) }
    if E.ID.storedForms != .one { try refuseOtherForm(of: entity) }
    if try computesID(of: entity) { return try inserted(entity).id }
    if try runEntity(entity, .insert).changes == 0 { try checkUncountedInsertion(of: entity) }
    return entity.id
  }

  /// Inserts an entity and returns it as it is stored: with its generated id and generated columns, and with what
  /// triggers have changed in its row.
  ///
  /// ```swift
  /// let item = try database.write { c in try c.inserted(Item(title: "Bread")) }
  /// print(item.id as Any, item.created)
  /// ```
  ///
  /// Nil is stored as NULL, as with `insert(_:)`; the DEFAULT of a column applies only to inserts that leave the
  /// column out. To use it, map a second type without that column.
  public func inserted<E: MappedEntity>(_ entity: E) throws -> E {
    let statements = try statements(of: E.mapping, E.self)
    if E.ID.storedForms != .one { try refuseOtherForm(of: entity) }
    if try entity.id.databaseValue.isNull { try requireGeneratedID(E.self, statements.table) }
    let values = try values(of: entity)
    if statements.check != nil { try check(entity, statements) }
    let sql = SQL(
      raw: statements.sql(.insert) + " RETURNING " + statements.returning, bindings: values)
    // The row is inserted before it is read, and reading it may fail.
    return try savepoint {
      let stored = try withStatement(sql) { statement in
        guard try statement.step() else { throw takenAway(E.table) }
        let stored = try E(row: Row(statement))
        while try statement.step() {}
        return stored
      }
      guard statements.table.returnsOtherRows, !statements.table.isView else { return stored }
      let now: E?
      if let rowID = statements.table.rowIDName {
        let sql: SQL =
          "SELECT \(raw: statements.returning) FROM \(raw: quotedTable(E.table)) WHERE \(raw: rowID) = \(lastInsertedRowID)"
        now = try withStatement(sql) { try $0.step() ? try E(row: Row($0)) : nil }
      } else {
        now = try self.entity(E.self, id: stored.id)
      }
      guard let now else { throw takenAway(E.table) }
      return now
    }
  }

  /// Inserts an entity, or updates the row that has its id, as ``update(_:)`` does.
  ///
  /// ```swift
  /// try database.write { c in try c.upsert(Item(id: 7, title: "Bread")) }
  /// ```
  @inlinable
  public func upsert<E: MappedEntity>(_ entity: E) throws {
    // A row that exists is updated, and not inserted first: an insertion may need what the row has already.
    if try isUpsertedOtherwise(entity) || runEntity(entity, .update).changes > 0 { return }
    try insertMissing(entity)
  }

  /// The second half of an upsert: no row was updated.
  @inlinable
  func insertMissing<E: MappedEntity>(_ entity: E) throws {
    let isStored: Bool
    do {
      isStored = try runEntity(entity, .upsert).changes > 0
    } catch {
      throw notInserted(error, entity)
    }
    if !isStored { try checkUncountedUpsert(of: entity) }
  }

  /// Updates the row that has the entity's id; throws if no row or several rows have it.
  ///
  /// ```swift
  /// try database.write { c in
  ///   guard var item = try c.entity(Item.self, id: 7) else { return }
  ///   item.done = true
  ///   try c.update(item)
  /// }
  /// ```
  ///
  /// Only mapped columns are written, and not the id. A value that has not changed stays as it is stored, see
  /// ``RowModel/StoredForms``. One that has changed is written in the form that its type writes, with two exceptions: a
  /// `UUID` replaces 16 bytes by 16 bytes and a text in lower case by one, and a `Date` replaces a number of seconds by
  /// one, if that can hold it exactly.
  @inlinable
  public func update<E: MappedEntity>(_ entity: E) throws {
    if try isUpdatedOtherwise(entity) { return }
    if try runEntity(entity, .update).changes == 0 { throw try notUpdated(entity) }
  }

  /// Deletes the row with an id; returns false if not found.
  ///
  /// ```swift
  /// let isDeleted = try database.write { c in try c.delete(Item.self, id: 7) }
  /// ```
  ///
  /// If several rows have the id it throws, and deletes none of them.
  @discardableResult
  public func delete<E: Entity>(_ type: E.Type, id: E.ID) throws -> Bool {
    let column = try E.checkedIDColumn()
    let condition = try id.matches("\(identifier: column)")
    let table = try entityTable(of: type, idColumn: column)
    let deletion: SQL = "DELETE FROM \(raw: quotedTable(E.table)) WHERE \(condition)"
    if E.ID.storedForms == .one, table.isIDUnique || !table.exists { return try execute(deletion) > 0 }
    // Count first: a caller who catches the error must not find rows deleted. And SQLite doesn't count the rows that
    // triggers delete from a view.
    let sql: SQL = "SELECT count(*) FROM \(raw: quotedTable(E.table)) WHERE \(condition)"
    let count = try value(sql, as: Int.self) ?? 0
    if count > 1 { throw repeated(E.self, id) }
    guard count == 1 else { return false }
    try execute(deletion)
    return try value(sql, as: Int.self) == 0
  }

  /// Deletes an entity's row; returns false if not found.
  @discardableResult
  public func delete<E: Entity>(_ entity: E) throws -> Bool {
    // It is not known which column the id was read from. So read the row, and check that it is this one.
    guard let found = try self.entity(E.self, id: entity.id) else { return false }
    guard found.id == entity.id else {
      let (id, other) = (DatabaseError.shown(entity.id), DatabaseError.shown(found.id))
      throw DatabaseError.otherID(E.self, "the row with \(E.idColumn) = \(id) has the id \(other)")
    }
    return try delete(E.self, id: entity.id)
  }

  /// Deletes an entity's row; returns false if not found.
  @discardableResult
  public func delete<E: MappedEntity>(_ entity: E) throws -> Bool {
    try E.mapping.checkID(of: entity)
    return try delete(E.self, id: entity.id)
  }

  // MARK: How

  /// Runs a write of an entity and returns its statement, for further questions about it.
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
      try mapping.bind(entity, statement.engine)
      if statements.check != nil { try check(entity, statements, isUpdate: kind == .update) }
      while try statement.step() {}
    } catch {
      statement.end()
      forget(kind, of: statements)
      throw naming(error, of: entity)
    }
    // The next run binds every parameter again.
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
      table, idColumn: idColumn, mapping: mapping,
      comparesBytes: !(E.ID.self is any FixedWidthInteger.Type || E.ID.self == Int64?.self || E.ID.self == Int?.self))
    let check = AffinityCheck(mapping, table)
    made.check = check.isEmpty ? nil : check
    // A mapping that is created at every access (a computed property) must not accumulate statements.
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
    try statements.checkColumns(statements.columnNames)
    let made: Statement
    do {
      made = try prepare(statements.sql(kind))
    } catch var error as DatabaseError where error.message.contains("ON CONFLICT clause does not match any") {
      error.message =
        "\(statements.table.name) can have several rows with the same \(statements.idColumn), so an upsert can't tell which one "
        + "to update; declare it UNIQUE or PRIMARY KEY"
      throw error
    }
    made.engine.pointee.writesEntity = true
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
