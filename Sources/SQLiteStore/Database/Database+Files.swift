import CFetchedResultsSQLite
import FetchedResultsSupport

extension Database {
  /// Sets the journal mode of the options, if opening has kept that of the file: see ``Options/keepsJournalMode``.
  ///
  /// ```swift
  /// var options = Database.Options()
  /// options.keepsJournalMode = true
  /// let database = try Database(path: "/var/lib/shop/shop.db", options: options)
  /// try database.adoptJournal()  // after a check that the file is ours
  /// ```
  public func adoptJournal() throws {
    guard let path, !options.isReadOnly else { return }
    let opener = ConnectionOpener(path: path, options: options)
    try withWriter("adoptJournal") { writer in
      try checkFilesNow()
      for file in ["main"] + writer.attachedNames { try opener.setJournalMode(of: writer, file: file) }
    }
  }

  /// Copies the log into the file as far as readers allow, without waiting for them.
  ///
  /// ```swift
  /// if try !database.moveLog() { print("the disk is full: copy the -wal file too") }
  /// ```
  ///
  /// What can't be copied stays in the log, where it is safe. Whatever the durability, every commit before the call is
  /// on the disk when it returns. It throws if the disk refuses that.
  ///
  /// - Returns: Whether the disk has room for what the log holds. If it hasn't, the log also stays when the database is
  ///   closed, and the file is not whole without it.
  @discardableResult
  public func moveLog() throws -> Bool {
    guard path != nil, !options.isReadOnly else { return true }
    return try withWriter("moveLog") { writer in
      try checkFilesNow()
      syncAgain()
      guard !isUnsynced else { throw unsyncedLog }
      var pages: Int32 = 0
      var moved: Int32 = 0
      var code = SQLITE_FULL
      if hasRoomForLog {
        code = sqlite3_wal_checkpoint_v2(writer.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
      }
      let hasRoom = ![SQLITE_FULL, SQLITE_IOERR].contains(code & 0xFF)
      // With full durability each commit has synced the log. Otherwise SQLite syncs the log before it copies anything,
      // then the file, and only then counts the pages as copied.
      if options.durability == .full || (code == SQLITE_OK && moved == pages) { return hasRoom }
      try syncLog(writer)
      return hasRoom
    }
  }

  /// Closes the writer's connection. SQLite then copies the log into the file, unless there is no room for it.
  func closeWriter() {
    if !writer.isClosed, !hasRoomForLog { _ = frc_db_config(writer.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }
    writer.close()
  }

  /// Whether the disk has room for the pages by which the log extends the file, as far as the system says. The caller
  /// holds the writer lock.
  ///
  /// SQLite would notice in the middle. The file then holds a part of the log, and is damaged without the rest.
  var hasRoomForLog: Bool {
    guard let file, options.vfs == nil, let logSize, logSize > 0 else { return true }
    var status = stat()
    guard stat(file, &status) == 0 else { return true }
    let size = UInt64(status.st_size)
    // Usually there is room for all of the log, though most of it replaces pages of the file. How many it adds must
    // only be known otherwise: the PRAGMA makes SQLite read the schema, which a short reader has not read here.
    if CLibrary.hasRoom(toExtend: file, from: size, to: size + UInt64(logSize)) { return true }
    guard let pages = try? writer.internalInteger("PRAGMA page_count"),
      let pageSize = try? writer.internalInteger("PRAGMA page_size")
    else { return true }
    // A limit can also be below the present size.
    return CLibrary.hasRoom(toExtend: file, from: size, to: max(size, UInt64(pages * pageSize)))
  }

  private func syncLog(_ writer: Connection) throws {
    guard let (file, methods) = log(of: writer) else { return }
    guard let sync = methods.xSync, sync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK else { throw unsyncedLog }
  }

  private var unsyncedLog: DatabaseError {
    DatabaseError(code: .ioError, message: "the log of \(path ?? "the database") can't be synced")
  }

  /// The size of the log in bytes; nil if there is none, or the file system doesn't say. The caller holds the writer
  /// lock.
  var logSize: Int64? {
    guard let (file, methods) = log(of: writer), let sizeOf = methods.xFileSize else { return nil }
    var size: Int64 = 0
    return sizeOf(file, &size) == SQLITE_OK ? size : nil
  }

  /// The log as SQLite has it open; nil if it isn't open.
  private func log(of writer: Connection) -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods)? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let found = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(writer.handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, $0)
    }
    // A file without methods is not open.
    guard found == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return nil }
    return (file, methods.pointee)
  }

  /// Stops SQLite from counting its memory in the whole process, which takes a lock for every allocation. Call it
  /// before anything else, in a program in which nothing else uses SQLite.
  ///
  /// ```swift
  /// Database.countNoMemory()  // the first line of the program
  /// ```
  public static func countNoMemory() { frc_count_no_memory() }

  /// Whether the header of a file says that it is in WAL mode; false if there is no such header.
  ///
  /// It reads through SQLite, because closing a descriptor of our own would drop the locks that this process has on the
  /// file.
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
    // The format versions for writing and reading: 2 means WAL.
    guard read(file, &versions, 2, 18) == SQLITE_OK else { return false }
    return versions[1] == 2
  }
}
