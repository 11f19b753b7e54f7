import CSQLite

/// Prevents a schema, which somebody else may have written, from calling the program's functions.
///
/// SQLite refuses a schema that calls a function marked for direct use only. But it checks only while it reads the
/// schema: it doesn't notice a function that is added later in a CHECK, a generated column or an index. So the schema
/// is read again after a function was added. In a CHECK, SQLite doesn't check functions that are not deterministic. So
/// each of these is registered as deterministic while the schema is read.
struct SchemaGuard {
  /// A function that can be added repeatedly.
  struct Function {
    let name: String
    /// The numbers of arguments for which it is added; -1 means any number.
    var counts: Set<Int32>
    let isDeterministic: Bool
    let make: (OpaquePointer, _ count: Int32, _ flags: Int32) -> Int32

    func add(to connection: Connection, asDeterministic: Bool) throws {
      let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (asDeterministic ? SQLITE_DETERMINISTIC : 0)
      for count in counts {
        let code = make(connection.handle, count, flags)
        if code != SQLITE_OK { throw DatabaseError(code, on: connection.handle, doing: "function \(name)") }
      }
    }
  }

  /// The functions that are not deterministic.
  fileprivate var functions: [Function] = []
  /// The numbers of arguments for which a name has a function, by the name in upper case.
  fileprivate var counts: [ByteString: Set<Int32>] = [:]
}

extension Connection {
  /// Adds a function, unless the schema calls it. It replaces the functions with its name for every call that it
  /// accepts.
  func add(_ function: SchemaGuard.Function) throws {
    var function = function
    let name = ByteString(function.name.asciiUppercased)
    // SQLite prefers the function for an exact number of arguments to one for any number. Removing the exact one
    // would hide the other, so the new function is added for those numbers too.
    let known = schemaGuard.counts[name] ?? []
    if function.counts.contains(-1) { function.counts.formUnion(known) }
    let before = schemaGuard.functions
    // A replaced function must not come back when the schema is read again.
    for index in before.indices where before[index].name.isSameName(as: function.name) {
      schemaGuard.functions[index].counts.subtract(function.counts)
    }
    schemaGuard.functions.removeAll { $0.counts.isEmpty }
    do {
      if function.isDeterministic {
        try function.add(to: self, asDeterministic: true)
      } else {
        schemaGuard.functions.append(function)
      }
      try checkSchema()
    } catch {
      schemaGuard.functions = before
      throw error
    }
    schemaGuard.counts[name] = known.union(function.counts)
    // A function for another number of arguments may match a compiled call better.
    expireStatements()
  }

  /// The same for a file that has just been attached, which SQLite has read with all functions present.
  func checkAttachedSchema() throws {
    if !schemaGuard.functions.isEmpty { try checkSchema() }
  }

  /// Reads the schema again; throws if it calls a function that it must not.
  private func checkSchema() throws {
    do {
      for function in schemaGuard.functions { try function.add(to: self, asDeterministic: true) }
      try readSchemaAgain()
    } catch {
      // A function that stayed deterministic would be called once for a whole statement.
      for function in schemaGuard.functions { try? function.add(to: self, asDeterministic: false) }
      throw error
    }
    for function in schemaGuard.functions { try function.add(to: self, asDeterministic: false) }
  }

  private func readSchemaAgain() throws {
    try run("PRAGMA writable_schema = RESET")
    // Any table name makes SQLite read the whole schema.
    _ = try text("SELECT count(*) FROM sqlite_schema")
  }
}
