import CSQLite

/// A database file for oneself, by SQLite's own lock: no other connection uses it, in this process or another, for as long as this is held.
///
/// It asks for none of the content, so that it works for a file that is damaged too.
package final class FileClaim {
  private var handle: OpaquePointer?

  /// Claims a file. Throws where a connection uses it. A file that can't be opened for writing, or not at all, is not claimed.
  package init(_ path: String, vfs: String? = nil) throws {
    let code = sqlite3_open_v2(
      FilePreparation.plain(path), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs)
    guard code == SQLITE_OK, let file, let lock = file.pointee.pMethods?.pointee.xLock else { return }
    // Level by level, as SQLite's pager does. Whoever reads or keeps a log bars the last one.
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
