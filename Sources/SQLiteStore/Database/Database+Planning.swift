extension Database {
  /// Runs `body` with a connection on which statements may be examined: an authorizer may be set there, which on the others
  /// would make every statement that is kept compile again.
  ///
  /// What the program has this database call on the way, as its trace, may plan as well.
  package func withPlanner<T>(
    _ access: Connection.Access = Connection.uncancellable, _ body: (Connection) throws -> T
  ) throws -> T {
    guard let planners else { return try performRead(access, nil, body) }
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
