/// What every connection of a database must have: functions, collations, attached files, tracing. A connection takes over
/// what is new when it is next used.
final class Registrations: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var entries: [@Sendable (Connection) throws -> Void] = []

  func add(_ entry: @escaping @Sendable (Connection) throws -> Void) { lock.withLock { entries.append(entry) } }

  func apply(to connection: Connection) throws {
    let missing = lock.withLock {
      connection.registrationVersion == entries.count ? [] : Array(entries[connection.registrationVersion...])
    }
    for entry in missing {
      try entry(connection)
      connection.registrationVersion += 1
    }
  }
}
