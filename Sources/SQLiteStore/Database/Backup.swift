import CFetchedResultsSQLite
import FetchedResultsSupport

/// A copy that is being made: under a temporary name until it is complete, or in one transaction on the database that
/// it replaces.
struct Backup {
  private let path: String
  private let replacing: Bool
  private let vfs: String?
  private let temporary: String

  init(to path: String, from source: String?, replacing: Bool, vfs: String?) throws {
    self.path = path
    self.vfs = vfs
    self.replacing = replacing
    temporary = StaleFiles.path(beside: path, ".partial-")
    if path.isEmpty { throw failure("the path is empty") }
    if path.utf8.contains(0) { throw failure("it contains NUL, where the system stops reading a path") }
    if path == ":memory:" {
      throw failure("a copy in memory would be gone at once; use Database.inMemory() and copy the rows")
    }
    var status = stat()
    for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.utf8.count))
      if stat(database, &status) == 0 {
        throw failure("SQLite would take it for a part of the database \(database); choose another name")
      }
    }
    // A dangling link is in the way too: it decides where the file would be created.
    if stat(path, &status) != 0 {
      if lstat(path, &status) == 0, !replacing { throw failure("there is a link of that name already") }
    } else {
      if let kind = FilePreparation.kind(of: status) { throw failure("it is \(kind), and no file") }
      var own = stat()
      if let source, stat(source, &own) == 0, own.st_dev == status.st_dev, own.st_ino == status.st_ino {
        throw failure("it is the database itself; choose another name")
      }
      if !replacing {
        throw failure("there is a file of that name already; choose another name, or allow replacing it")
      }
    }
  }

  func make(_ body: (OpaquePointer) throws -> Void) throws {
    if let target = try openReplaced() {
      do {
        defer { sqlite3_close_v2(target) }
        try makePrivate { try body(target) }
      }
      return try leaveTheLogOfReplaced()
    }
    // If a file of this name appears from now on, another program has created it.
    var status = stat()
    let isNew = lstat(path, &status) != 0
    do {
      try FilePreparation.check(temporary, Database.Options())
    } catch var error as DatabaseError {
      error.message = "the backup \(path)" + error.message.trimmingPrefix(temporary)
      throw error
    }
    StaleFiles.remove(of: path, ".partial-")
    defer { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) } }
    var pointer: OpaquePointer?
    let code = sqlite3_open_v2(
      FilePreparation.plain(temporary), &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs)
    defer { sqlite3_close_v2(pointer) }
    guard code == SQLITE_OK, let target = pointer else {
      throw DatabaseError(code, on: pointer, doing: "the backup \(path) can't be written")
    }
    try body(target)
    try leaveTheLog(target)
    pointer = nil
    let closed = sqlite3_close_v2(target)
    guard closed == SQLITE_OK else { throw DatabaseError(closed, on: nil, doing: "the backup \(path)") }
    if !give(name: path, replacing: replacing && !isNew) {
      throw failure(
        replacing && errno == EEXIST
          ? "another program has created a file of that name meanwhile; try again" : FilePreparation.message(errno))
    }
    // Otherwise a power failure could undo the renaming that was reported as done.
    FilePreparation.syncFolder(of: path)
  }

  /// The database to replace, opened so that nobody else has or gets a connection to it; nil if there is no database of
  /// that name.
  ///
  /// The backup is copied into it, in one transaction, and does not take its name as another file. Otherwise a process
  /// that has the old file open, or has just opened it, would write to a deleted file, or apply the old log to the new
  /// file.
  private func openReplaced() throws -> OpaquePointer? {
    var status = stat()
    guard replacing, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var pointer: OpaquePointer?
    var code = sqlite3_open_v2(
      FilePreparation.plain(path), &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs)
    // Lock exclusively before the first read: otherwise a connection with an idle log would not be noticed. Without the
    // log no handle of another process can come in between, and a copy may have pages of another size.
    if code == SQLITE_OK {
      code = sqlite3_exec(
        pointer,
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; COMMIT", nil, nil, nil)
    }
    switch code & 0xFF {
    case SQLITE_OK: return pointer
    // It is damaged, or not a database. The copy replaces it, unless a connection has it open all the same.
    case SQLITE_NOTADB, SQLITE_CORRUPT:
      sqlite3_close_v2(pointer)
      // SQLite would apply a journal beside it to the copy.
      for suffix in ["-wal", "-journal"] where stat(path + suffix, &status) == 0 && status.st_size > 0 {
        throw failure("the file of that name is a damaged database, of which \(path)\(suffix) is a part; remove both")
      }
      do {
        _ = try FileClaim(path, vfs: vfs)
      } catch {
        throw inUse
      }
      return nil
    case SQLITE_BUSY, SQLITE_LOCKED:
      sqlite3_close_v2(pointer)
      throw inUse
    default:
      defer { sqlite3_close_v2(pointer) }
      throw DatabaseError(code, on: pointer, doing: "the backup \(path) can't be written")
    }
  }

  private var inUse: DatabaseError {
    failure("the file of that name is a database that is in use; close it everywhere, or choose another name")
  }

  /// Keeps what is private in the source from becoming readable because a file with that name existed before. If the
  /// backup fails, the same users can read the file as before.
  private func makePrivate(_ body: () throws -> Void) throws {
    var before = stat()
    guard stat(path, &before) == 0 else { throw failure(FilePreparation.message(errno)) }
    let isPublic = before.st_mode & (S_IRWXG | S_IRWXO) != 0
    if isPublic, chmod(path, S_IRUSR | S_IWUSR) != 0 {
      throw failure("others may read the file of that name, and it belongs to another user; choose another name")
    }
    do {
      try body()
    } catch {
      if isPublic { chmod(path, before.st_mode & 0o7777) }
      throw error
    }
  }

  /// Makes the replaced database a single file. It uses a connection of its own, because the other one knows the
  /// encoding of the old content. A process that has opened the copy by then uses its log, which is fine.
  private func leaveTheLogOfReplaced() throws {
    var pointer: OpaquePointer?
    defer { sqlite3_close_v2(pointer) }
    let code = sqlite3_open_v2(
      FilePreparation.plain(path), &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs)
    guard code == SQLITE_OK, let target = pointer else {
      throw DatabaseError(code, on: pointer, doing: "the backup \(path) can't be completed")
    }
    do {
      try leaveTheLog(target)
    } catch let error as DatabaseError where error.code == .busy || error.code == .locked {}
  }

  /// Makes the copy a single file: a database in WAL mode can't be read where no file may be created, as on read-only
  /// media. Opening the copy for writing switches it back to WAL mode.
  private func leaveTheLog(_ target: OpaquePointer) throws {
    let code = sqlite3_exec(target, "PRAGMA journal_mode = DELETE", nil, nil, nil)
    guard code == SQLITE_OK else {
      throw DatabaseError(code, on: target, doing: "the backup \(path) can't be completed")
    }
  }

  /// Gives the copy its name, atomically; returns false if it can't, for the reason in `errno`.
  private func give(name: String, replacing: Bool) -> Bool {
    if replacing { return rename(temporary, name) == 0 }
    if link(temporary, name) == 0 { return true }
    // The file system has no links: a race between this check and the renaming can't be avoided.
    guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else { return false }
    var status = stat()
    if lstat(name, &status) == 0 {
      errno = EEXIST
      return false
    }
    return rename(temporary, name) == 0
  }

  static func copy(
    from source: OpaquePointer, to target: OpaquePointer, pagesPerStep: Int,
    _ progress: (_ copied: Int, _ total: Int) throws -> Void
  ) throws {
    guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
      throw DatabaseError(sqlite3_errcode(target), on: target, doing: "the backup can't begin")
    }
    // The step that copies the last page commits. So keep a page until `progress` has agreed to the end.
    var code = sqlite3_backup_step(backup, 0)
    do {
      while code == SQLITE_OK {
        let count = min(pagesPerStep, Int(sqlite3_backup_remaining(backup)) - 1)
        let isLast = count < pagesPerStep
        if count > 0 { code = sqlite3_backup_step(backup, Int32(clamping: count)) }
        guard code == SQLITE_OK else { break }
        let (remaining, total) = (sqlite3_backup_remaining(backup), Int(sqlite3_backup_pagecount(backup)))
        try progress(isLast ? total : total - Int(remaining), total)
        if isLast { code = sqlite3_backup_step(backup, -1) }
      }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let finished = sqlite3_backup_finish(backup)
    if code != SQLITE_DONE || finished != SQLITE_OK {
      throw DatabaseError(code == SQLITE_DONE ? finished : code, on: target, doing: "the backup failed")
    }
  }

  private func failure(_ why: String) -> DatabaseError {
    DatabaseError(code: .cantOpen, message: "the backup \(path) can't be written: \(why)")
  }
}
