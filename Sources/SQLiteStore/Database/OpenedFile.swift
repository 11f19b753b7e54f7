import FetchedResultsSupport

/// A database file as it was when it was opened: its path, and which file that led to.
///
/// SQLite can say whether a file has moved too (`SQLITE_FCNTL_HAS_MOVED`), but only the one that a connection has open.
/// A reader that is opened after the file was replaced has the new one open.
struct OpenedFile: Sendable {
  let path: String
  // Nil if the system doesn't know the file, as with a file system of SQLite's own (`Options.vfs`).
  private let file: Identity?

  /// - Parameter path: A path in which SQLite has followed the links.
  init(_ path: String) {
    self.path = path
    var status = stat()
    file = lstat(path, &status) == 0 ? Identity(status) : nil
  }

  /// Whether the path is no longer the file's: it was removed, renamed or replaced, if only by a link to its new place.
  /// Programs that follow the link use a log beside the new place. If the system doesn't say what the path leads to,
  /// the file counts as there.
  var isLost: Bool {
    guard let file else { return false }
    var status = stat()
    if lstat(path, &status) == 0 { return Identity(status) != file }
    return errno == ENOENT || errno == ENOTDIR
  }

  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }
}
