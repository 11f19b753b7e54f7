import FetchedResultsSupport
import SQLiteStore

/// The few calls of the C library that the program needs, in one place: everything else here is plain Swift.
///
/// Foundation is not used on purpose: it would add milliseconds to the start of every command.
package enum Platform {
  /// The seconds since 1970 by the system's clock.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec)
  }

  /// The offset from UTC at a moment in the environment's zone (TZ), in seconds.
  static func offset(at seconds: Int64) -> Int {
    _ = zoneIsRead
    var time = time_t(seconds)
    var parts = tm()
    guard localtime_r(&time, &parts) != nil else { return 0 }
    return Int(parts.tm_gmtoff)
  }

  // localtime_r need not read TZ by itself.
  private static let zoneIsRead: Void = tzset()

  /// The name of the environment's zone in the time zone database, such as "Europe/Berlin"; nil if TZ has another form.
  package static let zoneName: String? = {
    func name(_ path: String) -> String? {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      return parts.lastIndex(of: "zoneinfo").map { parts[($0 + 1)...].joined(separator: "/") }
    }
    guard let variable = getenv("TZ") else { return name(resolved("/etc/localtime")) }
    var text = String(cString: variable)
    if text.first == ":" { text.removeFirst() }
    return text.first == "/" ? name(resolved(text)) : text.isEmpty ? "UTC" : text
  }()

  /// The content of a file of at most 1 MB; nil if it can't be read.
  static func smallFile(_ path: String) -> [UInt8]? {
    guard let status = status(of: path), status.isFile, status.size <= 1 << 20 else { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    return content(of: file)
  }

  /// The content of an open file from here to its end; nil if it can't be read, and `errno` says why.
  package static func content(of file: Int32) -> [UInt8]? {
    var status = stat()
    let size = fstat(file, &status) == 0 ? max(0, Int(status.st_size)) : 0
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(max(size + 1, 1 << 16), 1 << 22))
    while true {
      let count = buffer.withUnsafeMutableBytes { CLibrary.read(file, $0) }
      if count == 0 { return bytes }
      if count > 0 { bytes.append(contentsOf: buffer[..<count]) } else if errno != EINTR { return nil }
    }
  }

  /// A variable of the environment; nil if it is not set or is empty. Invalid UTF-8 is an error, because it would
  /// become the name of another file.
  static func environment(_ name: String) throws(TodoError) -> String? {
    guard let value = getenv(name) else { return nil }
    guard let text = String(validatingCString: value) else {
      throw .usage("\(name) is \"\(String(cString: value))\" and not UTF-8; set it to another path")
    }
    return text.isEmpty ? nil : text
  }

  /// The user's home folder in the system's user database.
  static func homeOfUser() -> String? {
    guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return nil }
    return String(validatingCString: folder)
  }

  /// The status of a path; nil if nothing is there, or if it can't be queried.
  package static func status(of path: String) -> FileStatus? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let changed = CLibrary.modificationTime(of: status)
    return FileStatus(
      isFolder: status.st_mode & S_IFMT == S_IFDIR, isFile: status.st_mode & S_IFMT == S_IFREG,
      mode: UInt32(status.st_mode) & 0o7777, size: Int64(status.st_size), number: UInt64(status.st_ino),
      changed: [Int64(changed.tv_sec), Int64(changed.tv_nsec)])
  }

  /// Whether nothing exists at a path; false if that can't be queried.
  static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == ENOENT
  }

  /// Whether this process may write a file, or create files in a folder.
  static func canWrite(_ path: String) -> Bool { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

  /// Whether there is a file that this process may not write. It takes one system call, because the file may appear or
  /// disappear between two.
  static func isReadOnly(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && (errno == EACCES || errno == EROFS || errno == EPERM)
  }

  /// Creates a folder for this process alone, in the folder for temporary files; nil if it can't. Its name contains the
  /// number of the process.
  package static func makeTemporaryFolder() -> String? {
    let places = [try? environment("TMPDIR"), "/tmp", "/var/tmp"].compactMap { $0 }
    for place in places where place.hasPrefix("/") {
      removeAbandonedFolders(in: place)
      var name = Array((place + "/todo-\(getpid())-XXXXXX").utf8CString)
      if mkdtemp(&name) != nil { return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }
    return nil
  }

  /// Removes the temporary folders of processes that were killed. Those of the last minute are kept: perhaps their
  /// process runs in another container.
  private static func removeAbandonedFolders(in place: String) {
    for name in StaleFiles.names(in: place) where name.hasPrefix("todo-") {
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].utf8.count == 6, let maker = pid_t(parts[1]), maker > 0, kill(maker, 0) != 0,
        errno == ESRCH
      else { continue }
      let folder = place + "/" + name
      var status = stat()
      guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
        time(nil) - CLibrary.modificationTime(of: status).tv_sec > 60
      else { continue }
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(folder + "/todo.db" + suffix) }
      rmdir(folder)
    }
  }

  /// Removes an empty folder.
  package static func removeFolder(_ path: String) { rmdir(path) }

  /// Copies a file to a new one for its owner alone; returns the reason if it can't.
  static func copyFile(_ path: String, to target: String) -> String? {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    if source < 0 { return reason(of: -1) }
    defer { close(source) }
    let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file < 0 { return reason(of: -1) }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while true {
        let count = read(source, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return reason(of: Int32(count)) }
        var done = 0
        while done < count {
          let written = write(file, buffer.baseAddress.map { $0 + done }, count - done)
          if written < 0, errno == EINTR { continue }
          if written <= 0 { return reason(of: -1) }
          done += written
        }
      }
    }
  }

  /// Whether there is a link with that name, even a dangling one.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The path of an existing file without links, unless that is not UTF-8, as the name of a folder above may be.
  static func resolved(_ path: String) -> String {
    guard let text = realpath(path, nil) else { return path }
    defer { free(text) }
    return String(validatingCString: text) ?? path
  }

  /// Whether two paths lead to the same file.
  static func isSame(_ path: String, _ other: String) -> Bool {
    var one = stat()
    var two = stat()
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }

  /// Renames a file, replacing a file with the new name; returns the reason if it can't.
  static func rename(_ path: String, to name: String) -> String? { reason(of: move(path, name)) }

  /// Gives a file another name; returns the reason if it can't.
  static func link(_ path: String, as name: String) -> String? { reason(of: hardLink(path, name)) }

  private static func reason(of code: Int32) -> String? { code == 0 ? nil : String(cString: strerror(errno)) }

  /// Removes a file, if it exists.
  package static func remove(_ path: String) { unlink(path) }

  /// Syncs a folder, so that the names in it are on the disk.
  static func syncFolder(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Creates a folder and its parents, for its owner alone; returns the reason if it can't.
  static func makeFolder(_ path: String) -> String? {
    if let status = status(of: path) { return status.isFolder ? nil : "\(path) is not a folder" }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      if let reason = makeFolder(String(path[..<slash])) { return reason }
    }
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return nil }
    return String(cString: strerror(errno))
  }
}

/// Facts about a file, some of which change whenever it is written.
package struct FileStatus: Equatable {
  var isFolder: Bool
  /// Whether it is a regular file, and not a folder, a pipe or a device.
  var isFile: Bool
  var mode: UInt32
  var size: Int64
  package var number: UInt64
  /// Seconds and nanoseconds.
  var changed: [Int64]
}

// Under names that those of `Platform` don't hide.
private func move(_ path: String, _ name: String) -> Int32 { rename(path, name) }
private func hardLink(_ path: String, _ name: String) -> Int32 { link(path, name) }
