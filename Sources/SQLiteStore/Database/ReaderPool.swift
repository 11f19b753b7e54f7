import CSQLite

/// The connections that read: opened when needed, up to a limit, and kept.
final class ReaderPool: Sendable {
  private let lock = Lock()
  private let opener: ConnectionOpener
  private let limit: Int
  private let isOfUsers: Bool
  // because every access is under `lock`; a connection is used by the thread that it was given to
  nonisolated(unsafe) private var state = State()

  private struct State {
    var idle: [Connection] = []
    var held: [(thread: ThreadID, since: UInt64, connection: Connection)] = []
    /// Those who wait, in turn; each in a place of its own, so that a connection that comes back wakes one thread and not all.
    var waiting: [WaitingPlace] = []
    /// How many are being opened, and closed.
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

  /// The connection that this thread reads with already.
  var heldByCurrentThread: Connection? {
    lock.withLock {
      let me = ThreadID.current
      return state.held.first { $0.thread == me }?.connection
    }
  }

  /// Takes a connection, in turn. `access` is asked again whether it was called off whenever the pool is nudged.
  ///
  /// - Parameter since: when the caller began to wait, where that was before now.
  func acquire(_ access: Connection.Access, since: UInt64? = nil) throws -> Connection {
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
      let connection = try opener.open(isReader: true, access, since: since)
      connection.database = database
      lock.withLock {
        state.opening -= 1
        state.held.append((me, MonotonicClock.now(), connection))
      }
      return connection
    } catch {
      lock.withLock {
        state.opening -= 1
        wakeNext()
        lock.wakeAll()  // for who closes
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
        // There may be a connection for the next one too, or for the next one instead.
        wakeNext()
      }
    }
    let timeout = opener.options.busyTimeout.nanoseconds
    while true {
      if state.isClosed { throw DatabaseError.misuse("the database has been closed") }
      if access.isCancelled { throw CancellationError() }
      let isFree = !state.idle.isEmpty || state.held.count + state.opening < limit
      if isFree, place.map({ state.waiting.first === $0 }) ?? state.waiting.isEmpty { return }
      // As for writes: a queue that moves may be long, one that stands still is an error.
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

  /// When a reader came back last, while all of them are in use; nil where one is free.
  var busySince: UInt64? { lock.withLock { state.held.count + state.opening < limit ? nil : state.lastRelease } }

  /// Takes a connection back; one that is not sound is closed.
  func release(_ connection: Connection, isSound: Bool) {
    let isKept = lock.withLock {
      state.held.removeAll { $0.connection === connection }
      let isKept = isSound && !state.isClosed
      if isKept { state.idle.append(connection) } else { state.closing += 1 }
      state.lastRelease = MonotonicClock.now()
      wakeNext()
      lock.wakeAll()  // for those who wait until others have read
      return isKept
    }
    guard !isKept else { return }
    connection.close()
    lock.withLock {
      state.closing -= 1
      lock.wakeAll()
    }
  }

  /// Waits until nobody reads any more who began before a moment that is past, and says whether that is so. Not where one of them takes
  /// longer than the limit, or has by now, or is this very thread.
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

  /// Makes every waiter ask again whether it was called off.
  func nudge() { lock.withLock { wakeAllWaiting() } }

  /// The caller holds the lock.
  private func wakeAllWaiting() { for place in state.waiting { place.wake() } }

  func interruptAll() {
    lock.withLock {
      for (_, _, connection) in state.held { sqlite3_interrupt(connection.handle) }
    }
  }

  /// Refuses whoever comes from now on, waits for those who read, and closes the connections. None is open any more when it returns: the
  /// last connection to a file has to be the writer's, as readers leave the log.
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
