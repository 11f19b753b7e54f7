import CFetchedResultsSQLite
import FetchedResultsSupport

/// Checks a path before SQLite opens it, because SQLite's only message for all of these errors is "unable to open".
enum FilePreparation {
  /// Checks a path, and creates an empty file if it is missing; returns true if it did.
  @discardableResult
  static func check(_ path: String, _ options: Database.Options) throws -> Bool {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw failure(path, "the path is \(path.isEmpty ? "empty" : "not a path: it contains NUL")")
    }
    var status = stat()
    if stat(path, &status) == 0 {
      if let kind = kind(of: status) { throw failure(path, "it is \(kind), not a database file") }
      if access(path, R_OK) != 0 {
        throw failure(path, "there is no permission to read it", code: .permission)
      }
      if options.isImmutable { try checkImmutable(path, options) }
      return false
    }
    let reason = errno
    guard reason == ENOENT else { throw failure(path, message(reason)) }
    if options.isReadOnly || !options.createsFile { throw failure(path, "there is no such file") }
    let folder = parent(of: path)
    guard stat(folder, &status) == 0 else { throw failure(path, "there is no folder \(folder); make it first") }
    if status.st_mode & S_IFMT != S_IFDIR { throw failure(path, "\(folder) is not a folder") }
    try create(path, in: folder)
    return true
  }

  /// Refuses to read a file without its log or its journal, which may hold its last commits.
  private static func checkImmutable(_ path: String, _ options: Database.Options) throws {
    let full = fullPath(path, options.vfs)
    for suffix in ["-wal", journal] where suffix == journal ? hasHotJournal(full) : size(full + suffix) > 0 {
      throw failure(
        path,
        "it can't be read as immutable, because \(full)\(suffix) may hold changes that are not in it; "
          + "open it once so that it can be written, and close it")
    }
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether a journal of an interrupted transaction is beside a file. A journal that is kept after its transaction has
  /// zeros in place of its header.
  private static func hasHotJournal(_ path: String) -> Bool {
    guard let file = fopen(path + journal, "rb") else { return size(path + journal) > 0 }
    defer { fclose(file) }
    let first = fgetc(file)
    return first != EOF && first != 0
  }

  /// Why a file can't be opened for reading only: what SQLite says, or what it can't know.
  static func reason(_ error: DatabaseError, _ path: String, _ options: Database.Options) -> String {
    let full = fullPath(path, options.vfs)
    guard options.isReadOnly, !options.isImmutable, [.readOnly, .cantOpen].contains(error.code) else {
      return error.message
    }
    if hasHotJournal(full) {
      return
        "\(full)\(journal) holds a transaction that was interrupted, and must be undone first; open it once so that it "
        + "can be written"
    }
    guard access(parent(of: full), W_OK) != 0, Database.keepsLog(path, vfs: options.vfs) else { return error.message }
    return
      "it is in WAL mode, and SQLite can't make the files it needs beside it, as there is no permission to write to the "
      + "folder; "
      + (size(full + "-wal") > 0
        ? "the log (-wal) may hold changes, so copy both to another folder"
        : "if nobody changes it, set Options.isImmutable")
  }

  private static let journal = "-journal"

  /// The path as SQLite writes it, absolute and without links.
  private static func fullPath(_ path: String, _ vfs: String?) -> String {
    guard let vfs = sqlite3_vfs_find(vfs), let expand = vfs.pointee.xFullPathname else { return path }
    var buffer = [CChar](repeating: 0, count: 8192)
    let code = expand(vfs, plain(path), Int32(buffer.count), &buffer)
    let full =
      code & 0xFF == SQLITE_OK ? buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } : nil
    return full ?? path
  }

  /// Whether a database has a log beside it, even an empty one; true if the system doesn't say.
  static func hasLog(_ path: String, _ vfs: String?) -> Bool {
    var status = stat()
    return stat(fullPath(path, vfs) + "-wal", &status) == 0 || errno != ENOENT
  }

  /// The maximum length of a name in a folder, in bytes.
  static func nameLimit(in folder: String) -> Int {
    let limit = pathconf(folder, Int32(_PC_NAME_MAX))
    return limit > 0 ? limit : 255
  }

  // MARK: Files

  /// Whether two paths lead to the same file.
  static func isSameFile(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard stat(path, &first) == 0, stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// Removes a file that was created for an attempt that failed, if it is still empty.
  static func removeIfEmpty(_ path: String) {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { unlink(path) }
  }

  /// The kind of a path that isn't a file: opening a pipe would block, and a device isn't a database.
  static func kind(of status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a directory"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  /// Creates an empty file that only its owner can read.
  ///
  /// It is created under another name and linked. A descriptor must never be closed for a file that may be open as a
  /// database in this process, because that drops all of the process's locks on it.
  private static func create(_ path: String, in folder: String) throws {
    var status = stat()
    if stat(path, &status) == 0 { return }  // another thread or program has just created it
    // A dangling link. SQLite would follow it and create a file that others can read.
    if lstat(path, &status) == 0 {
      let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw failure(path, "it is a link that leads to nothing, and what it leads to can't be made: \(message(errno))")
      }
      close(descriptor)
      return
    }
    StaleFiles.remove(of: path, ".new-")
    let temporary = StaleFiles.path(beside: path, ".new-")
    let descriptor = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      throw failure(
        path, "it can't be made: \(message(reason))",
        code: reason == ENOSPC ? .full : reason == EACCES || reason == EROFS || reason == EPERM ? .readOnly : .cantOpen)
    }
    close(descriptor)
    defer { unlink(temporary) }
    if link(temporary, path) != 0, errno != EEXIST {
      // The file system has no links: the race between creating and closing can't be avoided.
      let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
      if descriptor >= 0 { close(descriptor) }
    }
  }

  /// A path that SQLite takes literally: otherwise a path that begins with "file:" may be parsed as a URI.
  static func plain(_ path: String) -> String { path.utf8.starts(with: "file:".utf8) ? "./" + path : path }

  /// A path as a URI of an immutable file.
  static func immutableURI(_ path: String) -> String {
    var uri = "file:"
    for byte in path.utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/-._~".utf8.contains(byte)
      if isPlain {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return uri + "?immutable=1"
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func message(_ code: Int32) -> String { String(cString: strerror(code)) }

  private static func failure(_ path: String, _ why: String, code: ResultCode = .cantOpen) -> DatabaseError {
    DatabaseError(code: code, message: "\(path) can't be opened: \(why)")
  }

  /// Syncs a folder, so that the names in it survive a power failure.
  static func syncFolder(of path: String) {
    let descriptor = open(parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // On some file systems folders can't be synced, and nothing more can be done.
    _ = fsync(descriptor)
    close(descriptor)
  }
}
