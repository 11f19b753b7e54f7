import CFetchedResultsSQLite
import FetchedResultsSupport

/// A database file as it was when it was opened: its path, and which file that led to.
///
/// SQLite can say whether a file has moved too (`SQLITE_FCNTL_HAS_MOVED`), but only the one that a connection has open.
/// A reader that is opened after the file was replaced has the new one open.
struct OpenedFile: Sendable {
  let path: String
  // Nil if the system doesn't know the file, as with a file system of SQLite's own (`Options.vfs`).
  private let file: Identity?
  /// Whether the path was a link. SQLite has followed the links in a path, but its other file systems may not.
  private let isLink: Bool
  /// Whether it was moved before it was looked at, so that `file` is another one.
  private let hasMovedAtOnce: Bool

  /// - Parameter connection: Has the file open as `name`.
  init(_ path: String, of connection: Connection, as name: String = "main") {
    self.path = path
    let entry = Identity(path, followsLink: false)
    file = Identity(path, followsLink: true)
    isLink = entry != file
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(connection.handle, name, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    hasMovedAtOnce = code == SQLITE_OK && hasMoved != 0
  }

  /// Whether the path is no longer the file's: it was removed, renamed or replaced, if only by a link to its new place.
  /// Programs that follow the link use a log beside the new place. If the system doesn't say what the path leads to, the
  /// file counts as there.
  var isLost: Bool {
    if hasMovedAtOnce { return true }
    guard let file else { return false }
    var status = stat()
    if (isLink ? stat(path, &status) : lstat(path, &status)) == 0 { return Identity(status) != file }
    return errno == ENOENT || errno == ENOTDIR
  }

  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64

    init?(_ path: String, followsLink: Bool) {
      var status = stat()
      guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
      self.init(status)
    }

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }
}
