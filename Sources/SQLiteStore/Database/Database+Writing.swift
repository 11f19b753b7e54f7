import CFetchedResultsSQLite

extension Database {
  /// Writes in one transaction, which is committed when `body` returns and rolled back when it throws.
  ///
  /// ```swift
  /// let id: Int64 = try database.write { c in try c.insert(order) }
  /// ```
  ///
  /// If `body` catches an error itself, only the statement that failed is undone. Writes wait for each other, in order.
  /// A write inside a write would wait for itself, so it throws instead.
  @discardableResult
  public func write<T>(_ body: (Connection) throws -> T) throws -> T {
    try performWrite(Connection.uncancellable, nil, body)
  }

  /// Writes without blocking the calling task. When the task is cancelled before the commit, the running statement is
  /// interrupted, everything is rolled back and `CancellationError` is thrown.
  ///
  /// ```swift
  /// let number = try await database.write { c in
  ///   try c.insert(order)
  ///   return try c.count(Item.self)
  /// }
  /// ```
  @discardableResult
  public func write<T>(_ body: @escaping @Sendable (Connection) throws -> sending T) async throws -> sending T {
    try await writeQueue.run(on: self) { access, since in
      try self.performWrite(access, since) { Sent(value: try body($0)) }
    }.value
  }

  /// Writes in one transaction, with a closure that returns nothing.
  ///
  /// ```swift
  /// try database.write { c in
  ///   try c.insert(order)
  ///   try c.insert(gift)  // if this throws, there is no order either
  /// }
  /// ```
  ///
  /// With this overload, a closure that calls `write` may itself return nothing.
  public func write(_ body: (Connection) throws -> Void) throws {
    try performWrite(Connection.uncancellable, nil, body)
  }

  /// Writes without blocking the calling task, with a closure that returns nothing.
  public func write(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
    try await writeQueue.run(on: self) { access, since in try self.performWrite(access, since, body) }
  }

  func performWrite<T>(
    _ access: Connection.Access, _ since: UInt64?, _ body: (Connection) throws -> T
  ) throws -> T {
    if options.isReadOnly {
      throw DatabaseError(code: .readOnly, message: "the database was opened for reading only")
    }
    if options.journal == .delete, isReadByCurrentThread {
      throw DatabaseError.misuse(
        "write was called inside a read of the same database: with a rollback journal its commit would wait for that read; "
          + "write after it, or open the database with Options.journal = .wal")
    }
    // Do this after the writer lock is free again, so that no observer is called while it is held.
    defer { if feed.hasObservers { feed.drain() } }
    return try withWriterLock("write", access, since) {
      try registrations.apply(to: writer)
      defer { syncAgain() }
      let result: T
      do {
        try checkFilesOfWriter()
        try beginWriting()
        // It may have waited.
        try checkFilesOfWriter()
        try writer.resolveNames()
        writer.transactionHasBegun()
        result = try body(writer)
        try writer.checkUsable()
        if try commitWriting() { lookBehindWrite() }
      } catch {
        tracker.transactionEnds()
        _ = writer.endTransaction(.rollback)
        throw explained(error)
      }
      return result
    }
  }

  private func beginWriting() throws {
    writer.transactionBegins()
    guard feed.hasObservers || tracker.isInstalled else { return try beginUnobserved() }
    // The observed tables and the schema must be known before the first row changes. Both can change until the write
    // lock is held, hence the second check.
    while true {
      try tracker.prepare(feed, on: writer)
      try writer.runInternal("BEGIN IMMEDIATE")
      try tracker.look(feed, on: writer)
      if !tracker.needsPreparation { break }
      try writer.runInternal("ROLLBACK")
    }
    try tracker.transactionBegins(on: writer)
  }

  private func beginUnobserved() throws {
    isLogNew = isLogNew && logSize == 0
    guard isLogNew else { return try writer.runInternal("BEGIN IMMEDIATE") }
    isUnsynced = true
    try writer.run("PRAGMA main.synchronous = OFF")
    try writer.runInternal("BEGIN IMMEDIATE")
    // Nobody else writes now. But another program may have written to the log since it was created.
    if logSize == 0 { return }
    try writer.runInternal("ROLLBACK")
    syncAgain()
    try writer.runInternal("BEGIN IMMEDIATE")
  }

  /// Makes the writer's connection sync again what it writes.
  func syncAgain() {
    guard isUnsynced else { return }
    let setting = "PRAGMA main.synchronous = \(options.durability.rawValue)"
    isUnsynced = writer.asLibrary { sqlite3_exec(writer.handle, setting, nil, nil, nil) } != SQLITE_OK
  }

  /// Commits, and reports the changes. Returns whether others' commits must be checked for afterwards.
  private func commitWriting() throws -> Bool {
    try checkFilesOfWriter()
    guard tracker.isInstalled || feed.hasObservers else {
      // The observers of the time when the transaction began have been released.
      tracker.transactionEnds()
      try commit()
      return false
    }
    var changes = try tracker.collect(feed, on: writer)
    feed.announce(changes)
    feed.commitBegins()
    defer { feed.commitEnds() }
    tracker.transactionEnds()
    let paused = watcher.pauseForWrite()
    defer { paused?.resume() }
    try commit()
    tracker.committed(&changes, feed, on: writer)
    feed.put(changes)
    return paused != nil
  }

  /// Checks for a commit that another connection made between one of ours and the moment from which the files are
  /// watched again.
  private func lookBehindWrite() {
    do {
      try look()
    } catch {
      // The next check, after a second at the latest, meets the same error.
    }
  }

  private func commit() throws {
    // A cancellation from now on is too late: SQLite could report an interruption of a COMMIT that has been made.
    writer.shield()
    do {
      try writer.runInternal("COMMIT")
    } catch var error as DatabaseError where error.extendedCode == .constraintForeignKey {
      writer.explainDeferredForeignKey(&error)
      throw error
    }
  }
}

extension Connection {
  enum TransactionEnd: String {
    case commit = "COMMIT"
    case rollback = "ROLLBACK"
  }

  /// Ends a transaction, if there still is one. Returns false if the connection can't be used any more.
  func endTransaction(_ end: TransactionEnd) -> Bool {
    // An interruption would leave the transaction open, or keep a setting of a read in memory.
    shield()
    defer { if hasTouchedSchema, end == .rollback { schemaWasUndone() } }
    guard hasTransaction else { return true }
    // Bypasses the check for cancellation: a cancelled call must not leave the transaction open.
    do {
      try runInternal(end.rawValue)
      if !hasTransaction { return true }
    } catch {
      // Try again below, without the checks of a statement.
    }
    if sqlite3_exec(handle, end.rawValue, nil, nil, nil) == SQLITE_OK { return true }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    return !hasTransaction
  }
}
