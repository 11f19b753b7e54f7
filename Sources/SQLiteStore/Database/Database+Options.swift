extension Database {
  /// How a database is opened. The defaults are safe: durable commits, foreign keys enforced, schemas not trusted.
  public struct Options: Sendable {
    /// Whether a missing file is made.
    public enum Creation: Hashable, Sendable {
      /// A missing file is made, readable and writable by its owner only.
      case ifMissing
      /// A missing file is an error.
      case never
    }

    /// What survives a loss of power.
    public enum Durability: String, Hashable, Sendable {
      /// Every commit that returned.
      case full = "FULL"
      /// The database is whole, but the last commits before the loss may be gone. Commits are several times faster.
      case normal = "NORMAL"
    }

    /// How the journal is kept.
    public enum Journal: String, Hashable, Sendable {
      /// Readers and the writer do not wait for each other.
      case wal = "WAL"
      /// A rollback journal, for file systems without shared memory. Readers keep the writer waiting.
      case delete = "DELETE"
    }

    /// How the changes of a commit are learnt.
    public enum Capture: Hashable, Sendable {
      /// The preupdate hook where the library has one, else triggers.
      case automatic
      /// SQLite's preupdate hook; opening fails where the library was built without it.
      case preupdateHook
      /// Temporary triggers that note the keys in a temporary table.
      case triggers
    }

    /// Opens for reading only: no row, no page and no log is ever written.
    ///
    /// A file that keeps a log (`journal == .wal`) has SQLite make an index (`-shm`) and an empty log (`-wal`) beside it for the
    /// readers, also for these. A connection that only reads can't remove them; the next one that may write does.
    public var isReadOnly = false
    /// Whether a missing file is made.
    public var creation = Creation.ifMissing
    /// What survives a loss of power.
    public var durability = Durability.full
    /// How the journal is kept.
    public var journal = Journal.wal
    /// How long a statement waits for other processes, and a write for another one in this process, before it fails
    /// with `.busy`.
    public var busyTimeout = Duration.seconds(5)
    /// How many readers may be open at once.
    public var maximumReaders = 5
    /// How many statements a connection keeps ready.
    public var statementCacheSize = 200
    /// How much of the file each connection keeps in memory, in bytes; at least 1,024.
    public var pageCacheBytes = Options.usualPageCacheBytes
    /// How the changes of a commit are learnt, once somebody observes.
    public var capture = Capture.automatic
    /// How many keys of a table are noted in one commit before "everything" is reported instead.
    public var captureLimit = 1_000_000
    /// The longest that a commit of another process goes unnoticed while somebody observes, if all wake-ups are lost.
    public var foreignCommitInterval = Duration.seconds(1)
    /// How the file is reached where it is only read.
    package enum Reading: Hashable, Sendable {
      /// With a descriptor that can only read. See ``Options/isReadOnly`` for what that leaves behind.
      case plain
      /// With a descriptor that could write, so that SQLite removes what it made beside the file when the last connection is closed.
      case tidying
      /// Without any lock and without a log: for what nobody can write to.
      case immutable
    }

    /// How the file is reached where `isReadOnly` is set.
    package var reading = Reading.plain
    /// Leaves the file's journal mode as it is until `adoptJournal()`, for a file that may belong to another program.
    package var keepsJournalMode = false
    /// The same as `pageCacheBytes`, for the connection that writes; nil if it is no other.
    package var writerPageCacheBytes: Int?
    /// Has the writer keep in memory what SQLite would put into temporary files.
    package var keepsTemporaryDataInMemory = false
    /// The name of a registered VFS that the files are reached through, for trials; nil is SQLite's default.
    package var vfs: String?
    /// How long the writer waits for those who read, at most, when the log has become long.
    package var patienceWithReads = Duration.milliseconds(5)

    /// What SQLite keeps if it is told nothing.
    static let usualPageCacheBytes = 2000 * 1024

    /// The defaults.
    public init() {}
  }
}

extension Duration {
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max / 4 : min(product + UInt64(attoseconds / 1_000_000_000), .max / 4)
  }
}
