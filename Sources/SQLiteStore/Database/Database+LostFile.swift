import CFetchedResultsSQLite
import FetchedResultsSupport
import RowModel
import Synchronization

/// Files that were removed, renamed or replaced while they are open.
///
/// A connection goes on reading and writing what nobody else sees then, and SQLite reports it only with a rollback
/// journal.
extension Database {
  /// The file that was lost; nil if all are in their places, or were at most a millisecond ago.
  ///
  /// Asking the system each time would make a write of one row slower by a seventh.
  private var lostFile: OpenedFile? {
    let now = MonotonicClock.now()
    return now &- filesSeen.load(ordering: .relaxed) > 1_000_000 ? findLostFile(now) : nil
  }

  private func findLostFile(_ now: UInt64) -> OpenedFile? {
    let attached = registrations.hasAttachments ? registrations.openedFiles.map(\.file) : []
    let lost = ((opened.map { [$0] } ?? []) + attached).first { $0.isLost }
    // Once a file is lost, each call looks.
    filesSeen.store(lost == nil ? now : 0, ordering: .relaxed)
    return lost
  }

  /// Throws if a file was lost.
  func checkFiles() throws {
    if let lostFile { throw DatabaseError.lost(lostFile) }
  }

  /// The same, even if they were just seen: for a connection that was opened a moment ago, perhaps to another file.
  func checkFilesNow() throws {
    if let lostFile = findLostFile(MonotonicClock.now()) { throw DatabaseError.lost(lostFile) }
  }

  /// The same for a write that is about to commit. It also makes the lists read, and report the error.
  func checkFilesBeforeCommit() throws {
    guard let lostFile else { return }
    reportLoss(true)
    throw DatabaseError.lost(lostFile)
  }

  /// The same for a list, which reads after each commit. It learns of the loss from the thread that watches the files,
  /// and from writes.
  func checkReportedLoss() throws {
    if isLossReported.load(ordering: .relaxed) { try checkFilesNow() }
  }

  /// Reports to observers if a file was lost, or is back in its place. The caller holds the writer lock. Returns
  /// whether anything was reported.
  func reportLossOfFile() -> Bool { reportLoss(findLostFile(MonotonicClock.now()) != nil) }

  @discardableResult
  private func reportLoss(_ isLost: Bool) -> Bool {
    guard isLossReported.exchange(isLost, ordering: .relaxed) != isLost else { return false }
    var changes: [String: DirtyKeys] = [:]
    for table in feed.observed.tables { changes[table] = .everything(.foreignCommit) }
    feed.put(changes, .foreign)
    return true
  }

  /// Runs `body` for a backup of a file that was lost, with the writer's connection: no reader can be opened any more.
  /// Returns false if no file was lost.
  func withSourceOfLostFile(_ body: (OpaquePointer) throws -> Void) throws -> Bool {
    guard findLostFile(MonotonicClock.now()) != nil else { return false }
    try withWriter("backup") { writer in
      try writer.runInternal("BEGIN")
      defer { _ = writer.endTransaction("ROLLBACK") }
      _ = try writer.internalInteger("PRAGMA schema_version")
      try body(writer.handle)
    }
    return true
  }

  /// Empties the log of each lost file, before the writer's connection closes as the last one.
  ///
  /// SQLite leaves such a log as it is. But logs are found by their names: the next program that opens a file in the
  /// place of this one would mix these commits into it, and a file that was renamed would lack them.
  func emptyLogsOfLostFiles() {
    writer.busy.impatience = .byCaller
    defer { writer.busy.impatience = nil }
    let files = (opened.map { [("main", $0)] } ?? []) + registrations.openedFiles.map { ($0.name, $0.file) }
    for (name, file) in files where file.isLost && file.hasLog && !isUsedByOthers(name) {
      // If another program is reading from the log, it stays.
      sqlite3_wal_checkpoint_v2(writer.handle, name, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
  }

  /// Whether another connection has committed since the writer last read the file. A program that has opened the file
  /// in its place uses the same log then, and what it wrote belongs there.
  private func isUsedByOthers(_ name: String) -> Bool {
    var (before, now): (UInt32, UInt32) = (0, 0)
    sqlite3_file_control(writer.handle, name, SQLITE_FCNTL_DATA_VERSION, &before)
    sqlite3_exec(writer.handle, "PRAGMA \(SQL.quoted(name)).schema_version", nil, nil, nil)
    sqlite3_file_control(writer.handle, name, SQLITE_FCNTL_DATA_VERSION, &now)
    return before != now
  }
}

extension DatabaseError {
  fileprivate static func lost(_ file: OpenedFile) -> DatabaseError {
    DatabaseError(
      code: .readOnlyFileMoved,
      message:
        "\(file.path) was removed, renamed or replaced while it was open, so nothing can be read from it or written "
        + "to it; copy what it held with `backup(to:)` if you need it, close the database and open it again")
  }
}
