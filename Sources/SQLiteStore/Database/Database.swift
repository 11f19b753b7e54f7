import CSQLite
import Synchronization

/// An SQLite database: one connection that writes, several that read.
///
/// ```swift
/// let database = try Database(path: "/var/lib/shop/shop.db")
/// try database.write { c in try c.execute("INSERT INTO item(title) VALUES (\(title))") }
/// let count = try database.read { c in try c.value("SELECT count(*) FROM item", as: Int.self) }
/// ```
///
/// Reads run side by side, each on a snapshot of its own, and wait for no write. Writes come one at a time, each in one
/// transaction that is undone when its closure throws. Both have asynchronous twins, which leave the calling task's thread
/// free and stop when the task is cancelled.
public final class Database: Sendable {
  /// The file, or nil for a database in memory.
  public let path: String?
  /// What it was opened with.
  public let options: Options

  let lane = Lane()
  // because it is used by whoever holds `lane` only
  nonisolated(unsafe) let writer: Connection
  // because it is used by whoever holds `lane` only
  nonisolated(unsafe) let log: LogKeeper
  // because it is used by whoever holds `lane` only
  nonisolated(unsafe) let following: Following
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
  // because it is used by whoever holds `lane` only
  nonisolated(unsafe) var oldStateReader: Connection?
  /// The file as SQLite has it: absolute, with links resolved. Its journal stands beside it.
  let file: String?

  /// Opens a database file, and makes one where there is none.
  ///
  /// A new file can be read and written by its owner only. What can't be opened, or isn't a database, is a `DatabaseError`
  /// that says which and why; nothing is changed in it.
  public convenience init(path: String, options: Options = Options()) throws {
    if path == ":memory:" {
      try self.init(file: nil, options: options)
      return
    }
    try FilePreparation.checkLength(path, options)
    try FilePreparation.check(path, options)
    try self.init(file: path, options: options)
  }

  /// A database in memory, gone when the last reference to it goes.
  ///
  /// It has one connection, which reads and writes share: a read waits for a write.
  public static func inMemory(options: Options = Options()) throws -> Database {
    try Database(file: nil, options: options)
  }

  private init(file: String?, options: Options) throws {
    path = file
    self.options = options
    let opener = ConnectionOpener(path: file, options: options)
    let writer = try opener.open(isReader: false)
    do {
      following = try Following(options: options, isShared: file != nil)
    } catch {
      writer.close()
      throw error
    }
    self.writer = writer
    log = LogKeeper(writer.handle, patience: options.patienceWithReads)
    if file != nil { log.install() }
    // From now on the file is that one, wherever links and the working directory lead.
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
    writer.whenTransactionEndsEarly = { [unowned following] in following.transactionEnds() }
    writer.whenHandleWasLent = { [unowned following, unowned writer] in following.handleWasLent(of: writer) }
  }

  deinit {
    watcher.stop()
    following.stop(on: writer)
    for pool in pools { pool.closeAll() }
    oldStateReader?.close()
    writer.close()
  }

  /// How many lists read at once, at most: all that are slow on the threads for that, of which there are twelve and two for each processor,
  /// and besides them as many that are quick as there are processors, and those that are fetched on threads of their users.
  private static let maximumListReaders = 28 + 4 * Processor.count

  /// How many requests are planned at once. More than one, as what plans may call the program, which may have another one planned.
  private static let maximumPlanners = 4

  var pools: [ReaderPool] { [readers, listReaders, planners].compactMap { $0 } }

  /// Those whose connections read from a snapshot.
  private var readingPools: [ReaderPool] { [readers, listReaders].compactMap { $0 } }

  var isReadOnly: Bool { options.isReadOnly }

  /// Whether this thread is inside a read, be it a user's or a list's.
  var isReadByCurrentThread: Bool { readingPools.contains { $0.heldByCurrentThread != nil } }

  /// Closes the database: refuses what comes from now on, and waits for what runs, or interrupts it.
  ///
  /// Never needed to keep data safe; a database that nobody holds any more closes itself. From inside a `read` or `write`
  /// it throws, as it would wait for itself.
  ///
  /// Where no other connection has the file open, in this process or another, the log (`-wal`) is moved into the file, and it
  /// and its index (`-shm`) are removed: the file alone is then the whole database, and can be copied as it is. Where another
  /// connection has it open, the log stays beside the file, and the last one to close does this. So it is also where the disk has no
  /// room for it: what was committed stays in the log, and nothing is lost. A database opened with ``Options/isReadOnly`` moves nothing.
  public func close(interrupting: Bool = false) throws {
    guard !lane.isHeldByCurrentThread, !pools.contains(where: { $0.heldByCurrentThread != nil }) else {
      throw DatabaseError.misuse("close was called inside a read or write, which it would wait for")
    }
    watcher.stop()
    if interrupting { isInterrupting.store(true, ordering: .releasing) }
    // An interruption that comes between two statements is forgotten, and whoever was interrupted may run another.
    let interruption = interrupting ? Interruption(self) : nil
    defer { interruption?.end() }
    // Whoever closes as well waits here, and then finds nothing to do.
    closing.withLock {
      lane.close()
      for pool in pools { pool.close() }
      oldStateReader?.close()
      oldStateReader = nil
      following.stop(on: writer)
      writer.close()
    }
  }

  /// Interrupts whatever runs, again and again until it ends.
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
      database.lane.whileHeld { sqlite3_interrupt(database.writer.handle) }
      for pool in database.pools { pool.interruptAll() }
      Alarm.shared.call(after: 2_000_000) { [self] in interrupt() }
    }
  }

  // MARK: Reading

  /// Reads from one snapshot of the database: what others commit meanwhile is not seen, and nobody waits.
  ///
  /// Writing fails. A read inside a read sees the same snapshot; a read inside a write sees the state before it.
  public func read<T>(_ body: (Connection) throws -> T) throws -> T {
    try performRead(Connection.uncancellable, nil, body)
  }

  /// Reads without blocking the calling task. When the task is cancelled the running statement is interrupted and
  /// `CancellationError` is thrown.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    try await readQueue.run(on: self) { access, since in try self.performRead(access, since, body) }
  }

  /// Reads for its effects: for a body whose result is not needed.
  ///
  /// With this overload, a closure that calls `read` may itself be one that returns nothing.
  public func read(_ body: (Connection) throws -> Void) throws {
    try performRead(Connection.uncancellable, nil, body)
  }

  /// Reads for its effects without blocking the calling task: for a body whose result is not needed.
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

  /// Reads for a list, from a snapshot of its own, also inside of a read.
  func readForList<T>(_ access: Connection.Access, _ body: (Connection) throws -> T) throws -> T {
    guard let listReaders else { return try readInMemory(access, nil, body) }
    return try read(listReaders, access, nil, body)
  }

  private func read<T>(
    _ readers: ReaderPool, _ access: Connection.Access, _ since: UInt64?, _ body: (Connection) throws -> T
  ) throws -> T {
    let connection = try readers.acquire(access, since: since)
    var isSound = false
    defer { readers.release(connection, isSound: isSound) }
    return try read(on: connection, access, &isSound, body)
  }

  func read<T>(
    on connection: Connection, _ access: Connection.Access, _ isSound: inout Bool, _ body: (Connection) throws -> T
  ) throws -> T {
    connection.begin(access)
    connection.busy.impatience = options.journal == .delete && lane.isHeldByCurrentThread ? .ownWrite : nil
    defer { connection.endAccess() }
    try registrations.apply(to: connection)
    try connection.runInternal("BEGIN")
    connection.transactionHasBegun()
    let result: T
    do {
      result = try body(connection)
      try connection.checkNotEnded()
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
    if lane.isHeldByCurrentThread {
      guard following.isReadingInMemory else {
        throw DatabaseError.misuse(
          "read was called inside a write of the same in-memory database, which has one connection; use the one you have"
        )
      }
      return try body(writer)
    }
    return try withLane("read", access, since) {
      try registrations.apply(to: writer)
      following.isReadingInMemory = true
      writer.refusesWrites = true
      defer {
        following.isReadingInMemory = false
        writer.refusesWrites = false
        _ = writer.endTransaction("ROLLBACK")
        // At once, whatever called the read off: it must not keep the writes after it from writing.
        writer.asLibrary { sqlite3_exec(writer.handle, "PRAGMA query_only = 0", nil, nil, nil) }
      }
      try writer.runInternal("PRAGMA query_only = 1")
      try writer.runInternal("BEGIN")
      return try body(writer)
    }
  }

  // MARK: Writing

  /// Writes in one transaction, which is kept when `body` returns and undone when it throws.
  ///
  /// An error that `body` catches itself undoes only the statement that it came from. Writes wait for each other, in order;
  /// a write inside a write would wait for itself and throws instead.
  @discardableResult
  public func write<T>(_ body: (Connection) throws -> T) throws -> T {
    try performWrite(Connection.uncancellable, nil, body)
  }

  /// Writes without blocking the calling task. When the task is cancelled before the commit, the running statement is
  /// interrupted, everything is undone and `CancellationError` is thrown.
  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    try await writeQueue.run(on: self) { access, since in try self.performWrite(access, since, body) }
  }

  /// Writes in one transaction: for a body whose result is not needed.
  ///
  /// With this overload, a closure that calls `write` may itself be one that returns nothing.
  public func write(_ body: (Connection) throws -> Void) throws {
    try performWrite(Connection.uncancellable, nil, body)
  }

  /// Writes without blocking the calling task: for a body whose result is not needed.
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
    // After the lane is free again, so that no observer is called while it is held.
    defer { if feed.hasObservers { feed.drain() } }
    return try withLane("write", access, since) {
      try registrations.apply(to: writer)
      let result: T
      do {
        try beginWriting()
        writer.transactionHasBegun()
        result = try body(writer)
        try writer.checkUsable()
        try commitWriting()
      } catch {
        following.transactionEnds()
        _ = writer.endTransaction("ROLLBACK")
        throw error
      }
      return result
    }
  }

  private func beginWriting() throws {
    writer.transactionBegins()
    guard feed.hasObservers || following.isInstalled else {
      try writer.beginImmediately()
      return
    }
    // What is observed, and how the schema looks, must be known before the first row changes. Both can change until the
    // lock is held, hence the second look.
    while true {
      try following.prepare(feed, on: writer)
      try writer.beginImmediately()
      try following.look(feed, on: writer)
      if !following.needsPreparation { break }
      try writer.runInternal("ROLLBACK")
    }
    try following.transactionBegins(on: writer)
  }

  private func commitWriting() throws {
    guard following.isInstalled || feed.hasObservers else {
      // Those who observed when the transaction began are gone.
      following.transactionEnds()
      return try commit()
    }
    var changes = try following.collect(feed, on: writer)
    feed.announce(changes)
    feed.commitBegins()
    defer { feed.commitEnds() }
    following.transactionEnds()
    try commit()
    following.committed(&changes, feed, on: writer)
    feed.put(changes, .local)
  }

  private func commit() throws {
    do {
      try writer.runInternal("COMMIT")
    } catch var error as DatabaseError where error.extendedCode == .constraintForeignKey {
      writer.explainDeferredForeignKey(&error)
      throw error
    }
  }

  /// Runs `body` with the writer's connection outside any transaction, as VACUUM and ATTACH want it.
  ///
  /// - Parameter what: What the user called, for the error where it would wait for itself.
  func withWriter<T>(
    _ what: String, _ access: Connection.Access = Connection.uncancellable, since: UInt64? = nil,
    _ body: (Connection) throws -> T
  ) throws -> T {
    defer { feed.drain() }
    return try withLane(what, access, since) {
      try registrations.apply(to: writer)
      return try body(writer)
    }
  }

  private func withLane<T>(
    _ what: String, _ access: Connection.Access, _ since: UInt64?, _ body: () throws -> T
  ) throws -> T {
    do {
      try lane.acquire(
        timeout: options.busyTimeout.nanoseconds, since: since, isCancelled: { access.isCancelled })
    } catch {
      throw refusal(error, what)
    }
    defer { lane.release() }
    writer.begin(access)
    defer {
      writer.endAccess()
      log.tidy(readingPools)
    }
    return try body()
  }

  /// Since when nothing has moved for those who wait in a queue; nil where nothing is in their way.
  func busySince(_ queue: WorkQueue) -> UInt64? {
    if queue === readQueue, let readers { return readers.busySince }
    return lane.heldSince
  }

  /// What those are told who have waited in a queue for too long.
  func isBusyError(_ queue: WorkQueue) -> any Error {
    if queue === readQueue, let readers { return readers.isBusyError }
    return refusal(.timedOut)
  }

  ///
  /// - Parameter what: What the user called.
  func refusal(_ refusal: Lane.Refusal, _ what: String = "write") -> any Error {
    switch refusal {
    case .reentrant:
      DatabaseError.misuse(
        "\(what) was called inside a \(following.isReadingInMemory ? "read" : "write") of the same database, which it would "
          + "wait for; "
          + (what == "write" && !following.isReadingInMemory
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
  /// Ends a transaction on the way out, when there may be none any more; false when the connection is not to be trusted.
  func endTransaction(_ how: String) -> Bool {
    // An interruption would leave the transaction open, or what a read in memory has set.
    shield()
    guard hasTransaction else { return true }
    // What was learned of a schema that is undone is forgotten.
    if hasTouchedSchema { forgetEntityStatements() }
    // Not through what asks for the access: it may have been called off, which must not keep the transaction open.
    do {
      try runInternal(how)
      if !hasTransaction { return true }
    } catch {
      // The plain way tells whether anything can be done.
    }
    if sqlite3_exec(handle, how, nil, nil, nil) == SQLITE_OK { return true }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    return !hasTransaction
  }
}
