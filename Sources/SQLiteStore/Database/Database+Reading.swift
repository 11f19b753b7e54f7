import CFetchedResultsSQLite
import FetchedResultsSupport

extension Database {
  /// Reads from one snapshot of the database: later commits are not seen, and no writer waits.
  ///
  /// ```swift
  /// let titles = try database.read { c in try c.values("SELECT title FROM item", as: String.self) }
  /// ```
  ///
  /// Writing fails. A read inside a read sees the same snapshot; a read inside a write sees the state before it.
  public func read<T>(_ body: (Connection) throws -> T) throws -> T {
    try performRead(Connection.uncancellable, nil, body)
  }

  /// Reads without blocking the calling task. When the task is cancelled, the running statement is interrupted and
  /// `CancellationError` is thrown.
  ///
  /// The result leaves the connection's thread: values, entities, and the rows of `rows` and `row`, which are copies.
  ///
  /// ```swift
  /// let lists = try await database.read { c in try c.rows("SELECT list, count(*) AS number FROM item GROUP BY list") }
  /// for list in lists { print(try list["list"] as Int, try list["number"] as Int) }
  /// ```
  public func read<T>(_ body: @escaping @Sendable (Connection) throws -> sending T) async throws -> sending T {
    try await readQueue.run(on: self) { access, since in
      try self.performRead(access, since) { Sent(value: try body($0)) }
    }.value
  }

  /// Reads with a closure that returns nothing.
  ///
  /// With this overload, a closure that calls `read` may itself return nothing.
  public func read(_ body: (Connection) throws -> Void) throws {
    try performRead(Connection.uncancellable, nil, body)
  }

  /// Reads without blocking the calling task, with a closure that returns nothing.
  public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
    try await readQueue.run(on: self) { access, since in try self.performRead(access, since, body) }
  }

  func performRead<T>(
    _ access: Connection.Access, _ since: UInt64?, _ body: (Connection) throws -> T
  ) throws -> T {
    if let outer = readers?.heldByCurrentThread { return try body(outer) }
    try checkFiles()
    do {
      let body = { (connection: Connection) in
        try connection.resolveNames()
        return try body(connection)
      }
      guard let readers else { return try readInMemory(access, since, body) }
      return try read(readers, access, since, body)
    } catch {
      throw explained(error)
    }
  }

  /// Reads for a list, from a snapshot of its own, even inside a read. The state is not fixed yet when `body` is
  /// called.
  func readForList<T>(_ access: Connection.Access, _ body: (Connection) throws -> T) throws -> T {
    try checkFiles()
    guard let listReaders else { return try readInMemory(access, nil, body) }
    return try read(listReaders, access, nil, body)
  }

  private func read<T>(
    _ readers: ReaderPool, _ access: Connection.Access, _ since: UInt64?, _ body: (Connection) throws -> T
  ) throws -> T {
    let connection = try readers.acquire(access, since: since, impatience: impatienceOfReads)
    var isSound = false
    defer { readers.release(connection, isSound: isSound) }
    return try read(on: connection, access, &isSound, body)
  }

  /// Why a read on this thread must not wait for a lock of the file; nil if it may.
  private var impatienceOfReads: BusyHandler.Impatience? {
    options.journal == .delete && writerLock.isHeldByCurrentThread ? .ownWrite : nil
  }

  func read<T>(
    on connection: Connection, _ access: Connection.Access, _ isSound: inout Bool, _ body: (Connection) throws -> T
  ) throws -> T {
    connection.begin(access)
    connection.busy.impatience = impatienceOfReads
    defer { connection.endAccess() }
    try registrations.apply(to: connection)
    try connection.runInternal("BEGIN")
    connection.transactionHasBegun()
    let result: T
    do {
      result = try body(connection)
      try connection.checkNotEnded()
      // A body that has caught the interruption has not read everything.
      if access.isCancelled { throw CancellationError() }
    } catch {
      isSound = connection.endTransaction(.rollback)
      throw error
    }
    isSound = connection.endTransaction(.commit)
    return result
  }

  private func readInMemory<T>(
    _ access: Connection.Access, _ since: UInt64?, _ body: (Connection) throws -> T
  ) throws -> T {
    if writerLock.isHeldByCurrentThread {
      guard tracker.isReadingInMemory else {
        throw DatabaseError.misuse(
          "read was called inside a write of the same in-memory database, which has one connection; use the one you have"
        )
      }
      return try body(writer)
    }
    return try withWriterLock("read", access, since) {
      try registrations.apply(to: writer)
      tracker.isReadingInMemory = true
      writer.refusesWrites = true
      defer {
        tracker.isReadingInMemory = false
        writer.refusesWrites = false
        _ = writer.endTransaction(.rollback)
        // Reset it at once, even if the read was cancelled: later writes must be able to write.
        writer.asLibrary { sqlite3_exec(writer.handle, "PRAGMA query_only = 0", nil, nil, nil) }
      }
      try writer.runInternal("PRAGMA query_only = 1")
      try writer.runInternal("BEGIN")
      let result = try body(writer)
      if access.isCancelled { throw CancellationError() }
      return result
    }
  }
}
