/// An observation of commits; it ends when it is cancelled or released.
public final class CommitObservation: Sendable {
  private let id: Int
  private let database: WeakDatabase

  init(id: Int, database: Database) {
    self.id = id
    self.database = WeakDatabase(database)
  }

  deinit { cancel() }

  /// Ends the observation. A running call of the handler continues.
  public func cancel() { database.value?.cancelObservation(id) }
}

private final class WeakDatabase: Sendable {
  // because it is set once, before any other thread sees it; reading a weak reference is safe on any thread
  nonisolated(unsafe) private(set) weak var value: Database?
  init(_ value: Database) { self.value = value }
}
