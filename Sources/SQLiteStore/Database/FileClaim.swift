import CFetchedResultsSQLite

/// An exclusive lock on a database file, taken by SQLite's own means: while it is held, no other connection uses the
/// file, in this process or another.
///
/// It reads none of the content, so it also works for a damaged file.
package final class FileClaim {
  private var handle: OpaquePointer?

  /// Locks a file. Throws if a connection uses it. A file that can't be opened for writing is not locked.
  package init(_ path: String, vfs: String? = nil) throws {
    let code = sqlite3_open_v2(
      FilePreparation.plain(path), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs)
    guard code == SQLITE_OK, let file, let lock = file.pointee.pMethods?.pointee.xLock else { return }
    // Level by level, as SQLite's pager does. A connection that reads, or is in WAL mode, prevents the last level.
    for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE] {
      let code = lock(file, level)
      if code == SQLITE_OK { continue }
      if code & 0xFF == SQLITE_BUSY { throw DatabaseError(code: .busy, message: "\(path) is in use") }
      return
    }
  }

  deinit {
    if let file { _ = file.pointee.pMethods?.pointee.xUnlock(file, SQLITE_LOCK_NONE) }
    sqlite3_close(handle)
  }

  private var file: UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK ? file : nil
  }
}
