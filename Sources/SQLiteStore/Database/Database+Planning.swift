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
    if !attachedNames.isEmpty { expireStatements(for: try schemaVersions()) }
  }

  /// The versions of the schemas of the main file and of the attached files.
  func schemaVersions() throws -> [Int64] {
    try (["main"] + attachedNames).map { try internalInteger("PRAGMA \(SQL.quoted($0)).schema_version") }
  }

  /// Makes names mean what they mean in the files as they are now. Call it inside a transaction.
  ///
  /// SQLite looks for the table `note` in one file after another, and takes the first one. It compiles a statement
  /// again if the schema of a file that the statement uses has changed, but not if the table is then created in an
  /// earlier file.
  func resolveNames() throws {
    if attachedNames.isEmpty { return }
    if try schemaVersions() != compiledSchemas { try readCurrentSchema() }
  }

  /// The same after a statement that may have changed the schema itself. What it has changed, SQLite knows already.
  func resolveNamesAgain() {
    if attachedNames.isEmpty { return }
    expireStatements(for: (try? schemaVersions()) ?? [])
  }

  private func expireStatements(for versions: [Int64]) {
    if versions == compiledSchemas, !versions.isEmpty { return }
    expireStatements()
    compiledSchemas = versions
  }
}
