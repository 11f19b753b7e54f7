import FetchedResultsSupport
import RowModel
import Synchronization

/// Files that were removed, renamed or replaced while they are open.
///
/// A connection goes on reading and writing what nobody else sees then, and SQLite reports it only for writes with a
/// rollback journal. Even a read can damage the lost file: SQLite takes the journal or the log of a file in its place
/// for that of the lost one. So check before each use of a connection.
extension Database {
  /// The file that was lost; nil if all are in their places, or were at most a millisecond ago.
  ///
  /// Asking the system each time would make a write of one row slower by a seventh.
  /// Once a loss is reported, though, each call asks: a thread that saw the file just before it was lost may note that
  /// later than the one that found the loss, and the file would seem to be back.
  private var lostFile: OpenedFile? {
    let now = MonotonicClock.now()
    let isSeen = now &- filesSeen.load(ordering: .relaxed) <= 1_000_000 && !isLossReported.load(ordering: .relaxed)
    return isSeen ? nil : findLostFile(now)
  }

  private func findLostFile(_ now: UInt64) -> OpenedFile? {
    let attached = registrations.hasAttachments ? registrations.openedFiles.map(\.file) : []
    let lost = ((opened.map { [$0] } ?? []) + attached).first { $0.isLost }
    filesSeen.store(lost == nil ? now : 0, ordering: .relaxed)
    return lost
  }

  /// Whether no log may be copied into its file: programs that have opened another file in its place use the same log.
  var mustLeaveLog: Bool { lostFile != nil }

  /// Throws if a file was lost. Of a database that has been closed nobody needs to know that.
  func checkFiles() throws {
    if let lostFile, !wasClosed { throw DatabaseError.lost(lostFile) }
  }

  /// The same, even if they were just seen: for a connection that was opened a moment ago, perhaps to another file.
  func checkFilesNow() throws {
    if let lostFile = findLostFile(MonotonicClock.now()) { throw DatabaseError.lost(lostFile) }
  }

  /// The same for the holder of the writer lock. It also makes the lists read: they report the error, or go on if the
  /// file is back.
  func checkFilesOfWriter() throws {
    let lostFile = lostFile
    reportLoss(lostFile != nil)
    if let lostFile { throw DatabaseError.lost(lostFile) }
  }

  /// The error to throw for one that occurred while the database was used: if a file was lost meanwhile, SQLite's error
  /// may be a consequence of that.
  func explained(_ error: any Error) -> any Error {
    guard error is DatabaseError, let lostFile = findLostFile(MonotonicClock.now()), !wasClosed else { return error }
    return DatabaseError.lost(lostFile)
  }

  /// Reports to observers if a file was lost, or is back in its place. The caller holds the writer lock. Returns
  /// whether anything was reported.
  func reportLossOfFile() -> Bool { reportLoss(findLostFile(MonotonicClock.now()) != nil) }

  @discardableResult
  private func reportLoss(_ isLost: Bool) -> Bool {
    guard isLossReported.load(ordering: .relaxed) != isLost,
      isLossReported.exchange(isLost, ordering: .relaxed) != isLost
    else { return false }
    var changes: [String: DirtyKeys] = [:]
    for table in feed.observed.tables { changes[table] = .everything(.foreignCommit) }
    feed.put(changes, isForeign: true)
    return true
  }
}

extension DatabaseError {
  fileprivate static func lost(_ file: OpenedFile) -> DatabaseError {
    DatabaseError(
      code: .readOnlyFileMoved,
      message:
        "\(file.path) was removed, renamed or replaced while it was open, so nothing can be read from it or written "
        + "to it; close the database and open it again")
  }
}
