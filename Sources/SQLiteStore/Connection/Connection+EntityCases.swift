import CFetchedResultsSQLite

// Writes of entities for which the usual statement is not enough.
extension Connection {
  // MARK: Generated ids

  @inlinable
  func insertGeneratingID<E: MappedEntity>(_ entity: E) throws -> E.ID {
    // Every generated id fits these types.
    if E.ID.self == Int64?.self || E.ID.self == Int?.self, try statements(of: E.mapping, E.self).isIDRowID {
      return try insertByRowID(entity)
    }
    return try insertGeneratingOtherID(entity)
  }

  @inlinable
  func insertByRowID<E: MappedEntity>(_ entity: E) throws -> E.ID {
    guard try runEntity(entity, .insert).changes > 0 else { throw takenAway(E.table) }
    return try E.ID(databaseValue: .integer(lastInsertedRowID))
  }

  @usableFromInline
  func insertGeneratingOtherID<E: MappedEntity>(_ entity: E) throws -> E.ID {
    let table = try statements(of: E.mapping, E.self).table
    try requireGeneratedID(E.self, table)
    if table.isGenerated(table.idColumn) { return try inserted(entity).id }
    // Without the table the insertion fails, and leaves nothing to undo. Don't set a savepoint for it: rolling back to
    // one can end the results that are being read.
    if !table.exists { return try insertByRowID(entity) }
    return try savepoint {
      guard try runEntity(entity, .insert).changes > 0 else { throw takenAway(E.table) }
      do {
        return try E.ID(databaseValue: .integer(lastInsertedRowID))
      } catch let error as DatabaseError {
        throw DatabaseError(
          code: .mismatch, message: "the id that \(E.table) generates is not one of \(E.self): \(error.message)",
          columns: ["\(E.table).\(table.idColumn)"])
      }
    }
  }

  /// Throws if nothing generates the id of an entity whose id is nil: the row could not be found again.
  func requireGeneratedID<E: MappedEntity>(_: E.Type, _ table: EntityTable) throws {
    if table.isIDRowID || table.isGenerated(table.idColumn) || !table.exists { return }
    throw DatabaseError(
      code: .misuse,
      message: """
        the id of this \(E.self) is nil, and "\(table.idColumn)" of \(table.name) is no row id that SQLite would generate; \
        give it an id, or declare the column INTEGER PRIMARY KEY\(table.isView ? " in a table, and insert there" : "")
        """,
      columns: ["\(table.name).\(table.idColumn)"])
  }

  /// Whether SQLite computes the ids of an entity, so that the stored one may be another.
  @inlinable @inline(__always)
  func computesID<E: MappedEntity>(of _: E) throws -> Bool {
    if let recent = recentEntityStatements, recent.owner === E.mapping { return recent.isIDGenerated }
    return try statements(of: E.mapping, E.self).isIDGenerated
  }

  /// Throws if an insertion stored no row. SQLite doesn't count what the triggers of a view store.
  @usableFromInline @inline(never)
  func checkUncountedInsertion<E: MappedEntity>(of _: E) throws {
    if try !statements(of: E.mapping, E.self).table.isView { throw takenAway(E.table) }
  }

  @usableFromInline
  func takenAway(_ table: String) -> any Error {
    DatabaseError.misuse(
      "the insertion into \(table) stored no row; did a trigger cancel it, or an ON CONFLICT clause ignore it?")
  }

  // MARK: Rows that must be read first

  /// The stored ids of the rows that have an entity's id.
  func storedIDs<E: MappedEntity>(of entity: E) throws -> [Value] { try storedIDs(E.self, entity.id) }

  /// The same for an id. Throws if several rows have it.
  func storedIDs<E: MappedEntity>(_: E.Type, _ id: E.ID) throws -> [Value] {
    let column = SQL(raw: SQL.quoted(try E.checkedIDColumn()))
    if try id.databaseValue.isNull { return [] }
    let condition = try id.matches(column)
    let sql: SQL = "SELECT \(column) FROM \(raw: quotedTable(E.table)) WHERE \(condition) LIMIT 2"
    let found = try withStatement(sql) { statement in
      var found: [Value] = []
      while try statement.step() { found.append(try Row(statement).read(at: 0)) }
      return found
    }
    if found.count > 1 { throw repeated(E.self, id) }
    return found
  }

  /// Updates the row of an entity if its id may have several forms, may occur more than once, or if the table is a
  /// view. Returns false if the usual statement is enough.
  @inlinable @inline(__always)
  func isUpdatedOtherwise<E: MappedEntity>(_ entity: E) throws -> Bool {
    if E.ID.storedForms == .one, let recent = recentEntityStatements, recent.owner === E.mapping, recent.isUpdateSimple
    {
      return false
    }
    return try updateWithCare(entity)
  }

  @usableFromInline
  func updateWithCare<E: MappedEntity>(_ entity: E) throws -> Bool {
    let statements = try statements(of: E.mapping, E.self)
    if E.ID.storedForms == .one, statements.isUpdateSimple { return false }
    guard let found = try storedIDs(of: entity).first else { throw missing(E.table, E.idColumn, entity.id) }
    if try E.ID.storedForms != .one && found != entity.id.databaseValue {
      try update(entity, whereID: found, statements)
    } else {
      try runEntity(entity, .update)
    }
    return true
  }

  /// Upserts an entity that must not simply be updated or inserted; returns false if it may.
  @inlinable @inline(__always)
  func isUpsertedOtherwise<E: MappedEntity>(_ entity: E) throws -> Bool {
    if E.ID.storedForms == .one, let recent = recentEntityStatements, recent.owner === E.mapping, recent.isUpsertSimple,
      try !entity.id.databaseValue.isNull
    {
      return false
    }
    return try upsertWithCare(entity)
  }

  @usableFromInline
  func upsertWithCare<E: MappedEntity>(_ entity: E) throws -> Bool {
    if try entity.id.databaseValue.isNull {
      _ = try insertGeneratingID(entity)
      return true
    }
    let statements = try statements(of: E.mapping, E.self)
    if statements.table.isView {
      if try storedIDs(of: entity).isEmpty { try insert(entity) } else { try update(entity) }
      return true
    }
    if E.ID.storedForms != .one, let found = try storedIDs(of: entity).first, try found != entity.id.databaseValue {
      try update(entity, whereID: found, statements)
      return true
    }
    if statements.isUpsertSimple { return false }
    if try statements.setsNothing && !storedIDs(of: entity).isEmpty { return true }
    // If several rows may have the id, preparing the statement throws.
    try insertMissing(entity)
    return true
  }

  /// Updates a row whose id is stored in another form. The id keeps that form.
  private func update<E: MappedEntity>(_ entity: E, whereID stored: Value, _ statements: EntityStatements) throws {
    let values = try values(of: entity)
    if statements.check != nil { try check(entity, statements, isUpdate: true) }
    if statements.setsNothing { return }
    try execute(SQL(raw: statements.update(whereID: values.count + 1), bindings: values + [stored]))
  }

  /// Throws if the table has a row with the entity's id in another form, which its UNIQUE constraint does not notice.
  @usableFromInline
  func refuseOtherForm<E: MappedEntity>(of entity: E) throws {
    let statements = try statements(of: E.mapping, E.self)
    guard statements.table.isIDUnique, let stored = try storedIDs(of: entity).first,
      try stored != entity.id.databaseValue
    else { return }
    throw DatabaseError(
      code: .constraintUnique,
      message: "\(E.table) has a row with this \(statements.idColumn) already, stored as \(stored)",
      columns: ["\(E.table).\(statements.idColumn)"])
  }

  /// The error of an upsert that could insert no row: if its row exists, a trigger has cancelled the update.
  @usableFromInline @inline(never)
  func notInserted<E: MappedEntity>(_ error: any Error, _ entity: E) -> any Error {
    guard (error as? DatabaseError)?.code == .constraint, (try? storedIDs(of: entity).isEmpty) == false else {
      return error
    }
    do { return try notUpdated(entity) } catch let other { return other }
  }

  /// Throws if an upsert that has changed no row has not stored the entity: a trigger can cancel it, and a row can have
  /// an id that is equal only by the column's collation.
  @usableFromInline
  func checkUncountedUpsert<E: MappedEntity>(of entity: E) throws {
    let column = try E.checkedIDColumn()
    let id = try entity.id.databaseValue
    let sql: SQL = "SELECT \(identifier: column) FROM \(raw: quotedTable(E.table)) WHERE \(identifier: column) = \(id)"
    let stored = try value(sql, as: Value.self)
    if let stored, stored != id, case .text = stored, case .text = id {
      throw DatabaseError(
        code: .constraintUnique,
        message: "\(E.table) has a row with \(column) = \(stored), which the column's collation takes for \(id)",
        columns: ["\(E.table).\(column)"])
    }
    // An entity with nothing to set but its id changes nothing if its row is there.
    if stored != nil, try statements(of: E.mapping, E.self).setsNothing { return }
    throw DatabaseError.misuse(
      "the upsert into \(E.table) with \(column) = \(DatabaseError.shown(entity.id)) changed nothing; did a trigger cancel it, "
        + "or an ON CONFLICT clause ignore it?")
  }

  // MARK: Values that can't be stored

  /// The values of an entity's columns; throws if one can't be stored unchanged.
  func values<E: MappedEntity>(of entity: E) throws -> [Value] {
    try E.mapping.columns.map { column in
      do {
        let value = try column.value(entity)
        if case .real(let real) = value, real.isNaN { throw DatabaseError.notANumber }
        return value
      } catch {
        let cause = error as? DatabaseError
        let id = DatabaseError.shown(entity.id)
        throw DatabaseError(
          code: cause?.extendedCode ?? .mismatch,
          message: """
            column "\(column.name)" of \(E.table), for the row with \(E.idColumn) = \(id): \(cause?.message ?? "\(error)")
            """,
          columns: ["\(E.table).\(column.name)"])
      }
    }
  }

  /// The error of a write. It names the column if a value of the entity is the cause.
  @usableFromInline @inline(never)
  func naming<E: MappedEntity>(_ error: any Error, of entity: E) -> any Error {
    if var error = error as? DatabaseError, error.extendedCode == .constraintDataType {
      let table = fileAndTable(E.table)?.table ?? E.table
      let property = E.mapping.columns.first { "\(table).\($0.name)".isSameName(as: error.columns.first ?? "") }
      if let property, let value = try? property.value(entity) {
        error.message += "; \(property.type) is written as \(value.storageClass): map the column as another type"
      }
      return error
    }
    if let error = error as? DatabaseError, error.code != .mismatch || !error.columns.isEmpty { return error }
    if error is CancellationError { return error }
    do {
      _ = try values(of: entity)
    } catch let named {
      return named
    }
    return error
  }

  @usableFromInline @inline(never)
  func check<E: MappedEntity>(_ entity: E, _ statements: EntityStatements, isUpdate: Bool = false) throws {
    try check(E.self, statements, ofRow: isUpdate ? entity.id : nil) { $0.get(entity) }
  }

  /// Throws if a value would be read back as a different one. `id` is that of the row that is updated, if one is.
  func check<E: MappedEntity>(
    _: E.Type, _ statements: EntityStatements, ofRow id: E.ID?,
    _ value: (MappedProperty<E>) -> (any ValueConvertible)?
  ) throws {
    try (statements.check as? AffinityCheck<E>)?.check(table: E.table, on: self, value: value) { column in
      guard let id else { return nil }
      let condition = try id.matches(SQL(raw: SQL.quoted(statements.idColumn)))
      return try self.value(
        "SELECT \(identifier: column) FROM \(raw: quotedTable(E.table)) WHERE \(condition)", as: Value.self)
    }
  }

  @usableFromInline
  func repeated<E: Entity>(_ type: E.Type, _ id: E.ID) -> any Error {
    DatabaseError.misuse(
      "the id \(DatabaseError.shown(id)) occurs more than once in \(E.table); an id of \(type) names one row")
  }

  /// The error of an update that has changed no row.
  @usableFromInline
  func notUpdated<E: MappedEntity>(_ entity: E) throws -> any Error {
    if try storedIDs(of: entity).isEmpty { return missing(E.table, E.idColumn, entity.id) }
    return cancelledUpdate(E.table, E.idColumn, entity.id)
  }

  func cancelledUpdate(_ table: String, _ column: String, _ id: any ValueConvertible) -> any Error {
    DatabaseError.misuse(
      "the update of the row in \(table) with \(column) = \(DatabaseError.shown(id)) changed nothing; "
        + "did a trigger cancel it?")
  }

  @usableFromInline
  func missing(_ table: String, _ column: String, _ id: any ValueConvertible) -> any Error {
    DatabaseError(
      code: .notFound, message: "there is no row in \(table) with \(column) = \(DatabaseError.shown(id))")
  }
}
