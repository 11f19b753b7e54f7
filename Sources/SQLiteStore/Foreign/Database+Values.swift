import FetchedResultsSupport

extension Database {
  /// The result of a read, now and whenever a commit has changed it.
  ///
  /// ```swift
  /// for try await count in database.values({ c in try c.value("SELECT count(*) FROM item", as: Int.self) }) {
  ///   print(count ?? 0)
  /// }
  /// ```
  ///
  /// The first value comes at once. After that the read runs again when a commit, of this program or another one, has
  /// touched a table that it reads; SQLite says which these are. A value that is equal to the one before is left out,
  /// and of several commits that a slow reader has missed only the last state is read. The stream throws what the read
  /// throws, and ends when the database is closed.
  ///
  /// The cost of a commit is that of the read. A list follows its rows instead, see `FetchedResultsController`.
  ///
  /// - Parameter read: The read. It must depend on nothing but the database.
  public func values<T: Equatable & Sendable>(
    _ read: @escaping @Sendable (Connection) throws -> T
  ) -> AsyncThrowingStream<T, any Error> {
    let reader = ValueReader(self, read)
    return AsyncThrowingStream { try await reader.next() }
  }
}

/// Reads a value again and again. One task at a time asks for the next one.
private final class ValueReader<T: Equatable & Sendable>: Sendable {
  private struct State {
    var commits: AsyncStream<Commit>?
    var tables: Set<String> = []
    var last: T?
  }

  private let database: Database
  private let read: @Sendable (Connection) throws -> T
  private let tablesRead = TablesRead()
  private let state = Locked(State())

  init(_ database: Database, _ read: @escaping @Sendable (Connection) throws -> T) {
    (self.database, self.read) = (database, read)
  }

  func next() async throws -> T? {
    do {
      return try await nextValue()
    } catch {
      // The database was closed during a read.
      if database.wasClosed, state.withLock({ $0.last != nil }) { return nil }
      throw error
    }
  }

  private func nextValue() async throws -> T? {
    while true {
      if let commits = state.withLock({ $0.last == nil ? nil : $0.commits }) {
        var iterator = commits.makeAsyncIterator()
        guard let commit = await iterator.next() else { return nil }
        // The schema may have changed.
        let isOfEverything = commit.changes.values.contains { if case .everything = $0 { true } else { false } }
        if isOfEverything { tablesRead.forget() }
      }
      var value = try await readOnce()
      // Commits between the read and the observation of its tables would be missed: observe, and read again.
      while follow(tablesRead.tables) { value = try await readOnce() }
      let isNew = state.withLock { state in
        defer { state.last = value }
        return state.last != value
      }
      if isNew { return value }
    }
  }

  private func readOnce() async throws -> T {
    try await database.read { [self] c in try tablesRead.noting(on: c) { try read(c) } }
  }

  /// Observes the tables; returns false if they are observed already.
  private func follow(_ tables: Set<String>) -> Bool {
    let observed = state.withLock { $0.commits == nil ? nil : $0.tables }
    if let observed, tables.isSubset(of: observed) { return false }
    let all = tables.union(observed ?? [])
    let commits = database.commits(to: all.sorted())
    state.withLock { ($0.commits, $0.tables) = (commits, all) }
    return true
  }
}
