import CFetchedResultsSQLite

/// Prevents a schema, which somebody else may have written, from calling the program's functions.
///
/// SQLite refuses a schema that calls a function marked for direct use only. But it checks only while it reads the
/// schema: it doesn't notice a function that is added later in a CHECK, a generated column or an index. So the schema
/// is read again after a function was added. In a CHECK, SQLite doesn't check functions that are not deterministic. So
/// each of these is registered as deterministic while the schema is read. The schema is also read again after it has
/// changed: before the writer's next transaction, and before the commit of a transaction that has changed it.
struct SchemaGuard {
  /// A function that can be added repeatedly.
  struct Function {
    let name: String
    /// The numbers of arguments for which it is added; -1 means any number.
    var counts: Set<Int32>
    let isDeterministic: Bool
    let make: (OpaquePointer, _ count: Int32, _ flags: Int32) -> Int32

    func add(to connection: Connection, asDeterministic: Bool) throws {
      for count in counts { try add(to: connection, count, asDeterministic: asDeterministic) }
    }

    fileprivate func add(to connection: Connection, _ count: Int32, asDeterministic: Bool) throws {
      let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (asDeterministic ? SQLITE_DETERMINISTIC : 0)
      let code = make(connection.handle, count, flags)
      if code != SQLITE_OK { throw DatabaseError(code, on: connection.handle, doing: "function \(name)") }
    }
  }

  /// The functions that were added, each for the numbers of arguments for which no later one has replaced it.
  fileprivate var functions: [Function] = [] {
    didSet { hasUnchecked = !unchecked.isEmpty }
  }
  fileprivate var hasUnchecked = false
  /// The versions of the files' schemas that were checked last.
  fileprivate var checkedVersions: [Int64] = []

  /// Makes the next check read the schema, whatever its version.
  mutating func forgetVersions() { checkedVersions = [] }

  /// Those that SQLite doesn't check in a CHECK.
  fileprivate var unchecked: [Function] { functions.filter { !$0.isDeterministic } }
}

extension Connection {
  /// Adds a function, unless the schema calls it. It replaces the functions with its name for every call that it
  /// accepts. If it is refused, these are as before.
  func add(_ function: SchemaGuard.Function) throws {
    var function = function
    let before = schemaGuard.functions
    let replaced = before.filter { $0.name.isSameName(as: function.name) }
    // SQLite prefers the function for an exact number of arguments to one for any number. Removing the exact one
    // would hide the other, so the new function is added for those numbers too.
    if function.counts.contains(-1) { for other in replaced { function.counts.formUnion(other.counts) } }
    // A replaced function must not come back when the schema is read again.
    for index in before.indices where before[index].name.isSameName(as: function.name) {
      schemaGuard.functions[index].counts.subtract(function.counts)
    }
    schemaGuard.functions.removeAll { $0.counts.isEmpty }
    schemaGuard.functions.append(function)
    do {
      if function.isDeterministic { try function.add(to: self, asDeterministic: true) }
      try checkSchema()
    } catch {
      schemaGuard.functions = before
      for count in function.counts {
        if let other = replaced.first(where: { $0.counts.contains(count) }) {
          try? other.add(to: self, count, asDeterministic: other.isDeterministic)  // the first error is thrown
        } else {
          sqlite3_create_function_v2(handle, function.name, count, SQLITE_UTF8, nil, nil, nil, nil, nil)
        }
      }
      expireStatements()
      throw error
    }
    // A function for another number of arguments may match a compiled call better.
    expireStatements()
  }

  /// Throws if the schema has changed so that it calls a function that it must not: by others, before a transaction, or
  /// by this transaction, before it is committed.
  func checkChangedSchema() throws {
    if !schemaGuard.hasUnchecked { return }
    let versions = try (["main", "temp"] + attachedNames).map { file in
      try internalInteger("PRAGMA \(SQL.quoted(file)).schema_version")
    }
    if versions == schemaGuard.checkedVersions { return }
    try checkSchema()
    schemaGuard.checkedVersions = versions
  }

  /// The same for a file that has just been attached, which SQLite has read with all functions present.
  func checkAttachedSchema() throws {
    if schemaGuard.hasUnchecked { try checkSchema() }
  }

  /// Reads the schema again; throws if it calls a function that it must not.
  private func checkSchema() throws {
    let unchecked = schemaGuard.unchecked
    do {
      for function in unchecked { try function.add(to: self, asDeterministic: true) }
      try readSchemaAgain()
    } catch {
      // A function that stayed deterministic would be called once for a whole statement.
      for function in unchecked { try? function.add(to: self, asDeterministic: false) }
      throw error
    }
    for function in unchecked { try function.add(to: self, asDeterministic: false) }
  }

  private func readSchemaAgain() throws {
    whenSchemaIsTouched?()
    try run("PRAGMA writable_schema = RESET")
    // Any table name makes SQLite read the whole schema.
    _ = try text("SELECT EXISTS (SELECT 1 FROM sqlite_schema)")
  }
}
