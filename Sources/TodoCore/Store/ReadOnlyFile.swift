import FetchedResultsSupport
import SQLiteStore

/// How to read a database file so that the file and its folder stay unchanged.
enum ReadOnlyFile {
  /// The possible ways.
  enum Way: Equatable {
    /// With write permission, so that SQLite can remove the files that it has created.
    case tidying
    /// As an immutable file: if nothing can be written and no log exists.
    case immutable
    /// Unchanged: a file without a log, or one whose log another process has open.
    case plain
    /// As a temporary copy: if a log exists that nobody has open, which would have to be moved or indexed first.
    case copy
  }

  /// The ways to try, in order.
  static func ways(to path: String, vfs: String?) -> [Way] {
    let path = Platform.resolved(path)
    func hasContent(_ suffix: String) -> Bool { (Platform.status(of: path + suffix)?.size ?? 0) > 0 }
    // Where there was no room for it, a smaller one is left.
    let hasShared = (Platform.status(of: path + "-shm")?.size ?? 0) >= 32768
    // A program that was killed leaves both.
    let isOpenElsewhere = hasShared && !(canWrite(path) && hasContent("-wal") && isClaimable(path, vfs))
    if canWrite(path) {
      if hasContent("-wal") { return isOpenElsewhere ? [.tidying] : [.copy] }
      // On a full disk no file can be made beside it.
      return isOpenElsewhere || hasContent("-journal") ? [.tidying] : [.tidying, .immutable]
    }
    if hasContent("-wal") { return isOpenElsewhere ? [.plain, .copy] : [.copy] }
    if Database.keepsLog(path, vfs: vfs) { return isOpenElsewhere ? [.plain, .immutable] : [.immutable] }
    return hasContent("-journal") ? [.plain, .copy] : [.plain]
  }

  /// Whether no program has a file open.
  private static func isClaimable(_ path: String, _ vfs: String?) -> Bool { (try? FileClaim(path, vfs: vfs)) != nil }

  /// Whether this process may write a file and create others beside it.
  static func canWrite(_ path: String) -> Bool {
    let path = Platform.resolved(path)
    return Platform.canWrite(path) && Platform.canWrite(DatabaseLocation(path: path).folder)
  }

  /// Copies a database with its log into a new temporary folder, and returns the path of the copy.
  ///
  /// If the files changed during the copy, it copies them again.
  static func copy(_ path: String) throws -> String {
    let path = Platform.resolved(path)
    let suffixes = ["", "-wal", "-journal"]
    guard let folder = Platform.makeTemporaryFolder() else {
      throw TodoError.inputOutput(
        "\(path) has changes in a log beside it and can't be written, so it is read in a copy, for which no temporary folder can "
          + "be made; set TMPDIR to a folder that you may write to")
    }
    let copy = folder + "/todo.db"
    for _ in 0..<20 {
      let before = suffixes.map { Platform.status(of: path + $0) }
      for suffix in suffixes {
        Platform.remove(copy + suffix)
        guard Platform.status(of: path + suffix) != nil else { continue }
        if let reason = Platform.copyFile(path + suffix, to: copy + suffix) {
          remove(copy)
          throw TodoError.inputOutput("\(path)\(suffix) can't be copied to be read: \(reason)")
        }
      }
      if suffixes.map({ Platform.status(of: path + $0) }) == before { return copy }
      MonotonicClock.sleep(microseconds: 50_000)
    }
    remove(copy)
    throw TodoError.busy("another program keeps writing to \(path); try again in a moment")
  }

  /// Removes a temporary copy and its folder.
  static func remove(_ copy: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { Platform.remove(copy + suffix) }
    Platform.removeFolder(DatabaseLocation(path: copy).folder)
  }
}
