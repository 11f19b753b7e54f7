import CSQLite

extension Connection {
  // MARK: Reading

  /// The entity with an id, or nil. Ids are equal in whichever form they are stored, see ``StoredForms``.
  public func entity<E: Entity>(_ type: E.Type = E.self, id: E.ID) throws -> E? {
    let condition = try id.matches("\(identifier: E.checkedIDColumn())")
    let sql: SQL = "SELECT * FROM \(identifier: E.table) WHERE \(condition)"
    return try withStatement(sql) { statement in
      guard try statement.step() else { return nil }
      let entity = try E(row: Row(statement))
      if E.ID.storedForms != .one, try statement.step() { throw repeated(E.self, id) }
      return entity
    }
  }

  /// Every entity of its table, in the order of the ids.
  public func all<E: Entity>(_ type: E.Type = E.self) throws -> [E] {
    try entities("SELECT * FROM \(identifier: E.table) ORDER BY \(identifier: E.checkedIDColumn())")
  }

  /// How many rows an entity's table has.
  public func count<E: Entity>(_ type: E.Type) throws -> Int {
    try value("SELECT count(*) FROM \(identifier: E.table)", as: Int.self) ?? 0
  }

  // MARK: Writing

  /// Inserts an entity and returns its id: the one that was generated, where its id is nil and the table generates them.
  ///
  /// What is nil is stored as NULL, as it is to come back as nil: the DEFAULT of a column is for inserts that leave
  /// the column out. A value that could not be read again from its column is an error.
  @discardableResult @inlinable
  public func insert<E: MappedEntity>(_ entity: E) throws -> E.ID {
    if E.ID.storedForms != .one { try refuseOtherForm(of: entity) }
    try runEntity(entity, .insert)
    return try insertedID(of: entity)
  }

  /// Inserts an entity and returns it as it is stored: with its generated id and generated columns.
  ///
  /// What is nil is stored as NULL, as by ``insert(_:)``; the DEFAULT of a column is for inserts that leave the
  /// column out. Map a second type without that column to have it filled in.
  public func inserted<E: MappedEntity>(_ entity: E) throws -> E {
    let mapping = E.mapping
    let statements = try statements(of: mapping, E.self)
    if E.ID.storedForms != .one { try refuseOtherForm(of: entity) }
    if statements.check != nil { try check(entity, statements) }
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
    if E.ID.storedForms != .one, try updateOtherForm(of: entity) { return }
    if try runEntity(entity, .upsert).changes == 0 { try explainNoUpsert(of: entity) }
  }

  /// Updates the row that has the entity's id; throws when there is none, and where several have it.
  @inlinable
  public func update<E: MappedEntity>(_ entity: E) throws {
    let changes = try runEntity(entity, .update).changes
    if changes == 1 { return }
    if changes > 1 { throw repeated(E.self, entity.id) }
    if E.ID.storedForms != .one, try updateOtherForm(of: entity) { return }
    throw missing(E.table, E.idColumn, entity.id)
  }

  /// Deletes the row with an id; false when there was none.
  ///
  /// Where several rows have the id it throws, and the write undoes what it did.
  @discardableResult
  public func delete<E: Entity>(_ type: E.Type, id: E.ID) throws -> Bool {
    let condition = try id.matches("\(identifier: E.checkedIDColumn())")
    if E.ID.storedForms != .one,
      try value("SELECT count(*) FROM \(identifier: E.table) WHERE \(condition)", as: Int.self) ?? 0 > 1
    {
      throw repeated(E.self, id)
    }
    let count = try execute("DELETE FROM \(identifier: E.table) WHERE \(condition)")
    if count > 1 { throw repeated(E.self, id) }
    return count == 1
  }

  /// Deletes an entity's row; false when there was none.
  @discardableResult
  public func delete<E: Entity>(_ entity: E) throws -> Bool {
    // Nothing says which column the id was read from, so the row is read to see whether it is this one.
    guard let found = try self.entity(E.self, id: entity.id) else { return false }
    guard found.id == entity.id else {
      throw DatabaseError.otherID(E.self, "the row with \(E.idColumn) = \(entity.id) has the id \(found.id)")
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
    let idColumn = try E.checkedIDColumn()
    let made = EntityStatements(
      table: E.table, idColumn: idColumn, columnNames: mapping.columnNames,
      comparesBytes: !(E.ID.self is any FixedWidthInteger.Type || E.ID.self == Int64?.self || E.ID.self == Int?.self),
      owner: mapping)
    let check = try AffinityCheck(mapping, table: E.table, on: self)
    made.check = check.isEmpty ? nil : check
    made.isIDUnique = try E.ID.storedForms != .one && isUnique(idColumn, in: E.table)
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

  // MARK: Ids in other forms

  /// The id of an entity's row as it is stored, where it is stored in another form than the library's own.
  private func otherForm<E: MappedEntity>(of entity: E) throws -> Value? {
    let column = SQL(raw: SQL.quoted(try E.checkedIDColumn()))
    let stored = try entity.id.databaseValue
    if stored.isNull { return nil }
    let condition = try entity.id.matches(column)
    let sql: SQL = "SELECT \(column) FROM \(identifier: E.table) WHERE \(condition)"
    let found = try withStatement(sql) { statement in
      var found: [Value] = []
      while try statement.step() { found.append(try Row(statement).read(at: 0)) }
      return found
    }
    if found.count > 1 { throw repeated(E.self, entity.id) }
    return found.first == stored ? nil : found.first
  }

  /// Updates the row whose id is stored in another form, which it keeps; false where there is no such row.
  @usableFromInline
  func updateOtherForm<E: MappedEntity>(of entity: E) throws -> Bool {
    let mapping = E.mapping
    let statements = try statements(of: mapping, E.self)
    guard let stored = try otherForm(of: entity) else { return false }
    if statements.check != nil { try check(entity, statements) }
    var assignments: [SQL] = []
    for column in mapping.columns where column.name != statements.idColumn {
      assignments.append("\(identifier: column.name) = \(try column.value(entity))")
    }
    guard var sql = assignments.first else { return true }
    for assignment in assignments.dropFirst() { sql += ", " + assignment }
    let id = SQL(raw: SQL.quoted(statements.idColumn))
    try execute("UPDATE \(identifier: E.table) SET \(sql) WHERE \(id) = \(stored) AND \(id) = \(stored) COLLATE BINARY")
    return true
  }

  /// Throws where the table has a row with an entity's id in another form, which its UNIQUE does not notice.
  @usableFromInline
  func refuseOtherForm<E: MappedEntity>(of entity: E) throws {
    let statements = try statements(of: E.mapping, E.self)
    guard statements.isIDUnique, let stored = try otherForm(of: entity) else { return }
    throw DatabaseError(
      code: .constraintUnique,
      message: "\(E.table) has a row with this \(statements.idColumn) already, stored as \(stored)",
      columns: ["\(E.table).\(statements.idColumn)"])
  }

  private func isUnique(_ column: String, in table: String) throws -> Bool {
    try internalValue(
      """
      SELECT EXISTS(SELECT 1 FROM pragma_index_list(?1) AS list WHERE list."unique"
        AND (SELECT count(*) FROM pragma_index_info(list.name)) = 1
        AND (SELECT lower(name) FROM pragma_index_info(list.name)) = lower(?2))
      """, [.text(table), .text(column)]) == .integer(1)
  }

  /// An upsert changes nothing where a trigger takes the row away, or where a row has an id that only the column's
  /// collation takes for the same.
  @usableFromInline
  func explainNoUpsert<E: MappedEntity>(of entity: E) throws {
    let column = try E.checkedIDColumn()
    let id = try entity.id.databaseValue
    let sql: SQL = "SELECT \(identifier: column) FROM \(identifier: E.table) WHERE \(identifier: column) = \(id)"
    guard let stored = try value(sql, as: Value.self), stored != id, case .text = stored, case .text = id else {
      return
    }
    throw DatabaseError(
      code: .constraintUnique,
      message: "\(E.table) has a row with \(column) = \(stored), which the column's collation takes for \(id)",
      columns: ["\(E.table).\(column)"])
  }

  @usableFromInline @inline(never)
  func check<E: MappedEntity>(_ entity: E, _ statements: EntityStatements) throws {
    try (statements.check as? AffinityCheck<E>)?.check(entity, table: E.table, on: self)
  }

  @usableFromInline
  func repeated<E: Entity>(_ type: E.Type, _ id: E.ID) -> any Error {
    DatabaseError.misuse("the id \(id) stands more than once in \(E.table); an id of \(type) names one row")
  }

  @usableFromInline
  func missing(_ table: String, _ column: String, _ id: any ValueConvertible) -> any Error {
    let shown: String
    do { shown = try id.databaseValue.description } catch { shown = "\(id)" }
    return DatabaseError(code: .notFound, message: "there is no row in \(table) with \(column) = \(shown)")
  }
}
