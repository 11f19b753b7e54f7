import CFetchedResultsSQLite
import FetchedResultsSupport
import Synchronization

extension Database {
  /// Rebuilds the file without its unused pages. Call it outside `write`: it can't be part of a transaction.
  ///
  /// ```swift
  /// try database.vacuum()
  /// ```
  ///
  /// Observers receive a change of everything, because hidden row ids get new numbers.
  public func vacuum() throws { try vacuum(Connection.uncancellable) }

  /// The same without blocking the calling task. When the task is cancelled, the file stays as it was.
  public func vacuum() async throws { try await onWriteQueue { try self.vacuum($0, $1) } }

  private func vacuum(_ access: Connection.Access, _ since: UInt64? = nil) throws {
    if options.journal == .delete, isReadByCurrentThread {
      throw DatabaseError.misuse("vacuum was called inside a read, which it would wait for with a rollback journal")
    }
    if options.isReadOnly {
      throw DatabaseError(code: .readOnly, message: "the database was opened for reading only")
    }
    try withWriter("vacuum", access, since: since) { writer in
      try checkFiles()
      feed.commitBegins()
      defer {
        // Even if it was cancelled: a database in memory may have changed all its pages by then.
        tracker.everythingChanged(feed, on: writer)
        feed.commitEnds()
      }
      // VACUUM runs the schema's own statements, and its errors don't say what they refused.
      try writer.readCurrentSchema()
      try writer.runInternal("VACUUM")
    }
  }

  /// Copies the write-ahead log into the file and empties the log.
  ///
  /// ```swift
  /// do {
  ///   try database.checkpoint()
  /// } catch let error as DatabaseError where error.code == .busy {
  ///   print("readers use the log")
  /// }
  /// ```
  ///
  /// It waits for reads, and for other programs that use the log, up to ``Options/busyTimeout``. Then it throws
  /// `.busy`: the rest stays in the log, where it is just as safe. Writes continue meanwhile. Inside a read it throws,
  /// because it would wait for that read.
  public func checkpoint() throws { try checkpoint(Connection.uncancellable) }

  /// The same without blocking the calling task. When the task is cancelled, the log may still hold commits.
  public func checkpoint() async throws { try await onWriteQueue { try self.checkpoint($0, $1) } }

  private func checkpoint(_ access: Connection.Access, _ since: UInt64? = nil) throws {
    guard path != nil, !options.isReadOnly else { return }
    guard !isReadByCurrentThread else {
      throw DatabaseError.misuse("checkpoint was called inside a read, which it would wait for")
    }
    let end = MonotonicClock.now() + options.busyTimeout.nanoseconds
    var pause = 200
    while try !emptyLog(access, since) {
      guard MonotonicClock.now() < end else {
        throw DatabaseError(
          code: .busy,
          message:
            "the log can't be emptied: somebody has read from it, or another program has written to it, for longer than "
            + "the timeout of \(options.busyTimeout); try again, or allow a longer busyTimeout")
      }
      MonotonicClock.sleep(microseconds: pause)
      pause = min(pause * 2, 20_000)
    }
  }

  /// Empties the log, unless it is in use.
  private func emptyLog(_ access: Connection.Access, _ since: UInt64?) throws -> Bool {
    try withWriter("checkpoint", access, since: since) { writer in
      try checkFilesNow()
      writer.busy.impatience = .byCaller
      defer { writer.busy.impatience = nil }
      do {
        return try writer.internalInteger("PRAGMA wal_checkpoint(TRUNCATE)") == 0
      } catch let error as DatabaseError where error.code == .busy || error.code == .locked {
        return false
      }
    }
  }

  /// Returns what is wrong with the file, in SQLite's words; empty if nothing is.
  ///
  /// ```swift
  /// for problem in try database.integrityCheck() { print(problem) }
  /// ```
  ///
  /// It reads the whole file, and also checks for rows that violate a NOT NULL constraint or, unless the database was
  /// opened read-only, a CHECK, and for references to missing rows. `quick` skips the check whether the indices agree
  /// with their tables.
  public func integrityCheck(quick: Bool = false) throws -> [String] {
    try read { try Self.check($0, quick) }
  }

  /// The same without blocking the calling task. It stops when the task is cancelled.
  public func integrityCheck(quick: Bool = false) async throws -> [String] {
    try await read { try Self.check($0, quick) }
  }

  private static func check(_ connection: Connection, _ quick: Bool) throws -> [String] {
    var problems: [String] = []
    do {
      problems = try connection.values("PRAGMA \(raw: quick ? "quick_check" : "integrity_check")", as: String.self)
      if problems == ["ok"] { problems = [] }
      if let failure = problems.lazy.compactMap(Self.failureToRead).first { throw failure }
      problems += try connection.brokenReferences()
    } catch let error as DatabaseError where error.code == .corrupt {
      problems.append(error.message)
    }
    return problems
  }

  /// The error if a page could not be read, which says nothing about its content. SQLite reports that as a problem:
  /// "Page 14: unable to get the page. error code=266".
  private static func failureToRead(_ problem: String) -> DatabaseError? {
    guard let code = problem.firstRange(of: "error code="),
      let number = Int32(problem[code.upperBound...].prefix { $0.isNumber })
    else { return nil }
    let failure = ResultCode(rawValue: number)
    return failure.primary == .corrupt
      ? nil
      : DatabaseError(code: failure, message: "the disk failed while the file was checked: \(problem.prefix(100))")
  }

  /// Copies the current state of the database to a new file, while reads and writes continue.
  ///
  /// The copy gets its name only when it is complete; an interrupted backup leaves nothing. The copy is a single file:
  /// it has a rollback journal until it is opened for writing with another journal mode, so it can be read even where
  /// nothing may be written. Only its owner can read it, also if it replaces a file that others could read.
  ///
  /// - Parameters:
  ///   - path: The path of the copy. An existing file is an error, unless `replacing`.
  ///   - replacing: Whether to replace an existing file, atomically and completely. A link is replaced by a file.
  ///   - pagesPerStep: The number of pages to copy between two calls of `progress`.
  ///   - progress: Called after each step with the numbers of copied and of all pages, the last time before the backup
  ///     is completed. If it throws, the backup is cancelled.
  public func backup(
    to path: String, replacing: Bool = false, pagesPerStep: Int = 1000,
    progress: (_ copiedPages: Int, _ totalPages: Int) throws -> Void = { _, _ in }
  ) throws {
    try backup(to: path, replacing, pagesPerStep, progress, Connection.uncancellable)
  }

  /// The same without blocking the calling task. When the task is cancelled, the backup leaves nothing, and
  /// `CancellationError` is thrown.
  ///
  /// ```swift
  /// try await database.backup(to: "/backups/items.db", replacing: true) { copied, total in print(copied, "of", total)
  /// }
  /// ```
  public func backup(
    to path: String, replacing: Bool = false, pagesPerStep: Int = 1000,
    progress: @escaping @Sendable (_ copiedPages: Int, _ totalPages: Int) throws -> Void = { _, _ in }
  ) async throws {
    try await readQueue.run(on: self) { try self.backup(to: path, replacing, pagesPerStep, progress, $0, $1) }
  }

  private func backup(
    to path: String, _ replacing: Bool, _ pagesPerStep: Int,
    _ progress: (_ copiedPages: Int, _ totalPages: Int) throws -> Void, _ access: Connection.Access,
    _ since: UInt64? = nil
  ) throws {
    try Backup(to: path, from: file, replacing: replacing, vfs: options.vfs).make { target in
      try withBackupSource(access, since) { source in
        try Backup.copy(from: source, to: target, pagesPerStep: max(1, pagesPerStep)) { copied, total in
          // Between two steps no statement runs that could be interrupted.
          if isInterrupting.load(ordering: .acquiring) {
            throw DatabaseError(code: .interrupt, message: "the backup was called off, as the database is being closed")
          }
          if access.isCancelled { throw CancellationError() }
          try progress(copied, total)
        }
      }
    }
  }

  private func withBackupSource(
    _ access: Connection.Access, _ since: UInt64?, _ body: (OpaquePointer) throws -> Void
  ) throws {
    guard path != nil else { return try withWriter("backup", access, since: since) { try body($0.handle) } }
    // A read sees one state of the file from the first page to the last.
    try performRead(access, since) { reader in
      _ = try reader.internalInteger("PRAGMA schema_version")
      try body(reader.handle)
    }
  }

  func onWriteQueue<T: Sendable>(
    _ body: @escaping @Sendable (Connection.Access, UInt64) throws -> T
  ) async throws -> T {
    try await writeQueue.run(on: self, body)
  }
}

extension Connection {
  /// A sentence for each row of the main file and of the attached files that refers to a missing row, and for each
  /// table with a foreign key that refers to columns that are no key.
  func brokenReferences() throws -> [String] {
    var sentences: [String] = []
    for file in ["main"] + attachedNames {
      let tables = try internalRows("SELECT name FROM \(SQL.quoted(file)).sqlite_schema WHERE type = 'table'")
      for name in try tables.map({ try $0[0] as String }) {
        let table = file == "main" ? name : "\(file).\(name)"
        do {
          let rows = try internalRows(
            "SELECT rowid, parent FROM pragma_foreign_key_check(?1, ?2)", [.text(name), .text(file)])
          sentences += try rows.map { row in
            let id = try (row[0] as Value?).map { "row \($0)" } ?? "a row"
            return "\(id) of \(table) refers to no row of \(try row[1] as String)"
          }
        } catch let error as DatabaseError where error.message.contains("foreign key mismatch") {
          sentences.append("\(table): \(error.message)")
        }
      }
    }
    return sentences
  }
}
