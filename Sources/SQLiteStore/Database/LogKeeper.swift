import CSQLite

/// Sees to it that the write-ahead log is moved into the file, and begins anew, before it gets long.
///
/// SQLite's own way is to move what it can after each commit once the log has 1,000 pages. It begins anew only if nobody reads from it
/// just then. Where somebody always does, that is two syncs a commit, of a log that never ends: seen with 200 lists and one busy
/// writer, whose writes took six times as long while the log grew by 60 MB a second. Here it is tried once for every 1,000 pages, and
/// when that has failed for some time, the writer waits for those who read, if they are quick. It holds nobody up by that but itself.
///
/// Used by whoever holds the writer's lane. A `PRAGMA wal_autocheckpoint` brings back SQLite's own way.
final class LogKeeper {
  private let connection: OpaquePointer
  /// The pages in the log after the last commit, and with how many it is next tried to move them.
  private var pages = 0
  private var due = LogKeeper.usual
  /// With how many reads are waited for.
  private var duePatiently = LogKeeper.long

  private static let usual = 1000
  private static let long = 4 * usual
  /// How long reads under way may take, and may have taken, to be worth waiting for.
  private let patience: UInt64

  init(_ connection: OpaquePointer, patience: Duration) {
    self.connection = connection
    self.patience = patience.nanoseconds
  }

  /// Has SQLite tell of commits instead of seeing to the log itself. It is told for as long as the connection is open.
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

  /// Moves what is in the log, if it is time to. After a write, outside of any transaction.
  func tidy(_ readers: [ReaderPool]) {
    guard pages >= due else { return }
    // What can't be moved stays in the log, where it is safe; a commit has succeeded without this.
    move()
    due = pages + Self.usual
    guard pages >= duePatiently, !readers.isEmpty else { return }
    duePatiently = pages + Self.long
    // Those who read an old state keep what came after it from being moved. Who begins now reads the newest, as nobody commits
    // meanwhile.
    guard awaitReads(readers) else { return }
    move()
    // Who began before all was moved reads from the log, and keeps it from beginning anew. Who begins now reads from the file.
    _ = awaitReads(readers)
  }

  private func awaitReads(_ readers: [ReaderPool]) -> Bool {
    let now = MonotonicClock.now()
    return readers.allSatisfy { $0.awaitReads(begunBefore: now, for: patience) }
  }

  private func move() { sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
}
