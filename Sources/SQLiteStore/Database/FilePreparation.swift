import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What has to be right about a path before SQLite sees it, whose own word for all of it is "unable to open".
enum FilePreparation {
  static func check(_ path: String, _ options: Database.Options) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw failure(path, "the path is \(path.isEmpty ? "empty" : "not a path: it contains NUL")")
    }
    var status = stat()
    if stat(path, &status) == 0 {
      if let kind = kind(of: status) { throw failure(path, "it is \(kind), not a database file") }
      if access(path, R_OK) != 0 {
        throw failure(path, "there is no permission to read it", code: .permission)
      }
      return
    }
    let reason = errno
    guard reason == ENOENT else { throw failure(path, message(reason)) }
    if options.isReadOnly || options.creation == .never { throw failure(path, "there is no such file") }
    let folder = parent(of: path)
    guard stat(folder, &status) == 0 else { throw failure(path, "there is no folder \(folder); make it first") }
    if status.st_mode & S_IFMT != S_IFDIR { throw failure(path, "\(folder) is not a folder") }
    try create(path, in: folder)
  }

  /// What there is, where it is no file: a pipe would keep who reads it waiting, and a device is nobody's database.
  private static func kind(of status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a directory"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  /// Makes an empty file that only its owner can read.
  ///
  /// It is made under another name and linked in: nobody must close a descriptor of a file that may be open as a database
  /// in this process already, as that drops all of the process's locks on it.
  private static func create(_ path: String, in folder: String) throws {
    // A link that leads nowhere yet. SQLite would follow it and make a file that others can read.
    var status = stat()
    if lstat(path, &status) == 0 {
      let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw failure(path, "it is a link that leads to nothing, and what it leads to can't be made: \(message(errno))")
      }
      close(descriptor)
      return
    }
    Leftovers.remove(of: path, ".new-")
    let temporary = path + ".new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
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
      // A file system without links: the moment between making and closing is one that we have to take.
      let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
      if descriptor >= 0 { close(descriptor) }
    }
  }

  /// A path as SQLite takes it literally: without this, what begins with "file:" may be read as a URI.
  static func plain(_ path: String) -> String { path.utf8.starts(with: "file:".utf8) ? "./" + path : path }

  /// A path as a URI of a file that nobody can change.
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

  /// Has the disk keep what names a folder holds.
  static func syncFolder(of path: String) {
    let descriptor = open(parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // There are file systems where folders can't be synced, and nothing more can be done about it.
    _ = fsync(descriptor)
    close(descriptor)
  }
}
