extension Database {
  /// Runs `body` with a connection on which statements may be examined: an authorizer may be set there, which on the others
  /// would make every statement that is kept compile again.
  package func withPlanner<T>(_ body: (Connection) throws -> T) throws -> T {
    guard let file else { return try read(body) }
    return try planning.withLock {
      let connection = try planner ?? ConnectionOpener(path: file, options: options).open(isReader: true)
      planner = connection
      connection.database = self
      connection.begin(Connection.uncancellable)
      defer { connection.endAccess() }
      try registrations.apply(to: connection)
      return try body(connection)
    }
  }

  func closePlanner() {
    planning.withLock {
      planner?.close()
      planner = nil
    }
  }
}
