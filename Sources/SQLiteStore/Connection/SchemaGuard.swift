import CSQLite

/// Keeps the functions of the program out of reach of a schema, which may be somebody else's.
///
/// SQLite refuses a schema that calls what is for direct use only. But it looks while it reads the schema: a function that comes later
/// is not noticed in a CHECK, a generated column or an index. So the schema is read anew when one has come. And it does not look at
/// all in a CHECK at functions that are not deterministic, so that each is taken for one that is while the schema is read.
struct SchemaGuard {
  /// A function as it can be added, as often as it takes.
  struct Function {
    let name: String
    let isDeterministic: Bool
    let make: (OpaquePointer, _ flags: Int32) -> Int32

    func add(to connection: Connection, asDeterministic: Bool) throws {
      let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (asDeterministic ? SQLITE_DETERMINISTIC : 0)
      let code = make(connection.handle, flags)
      if code != SQLITE_OK { throw DatabaseError(code, on: connection.handle, doing: "function \(name)") }
    }
  }

  /// Those that are not deterministic.
  fileprivate var functions: [Function] = []
}

extension Connection {
  /// Adds a function, unless the schema calls it.
  func add(_ function: SchemaGuard.Function) throws {
    if function.isDeterministic {
      try function.add(to: self, asDeterministic: true)
      return try checkSchema()
    }
    schemaGuard.functions.append(function)
    do {
      try checkSchema()
    } catch {
      schemaGuard.functions.removeLast()
      throw error
    }
  }

  /// The same for a file that has just been attached, which SQLite has read with all functions there.
  func checkAttachedSchema() throws {
    if !schemaGuard.functions.isEmpty { try checkSchema() }
  }

  /// Reads the schema anew; throws when it calls a function that it must not.
  private func checkSchema() throws {
    for function in schemaGuard.functions { try function.add(to: self, asDeterministic: true) }
    try run("PRAGMA writable_schema = RESET")
    // Any table's name has SQLite read all there is.
    _ = try text("SELECT count(*) FROM sqlite_schema")
    for function in schemaGuard.functions { try function.add(to: self, asDeterministic: false) }
  }
}
