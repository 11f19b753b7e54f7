import CFetchedResultsSQLite
import FetchedResultsSupport

/// The connections that read: opened when needed, up to a limit, and kept for reuse.
final class ReaderPool: Sendable {
  let lock = Lock()
  private let opener: ConnectionOpener
  let limit: Int
  private let isOfUsers: Bool
  // because every access is under `lock`; a connection is used only by the thread that it was given to
  nonisolated(unsafe) private(set) var state = State()

  struct State {
    var idle: [Connection] = []
    var held: [(thread: ThreadID, since: UInt64, connection: Connection)] = []
    /// The waiters, in order. Each has a place of its own, so that a returned connection wakes one thread and not all.
    var waiting: [WaitingPlace] = []
    /// The number of connections that are being opened, and closed.
    var opening = 0
    var closing = 0
    var isClosed = false
    var lastRelease: UInt64 = 0
    weak var database: Database?
  }

  init(opener: ConnectionOpener, limit: Int, isOfUsers: Bool = false) {
    self.opener = opener
    self.limit = limit
    self.isOfUsers = isOfUsers
  }

  var database: Database? {
    get { lock.withLock { state.database } }
    set { lock.withLock { state.database = newValue } }
  }

  /// The connection with which this thread is reading already.
  var heldByCurrentThread: Connection? {
    lock.withLock {
      let me = ThreadID.current
      return state.held.first { $0.thread == me }?.connection
    }
  }

  /// Takes a connection, in order of asking. `access` is checked again for cancellation whenever the pool is nudged.
  ///
  /// - Parameters:
  ///   - since: When the caller began to wait, if that was before now.
  ///   - impatience: Why a connection that is opened must not wait for a lock, if so.
  func acquire(
    _ access: Connection.Access, since: UInt64? = nil, impatience: BusyHandler.Impatience? = nil
  ) throws -> Connection {
    let me = ThreadID.current
    let since = since ?? MonotonicClock.now()
    let (idle, database) = try lock.withLock { () -> (Connection?, Database?) in
      try awaitTurn(access, since)
      if let connection = state.idle.popLast() {
        state.held.append((me, MonotonicClock.now(), connection))
        return (connection, nil)
      }
      state.opening += 1
      return (nil, state.database)
    }
    if let idle { return idle }
    do {
      let connection = try opener.open(isReader: true, access, since: since, impatience: impatience)
      connection.database = database
      do {
        try database?.checkFilesNow()
      } catch {
        connection.close()
        throw error
      }
      lock.withLock {
        state.opening -= 1
        state.held.append((me, MonotonicClock.now(), connection))
      }
      return connection
    } catch {
      lock.withLock {
        state.opening -= 1
        wakeNext()
        lock.wakeAll()  // for the thread in `close`
      }
      throw error
    }
  }

  /// Waits until there is a connection for the caller, who holds the lock.
  private func awaitTurn(_ access: Connection.Access, _ began: UInt64) throws {
    var place: WaitingPlace?
    defer {
      if let place {
        state.waiting.removeAll { $0 === place }
        // There may be a connection for the next waiter too, or for the next one instead.
        wakeNext()
      }
    }
    let timeout = opener.options.busyTimeout.nanoseconds
    while true {
      if state.isClosed { throw DatabaseError.misuse("the database has been closed") }
      if access.isCancelled { throw CancellationError() }
      let isFree = !state.idle.isEmpty || state.held.count + state.opening < limit
      if isFree, place.map({ state.waiting.first === $0 }) ?? state.waiting.isEmpty { return }
      // As for writes: a long queue is fine if it moves, and an error if it doesn't.
      let since = max(began, state.lastRelease)
      if MonotonicClock.now() - min(since, MonotonicClock.now()) >= timeout { throw isBusyError }
      let mine = place ?? WaitingPlace(under: lock)
      if place == nil {
        place = mine
        state.waiting.append(mine)
      }
      mine.wait(until: since + timeout)
    }
  }

  /// The caller holds the lock.
  private func wakeNext() { state.waiting.first?.wake() }

  var isBusyError: DatabaseError {
    DatabaseError(
      code: .busy,
      message: isOfUsers
        ? "all \(limit) readers have been busy for longer than the timeout of \(opener.options.busyTimeout); "
          + "allow more with Options.maximumReaders, or keep reads shorter"
        : "all \(limit) connections on which lists are read have been busy for longer than the timeout of "
          + "\(opener.options.busyTimeout); follow fewer lists whose queries take long, or make the queries shorter")
  }

  /// When a reader was last returned, if all of them are in use; nil if one is free.
  var busySince: UInt64? { lock.withLock { state.held.count + state.opening < limit ? nil : state.lastRelease } }

  /// Takes a connection back. An unusable one is closed.
  func release(_ connection: Connection, isSound: Bool) {
    let isKept = lock.withLock {
      state.held.removeAll { $0.connection === connection }
      let isKept = isSound && !state.isClosed
      if isKept { state.idle.append(connection) } else { state.closing += 1 }
      state.lastRelease = MonotonicClock.now()
      wakeNext()
      lock.wakeAll()  // for threads in `awaitReads`
      return isKept
    }
    guard !isKept else { return }
    connection.close()
    lock.withLock {
      state.closing -= 1
      lock.wakeAll()
    }
  }

  /// Waits until all reads that began before a moment in the past have ended, and returns true. Returns false if one of
  /// them takes longer than `limit`, has already taken longer, or belongs to this thread.
  func awaitReads(begunBefore moment: UInt64, for limit: UInt64) -> Bool {
    lock.withLock {
      let me = ThreadID.current
      let now = MonotonicClock.now()
      guard state.held.allSatisfy({ $0.since >= moment || (now - $0.since < limit && $0.thread != me) }) else {
        return false
      }
      while state.held.contains(where: { $0.since < moment }) {
        guard MonotonicClock.now() < now + limit else { return false }
        lock.wait(until: now + limit)
      }
      return true
    }
  }

  /// Makes every waiter check again whether it was cancelled.
  func nudge() { lock.withLock { wakeAllWaiting() } }

  /// The caller holds the lock.
  private func wakeAllWaiting() { for place in state.waiting { place.wake() } }

  func interruptAll() {
    lock.withLock {
      for (_, _, connection) in state.held { sqlite3_interrupt(connection.handle) }
    }
  }

  /// Refuses new reads, waits for running ones, and closes all connections. The last connection to a file must be the
  /// writer's, because a reader would leave the log behind.
  func close() {
    let idle = lock.withLock {
      state.isClosed = true
      wakeAllWaiting()
      while !state.held.isEmpty || state.opening + state.closing > 0 { lock.wait() }
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { connection.close() }
  }

  /// Closes the connections when nobody can be reading any more.
  func closeAll() {
    for connection in lock.withLock({ state.idle }) { connection.close() }
  }
}
