import CSQLite

/// The connections that read: opened when needed, up to a limit, and kept.
final class ReaderPool: Sendable {
  private let lock = Lock()
  private let opener: ConnectionOpener
  private let limit: Int
  // because every access is under `lock`; a connection is used by the thread that it was given to
  nonisolated(unsafe) private var state = State()

  private struct State {
    var idle: [Connection] = []
    var held: [(thread: ThreadID, since: UInt64, connection: Connection)] = []
    var opening = 0
    var isClosed = false
    var lastRelease: UInt64 = 0
    weak var database: Database?
  }

  init(opener: ConnectionOpener, limit: Int) {
    self.opener = opener
    self.limit = limit
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

  func acquire(_ access: Connection.Access) throws -> Connection {
    let timeout = opener.options.busyTimeout.nanoseconds
    let me = ThreadID.current
    lock.lock()
    let began = MonotonicClock.now()
    while true {
      if state.isClosed {
        lock.unlock()
        throw DatabaseError.misuse("the database has been closed")
      }
      if access.isCancelled {
        lock.unlock()
        throw CancellationError()
      }
      if let connection = state.idle.popLast() {
        state.held.append((me, MonotonicClock.now(), connection))
        lock.unlock()
        return connection
      }
      if state.held.count + state.opening < limit { break }
      // As for writes: a queue that moves may be long, one that stands still is an error.
      let since = max(began, state.lastRelease)
      if MonotonicClock.now() - since >= timeout {
        lock.unlock()
        throw DatabaseError(
          code: .busy,
          message: "all \(limit) readers have been busy for longer than the timeout of \(opener.options.busyTimeout); "
            + "allow more with Options.maximumReaders, or keep reads shorter")
      }
      lock.wait(until: since + timeout)
    }
    state.opening += 1
    let database = state.database
    lock.unlock()
    do {
      let connection = try opener.open(isReader: true)
      connection.database = database
      lock.withLock {
        state.opening -= 1
        state.held.append((me, MonotonicClock.now(), connection))
      }
      return connection
    } catch {
      lock.withLock {
        state.opening -= 1
        lock.wakeAll()
      }
      throw error
    }
  }

  /// Takes a connection back; one that is not sound is closed.
  func release(_ connection: Connection, isSound: Bool) {
    let isKept = lock.withLock {
      state.held.removeAll { $0.connection === connection }
      let isKept = isSound && !state.isClosed
      if isKept { state.idle.append(connection) }
      state.lastRelease = MonotonicClock.now()
      lock.wakeAll()
      return isKept
    }
    if !isKept { connection.close() }
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

  func nudge() { lock.withLock { lock.wakeAll() } }

  func interruptAll() {
    lock.withLock {
      for (_, _, connection) in state.held { sqlite3_interrupt(connection.handle) }
    }
  }

  /// Refuses whoever comes from now on, waits for those who read, and closes the connections.
  func close() {
    let idle = lock.withLock {
      state.isClosed = true
      lock.wakeAll()
      while !state.held.isEmpty || state.opening > 0 { lock.wait() }
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
