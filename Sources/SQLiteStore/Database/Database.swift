import CFetchedResultsSQLite
import FetchedResultsSupport
import Synchronization

/// An SQLite database: one connection that writes, and several that read.
///
/// ```swift
/// let database = try Database(path: "/var/lib/shop/shop.db")
/// try database.write { c in try c.execute("INSERT INTO item(title) VALUES (\(title))") }
/// let count = try database.read { c in try c.value("SELECT count(*) FROM item", as: Int.self) }
/// ```
///
/// Reads run concurrently, each on its own snapshot, and don't wait for writes. Writes run one at a time, each in one
/// transaction that is rolled back when its closure throws. Both have asynchronous variants, which don't block the
/// calling task's thread and stop when the task is cancelled.
public final class Database: Sendable {
  /// The path of the file, or nil for a database in memory.
  public let path: String?
  /// The options it was opened with.
  public let options: Options

  let writerLock = WriterLock()
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) let writer: Connection
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) let log: LogKeeper
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) let tracker: ChangeTracker
  let readers: ReaderPool?
  /// The readers of lists, which must not compete with users' reads.
  let listReaders: ReaderPool?
  /// Connections for examining statements.
  let planners: ReaderPool?
  let registrations = Registrations()
  let feed = CommitFeed()
  let callbacks = Callbacks()
  let watcher = ForeignWatcher()
  let writeQueue: WorkQueue
  let readQueue: WorkQueue
  private let closing = Lock()
  /// Whether the database is being closed, and what runs is to end.
  let isInterrupting = Atomic<Bool>(false)
  let sharedObjects = SharedObjects()
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) var oldStateReader: Connection?
  /// The path of the file as SQLite resolved it: absolute, without links. Its journal is beside it.
  let file: String?

  /// Opens a database file, and creates it if it is missing.
  ///
  /// A new file can be read and written by its owner only. If the file can't be opened, or isn't a database, the
  /// `DatabaseError` says which and why, and the file is not changed.
  public convenience init(path: String, options: Options = Options()) throws {
    if path == ":memory:" {
      try self.init(file: nil, options: options)
      return
    }
    try FilePreparation.checkLength(path, options)
    try FilePreparation.check(path, options)
    try self.init(file: path, options: options)
  }

  /// Creates a database in memory. It is deleted when it is released.
  ///
  /// Its only connection serves reads and writes: a read waits for a write.
  public static func inMemory(options: Options = Options()) throws -> Database {
    try Database(file: nil, options: options)
  }

  private init(file: String?, options: Options) throws {
    path = file
    self.options = options
    let opener = ConnectionOpener(path: file, options: options)
    let writer = try opener.open(isReader: false)
    do {
      tracker = try ChangeTracker(options: options, isFile: file != nil)
    } catch {
      writer.close()
      throw error
    }
    self.writer = writer
    log = LogKeeper(writer.handle, patience: options.patienceWithReads)
    if file != nil { log.install() }
    // From now on use this very file, even if links or the working directory change.
    let resolved = file == nil ? nil : sqlite3_db_filename(writer.handle, "main").map { String(cString: $0) } ?? file
    self.file = resolved
    func pool(_ limit: Int, ofUsers: Bool = false) -> ReaderPool? {
      resolved.map {
        ReaderPool(opener: ConnectionOpener(path: $0, options: options), limit: limit, isOfUsers: ofUsers)
      }
    }
    readers = pool(max(1, options.maximumReaders), ofUsers: true)
    listReaders = pool(Self.maximumListReaders)
    planners = pool(Self.maximumPlanners)
    writeQueue = WorkQueue(limit: 1, timeout: options.busyTimeout.nanoseconds)
    readQueue = WorkQueue(
      limit: file == nil ? 1 : max(1, options.maximumReaders), timeout: options.busyTimeout.nanoseconds)
    writer.database = self
    for pool in pools { pool.database = self }
    writer.whenTransactionEndsEarly = { [unowned tracker] in tracker.transactionEnds() }
    writer.whenHandleWasLent = { [unowned tracker, unowned writer] in tracker.handleWasLent(of: writer) }
  }

  deinit {
    watcher.stop()
    tracker.stop(on: writer)
    for pool in pools { pool.closeAll() }
    oldStateReader?.close()
    writer.close()
  }

  /// The maximum number of lists that read at once: those on the threads for slow queries (12, plus two for each
  /// processor), quick ones (as many as there are processors), and those fetched on their users' threads.
  private static let maximumListReaders = 28 + 4 * Processor.count

  /// How many requests are planned at once. More than one, because planning may call the program, and the program may
  /// plan another request.
  private static let maximumPlanners = 4

  var pools: [ReaderPool] { [readers, listReaders, planners].compactMap { $0 } }

  /// The pools whose connections read from a snapshot.
  private var readingPools: [ReaderPool] { [readers, listReaders].compactMap { $0 } }

  var isReadOnly: Bool { options.isReadOnly }

  /// Whether this thread is inside a read, of a user or of a list.
  var isReadByCurrentThread: Bool { readingPools.contains { $0.heldByCurrentThread != nil } }

  /// Closes the database: refuses new calls, and waits for running ones or interrupts them.
  ///
  /// Closing is not needed to keep data safe; a database closes itself when it is released. Inside a `read` or `write`
  /// it throws, because it would wait for itself.
  ///
  /// If no other connection has the file open, in this process or another, the log (`-wal`) is copied into the file,
  /// and the log and its index (`-shm`) are removed. The file alone is then the whole database, and can be copied. If
  /// another connection has it open, the log stays beside the file, and the last connection to close does this. The log
  /// also stays if the disk has no room for it: no commit is lost. A database opened with ``Options/isReadOnly`` copies
  /// nothing.
  public func close(interrupting: Bool = false) throws {
    guard !writerLock.isHeldByCurrentThread, !pools.contains(where: { $0.heldByCurrentThread != nil }) else {
      throw DatabaseError.misuse("close was called inside a read or write, which it would wait for")
    }
    watcher.stop()
    if interrupting { isInterrupting.store(true, ordering: .releasing) }
    // SQLite forgets an interruption between two statements, and the interrupted thread may run another one.
    let interruption = interrupting ? Interruption(self) : nil
    defer { interruption?.end() }
    // A concurrent call of `close` waits here, and then finds nothing to do.
    closing.withLock {
      writerLock.close()
      for pool in pools { pool.close() }
      oldStateReader?.close()
      oldStateReader = nil
      tracker.stop(on: writer)
      writer.close()
    }
  }

  /// Interrupts whatever runs, repeatedly, until it ends.
  private final class Interruption: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let database: Database

    init(_ database: Database) {
      self.database = database
      interrupt()
    }

    func end() { isOver.store(true, ordering: .releasing) }

    private func interrupt() {
      if isOver.load(ordering: .acquiring) { return }
      database.writerLock.whileHeld { sqlite3_interrupt(database.writer.handle) }
      for pool in database.pools { pool.interruptAll() }
      Alarm.shared.call(after: 2_000_000) { [self] in interrupt() }
    }
  }

  // MARK: Reading

  /// Reads from one snapshot of the database: later commits are not seen, and no writer waits.
  ///
  /// Writing fails. A read inside a read sees the same snapshot; a read inside a write sees the state before it.
  public func read<T>(_ body: (Connection) throws -> T) throws -> T {
    try performRead(Connection.uncancellable, nil, body)
  }

  /// Reads without blocking the calling task. When the task is cancelled, the running statement is interrupted and
  /// `CancellationError` is thrown.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    try await readQueue.run(on: self) { access, since in try self.performRead(access, since, body) }
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
    guard let readers else { return try readInMemory(access, since, body) }
    if let outer = readers.heldByCurrentThread { return try body(outer) }
    return try read(readers, access, since, body)
  }

  /// Reads for a list, from a snapshot of its own, even inside a read.
  func readForList<T>(_ access: Connection.Access, _ body: (Connection) throws -> T) throws -> T {
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
      isSound = connection.endTransaction("ROLLBACK")
      throw error
    }
    isSound = connection.endTransaction("COMMIT")
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
        _ = writer.endTransaction("ROLLBACK")
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

  // MARK: Writing

  /// Writes in one transaction, which is committed when `body` returns and rolled back when it throws.
  ///
  /// If `body` catches an error itself, only the statement that failed is undone. Writes wait for each other, in order.
  /// A write inside a write would wait for itself, so it throws instead.
  @discardableResult
  public func write<T>(_ body: (Connection) throws -> T) throws -> T {
    try performWrite(Connection.uncancellable, nil, body)
  }

  /// Writes without blocking the calling task. When the task is cancelled before the commit, the running statement is
  /// interrupted, everything is rolled back and `CancellationError` is thrown.
  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    try await writeQueue.run(on: self) { access, since in try self.performWrite(access, since, body) }
  }

  /// Writes in one transaction, with a closure that returns nothing.
  ///
  /// With this overload, a closure that calls `write` may itself return nothing.
  public func write(_ body: (Connection) throws -> Void) throws {
    try performWrite(Connection.uncancellable, nil, body)
  }

  /// Writes without blocking the calling task, with a closure that returns nothing.
  public func write(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
    try await writeQueue.run(on: self) { access, since in try self.performWrite(access, since, body) }
  }

  private func performWrite<T>(
    _ access: Connection.Access, _ since: UInt64?, _ body: (Connection) throws -> T
  ) throws -> T {
    if options.isReadOnly {
      throw DatabaseError(code: .readOnly, message: "the database was opened for reading only")
    }
    if options.journal == .delete, isReadByCurrentThread {
      throw DatabaseError.misuse(
        "write was called inside a read of the same database: with a rollback journal its commit would wait for that read; "
          + "write after it, or open the database with Options.journal = .wal")
    }
    // Do this after the writer lock is free again, so that no observer is called while it is held.
    defer { if feed.hasObservers { feed.drain() } }
    return try withWriterLock("write", access, since) {
      try registrations.apply(to: writer)
      let result: T
      do {
        try beginWriting()
        try writer.checkChangedSchema()
        writer.transactionHasBegun()
        result = try body(writer)
        try writer.checkUsable()
        try writer.checkChangedSchema()
        if try commitWriting() { lookBehindWrite() }
      } catch {
        tracker.transactionEnds()
        _ = writer.endTransaction("ROLLBACK")
        throw error
      }
      return result
    }
  }

  private func beginWriting() throws {
    writer.transactionBegins()
    guard feed.hasObservers || tracker.isInstalled else {
      try writer.beginImmediately()
      return
    }
    // The observed tables and the schema must be known before the first row changes. Both can change until the write
    // lock is held, hence the second check.
    while true {
      try tracker.prepare(feed, on: writer)
      try writer.beginImmediately()
      try tracker.look(feed, on: writer)
      if !tracker.needsPreparation { break }
      try writer.runInternal("ROLLBACK")
    }
    try tracker.transactionBegins(on: writer)
  }

  /// Commits, and reports the changes. Returns whether others' commits must be checked for afterwards.
  private func commitWriting() throws -> Bool {
    guard tracker.isInstalled || feed.hasObservers else {
      // The observers of the time when the transaction began have been released.
      tracker.transactionEnds()
      try commit()
      return false
    }
    var changes = try tracker.collect(feed, on: writer)
    feed.announce(changes)
    feed.commitBegins()
    defer { feed.commitEnds() }
    tracker.transactionEnds()
    let paused = watcher.pauseForWrite()
    defer { paused?.arm() }
    try commit()
    tracker.committed(&changes, feed, on: writer)
    feed.put(changes, .local)
    return paused != nil
  }

  /// Checks for a commit that another connection made between one of ours and the moment from which the files are
  /// watched again.
  private func lookBehindWrite() {
    do {
      try tracker.look(feed, on: writer)
    } catch {
      // The next check, after a second at the latest, meets the same error.
    }
  }

  private func commit() throws {
    // A cancellation from now on is too late: SQLite could report an interruption of a COMMIT that has been made.
    writer.shield()
    do {
      try writer.runInternal("COMMIT")
    } catch var error as DatabaseError where error.extendedCode == .constraintForeignKey {
      writer.explainDeferredForeignKey(&error)
      throw error
    }
  }

  /// Runs `body` with the writer's connection outside any transaction, as VACUUM and ATTACH require.
  ///
  /// - Parameter what: The name of the user's call, for the error if it would wait for itself.
  func withWriter<T>(
    _ what: String, _ access: Connection.Access = Connection.uncancellable, since: UInt64? = nil,
    _ body: (Connection) throws -> T
  ) throws -> T {
    defer { feed.drain() }
    return try withWriterLock(what, access, since) {
      try registrations.apply(to: writer)
      return try body(writer)
    }
  }

  private func withWriterLock<T>(
    _ what: String, _ access: Connection.Access, _ since: UInt64?, _ body: () throws -> T
  ) throws -> T {
    do {
      try writerLock.acquire(
        timeout: options.busyTimeout.nanoseconds, since: since, isCancelled: { access.isCancelled })
    } catch {
      throw refusal(error, what)
    }
    defer { writerLock.release() }
    writer.begin(access)
    defer {
      writer.endAccess()
      log.tidy(readingPools)
    }
    return try body()
  }

  /// Since when a queue has been blocked; nil if it isn't.
  func busySince(_ queue: WorkQueue) -> UInt64? {
    if queue === readQueue, let readers { return readers.busySince }
    return writerLock.heldSince
  }

  /// The error for calls that have waited in a queue for too long.
  func isBusyError(_ queue: WorkQueue) -> any Error {
    if queue === readQueue, let readers { return readers.isBusyError }
    return refusal(.timedOut)
  }

  ///
  /// - Parameter what: The name of the user's call.
  func refusal(_ refusal: WriterLock.Refusal, _ what: String = "write") -> any Error {
    switch refusal {
    case .reentrant:
      DatabaseError.misuse(
        "\(what) was called inside a \(tracker.isReadingInMemory ? "read" : "write") of the same database, which it would "
          + "wait for; "
          + (what == "write" && !tracker.isReadingInMemory
            ? "use the connection that you have" : "call it afterwards"))
    case .timedOut:
      DatabaseError(
        code: .busy,
        message: "another write of this process has held the database for longer than the timeout of "
          + "\(options.busyTimeout); if it waits for this one, the two would wait forever")
    case .closed:
      DatabaseError.misuse("the database has been closed")
    case .cancelled:
      CancellationError()
    }
  }
}

extension Connection {
  /// Ends a transaction, if there still is one. Returns false if the connection can't be used any more.
  func endTransaction(_ how: String) -> Bool {
    // An interruption would leave the transaction open, or keep a setting of a read in memory.
    shield()
    guard hasTransaction else { return true }
    // Forget what was read of a schema that is rolled back.
    if hasTouchedSchema { forgetEntityStatements() }
    // Bypasses the check for cancellation: a cancelled call must not leave the transaction open.
    do {
      try runInternal(how)
      if !hasTransaction { return true }
    } catch {
      // Try again below, without the checks of a statement.
    }
    if sqlite3_exec(handle, how, nil, nil, nil) == SQLITE_OK { return true }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    return !hasTransaction
  }
}
