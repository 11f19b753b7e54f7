import CSQLite

extension Database {
  /// Sets the journal mode that the options ask for, where opening has left that of the file: see ``Options/keepsJournalMode``.
  package func adoptJournal() throws {
    guard let path, !options.isReadOnly else { return }
    let opener = ConnectionOpener(path: path, options: options)
    try withWriter { try opener.setJournalMode(of: $0) }
  }

  /// Moves what is in the log into the file, as far as readers allow, and waits for none of them.
  ///
  /// Whatever can't be moved stays in the log, where it is safe.
  package func moveLog() throws {
    guard path != nil, !options.isReadOnly else { return }
    try withWriter { _ = sqlite3_wal_checkpoint_v2($0.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
  }

  /// Whether the header of a file says that it keeps a log; false for what has no such header.
  ///
  /// It reads by way of SQLite, because to close a descriptor of one's own would drop the locks that this process has on the file.
  package static func keepsLog(_ path: String, vfs: String? = nil) -> Bool {
    var pointer: OpaquePointer?
    defer { sqlite3_close_v2(pointer) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(FilePreparation.plain(path), &pointer, flags, vfs) == SQLITE_OK else { return false }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(pointer, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard code == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else { return false }
    var versions: [UInt8] = [0, 0]
    // The numbers of the format for writing and reading: 2 is the one with a log.
    guard read(file, &versions, 2, 18) == SQLITE_OK else { return false }
    return versions[1] == 2
  }
}
