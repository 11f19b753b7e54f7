extension Database {
  /// Runs `body` with a connection for examining statements. An authorizer may be set on it; on other connections that
  /// would make every cached statement compile again.
  ///
  /// Code of the program that this database calls meanwhile, such as its trace, may plan too.
  package func withPlanner<T>(
    _ access: Connection.Access = Connection.uncancellable, _ body: (Connection) throws -> T
  ) throws -> T {
    guard let planners else { return try performRead(access, nil, body) }
    try checkFiles()
    let connection = try planners.acquire(access)
    var isSound = false
    defer { planners.release(connection, isSound: isSound) }
    connection.begin(access)
    defer { connection.endAccess() }
    try registrations.apply(to: connection)
    isSound = true
    return try body(connection)
  }
}

extension Connection {
  /// Reads the schemas of all files again if another connection has changed them.
  ///
  /// Preparing a statement uses the schema that the connection has read before, and only running one checks whether it
  /// is still current. So without this, a plan could be made for an earlier schema.
  package func readCurrentSchema() throws {
    for file in files { _ = try copiedRows("SELECT EXISTS (SELECT 1 FROM \(SQL.quoted(file)).sqlite_schema)") }
  }
}
