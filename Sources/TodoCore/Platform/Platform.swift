#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The few calls of the C library that the program needs, in one place: everything else here is plain Swift.
///
/// Foundation is left out on purpose. It would add milliseconds to the start of every command.
enum Platform {
  /// The seconds since 1970 by the system's clock.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec)
  }

  /// Milliseconds by a clock that is never set.
  static func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// How many seconds the clock on the wall is ahead of UTC at a moment, as the environment's TZ has it.
  static func offset(at seconds: Int64) -> Int {
    _ = zoneIsRead
    var time = time_t(seconds)
    var parts = tm()
    guard localtime_r(&time, &parts) != nil else { return 0 }
    return Int(parts.tm_gmtoff)
  }

  // localtime_r need not look at TZ by itself.
  private static let zoneIsRead: Void = tzset()

  /// The name of the environment's zone in the time zone database, "Europe/Berlin"; nil where TZ says it in another way.
  static let zoneName: String? = {
    func name(_ path: String) -> String? {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      return parts.lastIndex(of: "zoneinfo").map { parts[($0 + 1)...].joined(separator: "/") }
    }
    guard let variable = getenv("TZ") else { return name(resolved("/etc/localtime")) }
    var text = String(cString: variable)
    if text.first == ":" { text.removeFirst() }
    return text.first == "/" ? name(resolved(text)) : text.isEmpty ? "UTC" : text
  }()

  /// What a file of at most 1 MB holds; nil where it can't be read.
  static func smallFile(_ path: String) -> [UInt8]? {
    guard let status = status(of: path), status.isFile, status.size <= 1 << 20 else { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Int(status.size))
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + done }, $0.count - done) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return nil }
      done += count
    }
    return bytes
  }

  /// A variable of the environment; nil where it is not set or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The home folder that the system's list of users has.
  static func homeOfUser() -> String? {
    guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return nil }
    return String(cString: folder)
  }

  /// What a path leads to; nil where there is nothing, or where it can't be asked.
  static func status(of path: String) -> FileStatus? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileStatus(
      isFolder: status.st_mode & S_IFMT == S_IFDIR, isFile: status.st_mode & S_IFMT == S_IFREG,
      mode: UInt32(status.st_mode) & 0o7777, size: Int64(status.st_size))
  }

  /// Whether a path leads nowhere, which is not the same as that it can't be asked where it leads.
  static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == ENOENT
  }

  /// Whether this process may write a file, or make files in a folder.
  static func canWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

  /// What changes whenever a file is written; nil where there is no such file.
  static func version(of path: String) -> [Int64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    return [
      Int64(status.st_size), Int64(changed.tv_sec), Int64(changed.tv_nsec), Int64(truncatingIfNeeded: status.st_ino),
    ]
  }

  /// Makes a folder for this process alone, where temporary files are kept; nil where that can't be done.
  static func makeTemporaryFolder() -> String? {
    let places = [environment("TMPDIR"), "/tmp", "/var/tmp"].compactMap { $0 }
    for place in places where place.hasPrefix("/") {
      var name = Array((place + "/todo-XXXXXX").utf8CString)
      if mkdtemp(&name) != nil { return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }
    return nil
  }

  /// Removes an empty folder.
  static func removeFolder(_ path: String) { rmdir(path) }

  /// Copies a file to a new one for its owner alone; the reason in words when that can't be done.
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

  /// Whether there is a link of that name, wherever it leads.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The path without links on it, of a file that is there.
  static func resolved(_ path: String) -> String {
    guard let text = realpath(path, nil) else { return path }
    defer { free(text) }
    return String(cString: text)
  }

  /// Whether two paths lead to the same file.
  static func isSame(_ path: String, _ other: String) -> Bool {
    var one = stat()
    var two = stat()
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }

  /// Gives a file another name, in place of what has that name; the reason in words when that can't be done.
  static func rename(_ path: String, to name: String) -> String? { reason(of: move(path, name)) }

  /// Gives a file a further name; the reason in words when that can't be done.
  static func link(_ path: String, as name: String) -> String? { reason(of: hardLink(path, name)) }

  private static func reason(of code: Int32) -> String? { code == 0 ? nil : String(cString: strerror(errno)) }

  /// Removes a file, if it is there.
  static func remove(_ path: String) { unlink(path) }

  /// Has the disk keep the names of the files in a folder.
  static func syncFolder(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// The number of this process.
  static var processNumber: Int32 { getpid() }

  /// Makes a folder and those above it, for its owner alone; the reason in words when that can't be done.
  static func makeFolder(_ path: String) -> String? {
    if let status = status(of: path) { return status.isFolder ? nil : "\(path) is not a folder" }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      if let reason = makeFolder(String(path[..<slash])) { return reason }
    }
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return nil }
    return String(cString: strerror(errno))
  }

  /// Sets who may read and write a file; false when that can't be done.
  static func setMode(_ mode: UInt32, of path: String) -> Bool { chmod(path, mode_t(mode)) == 0 }

  /// Sleeps.
  static func sleep(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }
}

/// What there is to know of a file.
struct FileStatus {
  var isFolder: Bool
  /// Whether it is an ordinary file, and neither a folder nor a pipe or a device.
  var isFile: Bool
  var mode: UInt32
  var size: Int64
}

// Under names that those of `Platform` don't hide.
private func move(_ path: String, _ name: String) -> Int32 { rename(path, name) }
private func hardLink(_ path: String, _ name: String) -> Int32 { link(path, name) }
