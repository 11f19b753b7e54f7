import CFetchedResultsSQLite
import FetchedResultsSupport

/// Copies the write-ahead log into the file and restarts the log before it gets long.
///
/// By default SQLite copies what it can after each commit once the log has 1,000 pages. It restarts the log only if
/// nobody reads at that moment. If somebody always reads, that means two syncs for each commit and a log that never
/// stops growing. We have seen this with 200 lists and one busy writer: its writes took six times as long, and the log
/// grew by 60 MB a second. Here the copy is tried once for every 1,000 pages. When that has failed for some time, the
/// writer waits for the readers, if they are quick. Only the writer itself waits.
///
/// Used by the thread that holds the writer lock. A `PRAGMA wal_autocheckpoint` restores SQLite's default.
final class LogKeeper {
  private let connection: OpaquePointer
  /// The number of pages in the log after the last commit, and the number at which the next copy is tried.
  private var pages = 0
  private var due = LogKeeper.usual
  /// The number of pages at which the writer waits for readers.
  private var duePatiently = LogKeeper.long

  private static let usual = 1000
  private static let long = 4 * usual
  /// How long a running read may take, or have taken, so that it is worth waiting for.
  private let patience: UInt64

  init(_ connection: OpaquePointer, patience: Duration) {
    self.connection = connection
    self.patience = patience.nanoseconds
  }

  /// Makes SQLite report commits here instead of copying the log itself, for as long as the connection is open.
  func install() {
    sqlite3_wal_hook(
      connection,
      { context, connection, name, pages in
        guard let context, let name, let connection else { return SQLITE_OK }
        if name[0] == 0x6D, String(cString: name) == "main" {
          Unmanaged<LogKeeper>.fromOpaque(context).takeUnretainedValue().committed(Int(pages))
        } else if pages >= LogKeeper.usual {
          sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func committed(_ pages: Int) {
    if pages < self.pages {
      due = Self.usual
      duePatiently = Self.long
    }
    self.pages = pages
  }

  /// Whether it is time to copy the log.
  var isDue: Bool { pages >= due }

  /// Copies the log if it is time to. Call it after a write, outside any transaction.
  func tidy(_ readers: [ReaderPool]) {
    guard isDue else { return }
    // What can't be copied stays in the log, where it is safe. The commit has succeeded in any case.
    move()
    due = pages + Self.usual
    guard pages >= duePatiently, !readers.isEmpty else { return }
    duePatiently = pages + Self.long
    // Readers of an old state prevent later pages from being copied. Reads that begin now see the newest state, because
    // nobody commits meanwhile.
    guard awaitReads(readers) else { return }
    move()
    // Reads that began before everything was copied use the log, and prevent its restart. Reads that begin now use the
    // file.
    _ = awaitReads(readers)
  }

  private func awaitReads(_ readers: [ReaderPool]) -> Bool {
    let now = MonotonicClock.now()
    return readers.allSatisfy { $0.awaitReads(begunBefore: now, for: patience) }
  }

  private func move() { sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
}
