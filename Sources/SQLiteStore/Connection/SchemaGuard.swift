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
    /// The numbers of arguments that it is added for; -1 stands for any number.
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

  /// Those that are not deterministic.
  fileprivate var functions: [Function] = []
  /// For which numbers of arguments a name has a function, by the name in capital letters.
  fileprivate var counts: [ByteString: Set<Int32>] = [:]
}

extension Connection {
  /// Adds a function, unless the schema calls it. It takes the place of those of its name, for every call that it takes.
  func add(_ function: SchemaGuard.Function) throws {
    var function = function
    let name = ByteString(function.name.asciiUppercased)
    // SQLite calls the one that is for just so many arguments before one that takes any number. To remove that one would hide the
    // other, so the new one is added for those numbers too.
    let known = schemaGuard.counts[name] ?? []
    if function.counts.contains(-1) { function.counts.formUnion(known) }
    let before = schemaGuard.functions
    // What is replaced must not come back when the schema is read again.
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
    // One for another number of arguments can be the better match of a call that was compiled before.
    expireStatements()
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
