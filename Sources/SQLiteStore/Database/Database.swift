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
  /// Whether ``close(interrupting:)`` was called.
  package var wasClosed: Bool { writerLock.isClosed }
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) let writer: Connection
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) let log: LogKeeper
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) let tracker: ChangeTracker
  /// Whether this database has created its log, and nobody has written to it: see `Options.leavesSyncToMove`.
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) var isLogNew: Bool
  /// Whether the writer's connection syncs nothing at the moment.
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) var isUnsynced = false
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
  // because every access is under `closing`
  nonisolated(unsafe) private var isClosed = false
  /// Set by `close(interrupting: true)`: running calls must end.
  let isInterrupting = Atomic<Bool>(false)
  let sharedObjects = SharedObjects()
  // because only the thread that holds `writerLock` uses it
  nonisolated(unsafe) var oldStateReader: Connection?
  /// The path of the file as SQLite resolved it: absolute, without links. Its journal is beside it.
  let file: String?
  let opened: OpenedFile?
  /// When the files were last seen in their places, by `MonotonicClock`.
  let filesSeen = Atomic<UInt64>(0)
  /// Whether observers know that a file was removed, renamed or replaced.
  let isLossReported = Atomic<Bool>(false)

  /// Opens a database file, and creates it if it is missing.
  ///
  /// ```swift
  /// var options = Database.Options()
  /// options.recordsHistory = true  // other programs write to the file too
  /// let database = try Database(path: "/var/lib/shop/shop.db", options: options)
  /// ```
  ///
  /// A new file can be read and written by its owner only. If the file can't be opened, or isn't a database, the
  /// `DatabaseError` says which and why, and the file is not changed.
  public convenience init(path: String, options: Options = Options()) throws {
    if path == ":memory:" {
      try self.init(file: nil, options: options)
      return
    }
    try FilePreparation.check(path, options)
    try self.init(file: path, options: options)
    try recordHistoryIfWanted()
  }

  /// Creates a database in memory. It is deleted when it is released.
  ///
  /// ```swift
  /// let database = try Database.inMemory()
  /// try database.write { c in try c.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT)") }
  /// ```
  ///
  /// Its only connection serves reads and writes: a read waits for a write.
  public static func inMemory(options: Options = Options()) throws -> Database {
    try Database(file: nil, options: options)
  }

  private init(file: String?, options: Options) throws {
    path = file
    self.options = options
    let opener = ConnectionOpener(path: file, options: options)
    isLogNew =
      options.leavesSyncToMove && options.journal == .wal
      && !(file.map { FilePreparation.hasLog($0, options.vfs) } ?? true)
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
    let resolved =
      file == nil ? nil : sqlite3_db_filename(writer.handle, "main").flatMap { String(validatingCString: $0) } ?? file
    self.file = resolved
    opened = resolved.map { OpenedFile($0) }
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
    finishQueues()
    watcher.stop()
    tracker.stop(on: writer)
    for pool in pools { pool.closeAll() }
    oldStateReader?.close()
    closeWriter()
  }

  /// The maximum number of lists that read at once: those on the threads for slow queries (12, plus two for each
  /// processor), quick ones (as many as there are processors), and those fetched on their users' threads.
  private static let maximumListReaders = 28 + 4 * Processor.count

  /// How many requests are planned at once. More than one, because planning may call the program, and the program may
  /// plan another request.
  private static let maximumPlanners = 4

  var pools: [ReaderPool] { [readers, listReaders, planners].compactMap { $0 } }

  /// The pools whose connections read from a snapshot.
  var readingPools: [ReaderPool] { [readers, listReaders].compactMap { $0 } }

  var isReadOnly: Bool { options.isReadOnly }

  /// Whether this thread is inside a read, of a user or of a list.
  var isReadByCurrentThread: Bool { readingPools.contains { $0.heldByCurrentThread != nil } }

  /// Closes the database: refuses new calls and those that wait for their turn, and waits for running ones or
  /// interrupts them.
  ///
  /// ```swift
  /// try database.close(interrupting: true)  // the file alone is the whole database now
  /// ```
  ///
  /// Closing is not needed to keep data safe; a database closes itself when it is released. Inside a `read` or `write`
  /// it throws, because it would wait for itself.
  ///
  /// If no other connection has the file open, in this process or another, the log (`-wal`) is copied into the file,
  /// and the log and its index (`-shm`) are removed. The file alone is then the whole database, and can be copied. If
  /// another connection has it open, the log stays beside the file, and the last connection to close does this. The log
  /// also stays if the disk has no room for it: no commit is lost. A database opened with ``Options/isReadOnly`` copies
  /// nothing.
  ///
  /// A list that followed the database stays as it is, and reports an error. Observers are not called again.
  public func close(interrupting: Bool = false) throws {
    guard !writerLock.isHeldByCurrentThread, !pools.contains(where: { $0.heldByCurrentThread != nil }) else {
      throw DatabaseError.misuse("close was called inside a read or write, which it would wait for")
    }
    watcher.stop()
    for queue in [writeQueue, readQueue] { queue.refuseWaiting() }
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
      closeWriter()
      if !isClosed { feed.closed() }
      isClosed = true
    }
    finishQueues()
  }

  /// How many threads of asynchronous calls wait for work, for tests.
  package var idleThreads: Int { writeQueue.idleThreads + readQueue.idleThreads }

  private func finishQueues() {
    for queue in [writeQueue, readQueue] { queue.finish() }
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

  // MARK: The writer's connection

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

  func withWriterLock<T>(
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
      if log.isDue, !mustLeaveLog, hasRoomForLog { log.tidy(readingPools) }
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

  /// The error for a call that does not get the writer's connection.
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
        message: file == nil
          ? "a read, a write or a list has used the only connection of this database in memory for longer than the timeout "
            + "of \(options.busyTimeout); if that waits for this call, the two would wait forever"
          : "another write of this process has run, or another program has locked the file, for longer than the "
            + "timeout of \(options.busyTimeout); if that write waits for this one, the two would wait forever")
    case .closed:
      DatabaseError.misuse("the database has been closed")
    case .cancelled:
      CancellationError()
    }
  }
}
