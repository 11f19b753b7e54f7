public import DataSources

/// A list that another program keeps, as a data source: it shows what a ``LiveFeed`` there shows.
///
/// ```swift
/// let errands = RemoteDataSource<Errand>(LocalTransport(feed))  // or a transport over HTTP
/// let badge = errands.observe { update in print("\(update.new.numberOfItems) to do") }
/// for await state in errands.states() { print(state) }  // connecting, live, stale(since: …, reason: …), live
/// ```
///
/// It connects at once, and again whenever the connection is lost, with growing pauses. Then it continues from where it
/// was: what it has missed is one ordinary update, with nothing in it that stayed the same. While it can't connect, it
/// shows the last list. If streams don't come through, as behind some proxies, it polls.
///
/// Bytes from a network can be anything. A frame that is wrong, or too large, is refused, and a new snapshot is read.
/// Each part of an answer becomes at most one update.
///
/// It reads until it is released. Its readers don't keep it alive, and end with it.
public final class RemoteDataSource<Item: Decodable & Sendable>: DataSourceProtocol {
  private let session: RemoteSession<Item>
  private let running: Task<Void, Never>

  /// Creates a data source without sections, and starts to read.
  public init(_ transport: some FeedTransport, options: RemoteOptions = RemoteOptions()) {
    let session = RemoteSession<Item>(transport, options)
    self.session = session
    running = Task { await session.run() }
  }

  deinit {
    running.cancel()
    session.finish()
  }

  /// The list as far as it has been read: first without sections, and the last one while there is no connection.
  public var snapshot: Snapshot<Item> { session.list.snapshot }

  /// The changes from now on.
  public func updates() -> AsyncStream<Update<Item>> { session.list.updates() }

  /// The current list and the changes from now on, taken at the same instant.
  public func follow() -> Following<Item> { session.list.follow() }

  /// Connects at once, reads a new snapshot, and returns when the list is that one. Publishes the difference.
  ///
  /// ```swift
  /// let remote = RemoteDataSource<Errand>(LocalTransport(feed))
  /// try await remote.reload()
  /// ```
  ///
  /// - Throws: Why that failed, a ``FeedError``. The list stays as it was, and further attempts follow, unless the
  ///   error is final.
  public func reload() async throws { try await session.reload() }

  /// Tries to connect at once, if it is not connected: such as when the network is back, or after a new sign-in.
  ///
  /// ```swift
  /// let remote = RemoteDataSource<Errand>(LocalTransport(feed))
  /// remote.reconnect()  // the network is back
  /// ```
  public func reconnect() { session.reconnect() }

  /// Whether the list is that of the service.
  public var state: FeedState { session.state }

  /// The state now, and then each new one. A reader that is slow receives only the newest.
  ///
  /// ```swift
  /// let remote = RemoteDataSource<Errand>(LocalTransport(feed))
  /// for await state in remote.states() { print(state) }
  /// ```
  ///
  /// For SwiftUI, `ValueModel(errands.states())` is the same as an observable value.
  public func states() -> AsyncStream<FeedState> { session.states() }

  /// The place of the first row in the whole list, and the number of all its rows, if the feed is a window.
  public var window: (first: Int, total: Int) { session.window }
}

extension RemoteDataSource where Item: Encodable & Identifiable, Item.ID: Sendable {
  /// Edits rows. The list shows the edit at once; the service gets it as changes of rows, and decides.
  ///
  /// ```swift
  /// do {
  ///   try await errands.edit { draft in
  ///     draft.update(at: ItemPath(section: 0, item: 0)) { $0.isDone = true }
  ///   }
  /// } catch let conflict as EditConflict {
  ///   print(conflict.reason)  // the list is again as the service has it
  /// }
  /// ```
  ///
  /// It returns when the service has accepted the edit. Until the service's own list has it, the edit is kept above
  /// whatever else changes there, so nothing flickers. Edits of sections are refused.
  ///
  /// - Throws: An ``EditConflict``, or a ``FeedError`` if the service can't be reached, takes no edits or has failed.
  ///   The edit is undone then. If the answer is lost on its way, the service may have made it: then it comes back with
  ///   the list.
  nonisolated(nonsending) public func edit(_ body: (inout Draft<Item>) throws -> Void) async throws {
    var draft = Draft(snapshot)
    try body(&draft)
    guard let update = draft.update else { return }
    let edits = try RowEdit.edits(of: update)
    try await session.edit(edits) { draft in for edit in edits { edit.apply(to: &draft) } }
  }
}
