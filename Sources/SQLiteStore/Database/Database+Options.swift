import FetchedResultsSupport

extension Database {
  /// How a database is opened. The defaults are safe: durable commits, foreign keys enforced, schemas not trusted.
  ///
  /// ```swift
  /// var options = Database.Options()
  /// options.busyTimeout = .seconds(10)
  /// options.recordsHistory = true
  /// let database = try Database(path: "/var/lib/shop/shop.db", options: options)
  /// ```
  public struct Options: Sendable {
    /// Whether nobody can change the file as long as it is open: it is on a read-only medium, or part of an installed
    /// program. Then it is read without locks, and no file is made beside it. Setting it sets ``isReadOnly`` too.
    ///
    /// A file in WAL mode in a folder that can't be written to can be read only in this way. If another program does
    /// change the file, reads may return wrong rows or fail. A file with a log (`-wal`) or a journal beside it that
    /// holds commits is refused.
    public var isImmutable = false {
      didSet { if isImmutable { isReadOnly = true } }
    }
    /// What survives a power failure.
    ///
    /// ```swift
    /// var options = Database.Options()
    /// options.durability = Database.Options.Durability.normal
    /// ```
    public enum Durability: String, Hashable, Sendable {
      /// Every commit that returned.
      case full = "FULL"
      /// The database is intact, but the last commits before the failure may be lost. Commits are several times faster.
      case normal = "NORMAL"
    }

    /// The journal mode.
    ///
    /// ```swift
    /// var options = Database.Options()
    /// options.journal = Database.Options.Journal.delete
    /// ```
    public enum Journal: String, Hashable, Sendable {
      /// Readers and the writer do not wait for each other.
      case wal = "WAL"
      /// A rollback journal, for file systems without shared memory. Readers block the writer.
      case delete = "DELETE"
    }

    /// How the changes of a commit are captured.
    package enum Capture: Hashable, Sendable {
      /// The preupdate hook if the library has one, otherwise triggers.
      case automatic
      /// SQLite's preupdate hook. Opening fails if the library was built without it.
      case preupdateHook
      /// Temporary triggers that record the keys in a temporary table.
      case triggers
    }

    /// Opens read-only: no row, no page and no log is ever written.
    ///
    /// For a file in WAL mode (`journal == .wal`), SQLite creates an index (`-shm`) and an empty log (`-wal`) beside
    /// it, even for readers. A connection that only reads can't remove them; the next one that may write does. See also
    /// ``removesFilesAfterReading``.
    public var isReadOnly = false
    /// Whether a missing file is created, readable and writable by its owner only. Otherwise it is an error.
    public var createsFile = true
    /// What survives a power failure.
    public var durability = Durability.full
    /// The journal mode.
    public var journal = Journal.wal
    /// How long a statement waits for other processes, and a write for another one in this process, before it fails
    /// with `.busy`.
    public var busyTimeout = Duration.seconds(5)
    /// The maximum number of open readers.
    public var maximumReaders = 5
    /// The number of statements that each connection caches.
    public var statementCacheSize = 200
    /// How much of the file each connection caches, in bytes; at least 1,024.
    public var pageCacheBytes = Options.usualPageCacheBytes
    /// How the changes of a commit are captured, once there is an observer.
    package var capture = Capture.automatic
    /// The number of keys of a table that are recorded in one commit before "everything" is reported instead.
    public var captureLimit = 1_000_000
    /// The longest time that a commit of another process goes unnoticed while there is an observer, if all wake-ups are
    /// lost.
    public var foreignCommitInterval = Duration.seconds(1)
    /// Whether the history of all tables is recorded when the database is opened and after each migration.
    ///
    /// It is what `Database.recordHistory(of:keeping:)` does for some tables. Nearly every program that shares its file
    /// with others wants it: their commits are then followed row by row, and not by reading everything again.
    public var recordsHistory = false
    /// Whether triggers and views may use virtual tables, and functions that are not harmless.
    ///
    /// Set it only if no one else can write the schema of the file. Functions of the program can't be called by the
    /// schema in any case.
    ///
    /// SQLite's own JSON functions and full-text tables (FTS5) may be used without it. SQLite 3.38 to 3.40 refuse the
    /// functions, and versions before 3.44 the tables; there a connection whose schema uses one trusts the schema.
    public var trustsSchema = false
    /// Whether a database that is opened read-only removes the files beside it (see ``isReadOnly``) when its last
    /// connection is closed. SQLite can do so only if it may write to the file and its folder.
    public var removesFilesAfterReading = false
    /// Keeps the file's journal mode until ``Database/adoptJournal()``, for a file that may belong to another program:
    /// look at its tables first.
    public var keepsJournalMode = false
    /// `pageCacheBytes` for the connection that writes; nil if it is the same. A transaction that changes more pages
    /// than that writes them to the log before it ends.
    public var writerPageCacheBytes: Int?
    /// Keeps the writer's temporary data (sorters, savepoints, statement journals) in memory and not in files.
    public var keepsTemporaryDataInMemory = false
    /// Lets the first write sync nothing if its log is new: ``Database/moveLog()`` then syncs the log and what it
    /// holds.
    ///
    /// Set it in a program that makes one write and calls `moveLog()` before it reports that the write has been made.
    /// SQLite syncs the header of a new log on its own, because an older log might have pages behind it. A log that has
    /// just been created has none.
    public var leavesSyncToMove = false
    /// Receives a line for each problem that the program is not told otherwise, such as an error of a list whose errors
    /// nobody reads. The default writes it to standard error; a program that draws on the terminal sets another one.
    ///
    /// It may be called on any thread, at any time.
    public var log: @Sendable (_ line: String) -> Void = { line in
      Array("FetchedResults: \(line)\n".utf8).withUnsafeBytes { _ = CLibrary.write(STDERR_FILENO, $0) }
    }
    /// The name of a registered VFS to use for the files, for tests; nil is SQLite's default.
    package var vfs: String?
    /// How long the writer waits for readers, at most, when the log has become long.
    package var patienceWithReads = Duration.milliseconds(5)

    /// SQLite's default.
    static let usualPageCacheBytes = 2000 * 1024

    /// Creates the default options.
    public init() {}
  }
}

extension Duration {
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard self > .zero else { return 0 }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max / 4 : min(product + UInt64(attoseconds / 1_000_000_000), .max / 4)
  }
}
