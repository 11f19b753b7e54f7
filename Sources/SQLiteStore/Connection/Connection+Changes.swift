// Writes of some columns, and of many rows.
extension Connection {
  // MARK: Some columns

  /// Sets a property of the row with an id; throws if there is no such row.
  ///
  /// ```swift
  /// try await database.write { c in try c.update(Item.self, id: 7, \.done, true) }
  /// ```
  public func update<E: MappedEntity, V: ValueConvertible>(
    _ type: E.Type, id: E.ID, _ property: any KeyPath<E, V> & Sendable, _ value: V
  ) throws {
    try update(type, id: id, set: (property, value))
  }

  /// Sets some properties of the row with an id; throws if there is no such row.
  ///
  /// ```swift
  /// try await database.write { c in try c.update(Item.self, id: 7, set: (\.done, true), (\.priority, 0)) }
  /// ```
  public func update<E: MappedEntity, each V: ValueConvertible>(
    _ type: E.Type, id: E.ID, set properties: repeat (any KeyPath<E, each V> & Sendable, each V)
  ) throws {
    let statements = try statements(of: E.mapping, type)
    guard let assignments = try assignments(type, ofRow: id, repeat each properties) else { return }
    guard let stored = try storedIDs(type, id).first else { throw missing(E.table, E.idColumn, id) }
    let column = SQL(raw: SQL.quoted(statements.idColumn))
    let condition: SQL = "\(column) = \(stored) AND \(column) = \(stored) COLLATE BINARY"
    let count = try execute("UPDATE \(raw: statements.table.quoted) SET " + assignments + " WHERE " + condition)
    if count == 0, !statements.table.isView { throw cancelledUpdate(E.table, E.idColumn, id) }
  }

  /// What follows SET to give properties these values; nil if there are none. Throws if a value would be read back as
  /// another one. It must come before all other parameters of its statement.
  package func assignments<E: MappedEntity, each V: ValueConvertible>(
    _ type: E.Type, ofRow id: E.ID? = nil, _ properties: repeat (any KeyPath<E, each V> & Sendable, each V)
  ) throws -> SQL? {
    let statements = try statements(of: E.mapping, type)
    var values: [(column: String, value: any ValueConvertible)] = []
    for (path, value) in repeat each properties { values.append((try settableColumn(path), value)) }
    if values.isEmpty { return nil }
    try check(type, statements, ofRow: id) { property in values.last { $0.column == property.name }?.value }
    let bindings = try values.map { column, value in
      let stored = try value.databaseValue
      if case .real(let real) = stored, real.isNaN {
        throw DatabaseError(
          code: .mismatch, message: "column \"\(column)\" of \(E.table) can't hold a NaN", columns: [column])
      }
      return stored
    }
    let text = values.enumerated().map { statements.assignment($1.column, "?\($0 + 1)") }.joined(separator: ", ")
    return SQL(raw: text, bindings: bindings)
  }

  /// The column of a property that may be set.
  private func settableColumn<E: MappedEntity>(_ path: PartialKeyPath<E>) throws -> String {
    guard let column = E.mapping.column(of: path) else {
      throw DatabaseError.misuse("\(path) is no mapped column of \(E.self), so it can't be set")
    }
    if column == E.idColumn { throw idIsFixed(E.self) }
    return column
  }

  private func idIsFixed<E: Entity>(_ type: E.Type) -> DatabaseError {
    .misuse("the id of a row in \(E.table) can't be set: delete the row, and insert another one")
  }

  /// Changes an entity and its row: writes the columns whose value differs, and no others. Returns whether any did.
  ///
  /// ```swift
  /// try await database.write { c in
  ///   guard var item = try c.entity(Item.self, id: 7) else { return }
  ///   try c.update(changing: &item) { $0.priority += 1 }
  /// }
  /// ```
  ///
  /// A column that somebody else has changed since the entity was read is not set back. If it throws, the entity is as
  /// it was. Throws if there is no such row.
  @discardableResult
  public func update<E: MappedEntity>(
    changing entity: inout E, _ change: (_ entity: inout E) throws -> Void
  ) throws -> Bool {
    var changed = entity
    try change(&changed)
    let isWritten = try writeDifference(from: entity, to: changed)
    entity = changed
    return isWritten
  }

  private func writeDifference<E: MappedEntity>(from old: E, to new: E) throws -> Bool {
    let mapping = E.mapping
    let differences = try mapping.differences(old, new)
    if differences == 0 { return false }
    let statements: EntityStatements
    if let recent = recentEntityStatements, recent.owner === mapping {
      statements = recent
    } else {
      statements = try self.statements(of: mapping, E.self)
    }
    // A mask has no room for more columns. Such an entity is written as a whole.
    if mapping.columnNames.count >= 64 {
      try update(new)
      return true
    }
    if differences & statements.idBit != 0 { throw idIsFixed(E.self) }
    let written = differences & ~statements.generatedBits
    if written == 0 { return false }
    let isSimple = E.ID.storedForms == .one && statements.isUpdateSimple
    let stored = try isSimple ? nil : storedIDs(of: new).first
    if !isSimple, stored == nil { throw missing(E.table, E.idColumn, new.id) }
    if statements.check != nil {
      let names = Set(columnNames(written, statements))
      try check(E.self, statements, ofRow: new.id) { names.contains($0.name) ? $0.get(new) : nil }
    }
    let statement = try statementForUpdate(of: written, statements)
    do {
      try statement.begin()
      let count = try mapping.bind(written, of: new, to: statement.engine)
      let id = Parameter(statement: statement.engine, index: count + 1)
      if let stored { try stored.bind(to: id) } else { try new.id.bind(to: id) }
      while try statement.step() {}
    } catch {
      statement.end()
      (statements.updatesOfSome[written], statements.lastUpdateOfSome) = (nil, nil)
      throw naming(error, of: new)
    }
    statement.end(keepingBindings: true)
    if statement.changes == 0, !statements.table.isView { throw try notUpdated(new) }
    return true
  }

  private func columnNames(_ bits: UInt64, _ statements: EntityStatements) -> [String] {
    statements.columnNames.enumerated().filter { bits & 1 << UInt64($0.offset) != 0 }.map(\.element)
  }

  private func statementForUpdate(of columns: UInt64, _ statements: EntityStatements) throws -> Statement {
    if let last = statements.lastUpdateOfSome, last.columns == columns { return last.statement }
    let statement: Statement
    if let known = statements.updatesOfSome[columns] {
      statement = known
    } else {
      let names = columnNames(columns, statements)
      try statements.checkColumns(names)
      statement = try prepare(statements.update(of: names))
      statement.engine.pointee.writesEntity = true
      // A program that changes ever other columns together must not accumulate statements.
      if statements.updatesOfSome.count >= 16 { statements.updatesOfSome = [:] }
      statements.updatesOfSome[columns] = statement
    }
    statements.lastUpdateOfSome = (columns, statement)
    return statement
  }

  // MARK: New rows

  /// Inserts entities, in order.
  ///
  /// ```swift
  /// try database.write { c in try c.insert(contentsOf: ["Milk", "Stamps"].map { Item(title: $0) }) }
  /// ```
  ///
  /// If one can't be inserted, it throws, and those before it stay inserted unless the write is undone.
  @inlinable
  public func insert<E: MappedEntity>(contentsOf entities: some Sequence<E>) throws {
    for entity in entities { try insert(entity) }
  }

  /// Inserts an entity whose id is nil, and returns the id that the table has generated.
  ///
  /// ```swift
  /// let id: Int64 = try await database.write { c in try c.insert(Item(title: "Milk")) }
  /// ```
  ///
  /// An id that the entity already has is stored and returned.
  @discardableResult @inlinable
  public func insert<E: MappedEntity, ID: ValueConvertible>(_ entity: E) throws -> ID where E.ID == ID? {
    let id: E.ID = try insert(entity)
    guard let id else { throw takenAway(E.table) }
    return id
  }

  /// Inserts an entity that has no id yet, or inserts or updates the row that has its id, and returns the entity as it
  /// is stored, with its id.
  ///
  /// ```swift
  /// let item = try database.write { c in try c.save(Item(title: "Cake")) }  // with its id
  /// ```
  @discardableResult
  public func save<E: MappedEntity>(_ entity: E) throws -> E {
    if try entity.id.databaseValue.isNull { return try inserted(entity) }
    try upsert(entity)
    return entity
  }
}
