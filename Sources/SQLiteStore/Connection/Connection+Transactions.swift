import CFetchedResultsSQLite

extension Connection {
  /// Makes SQLite compile every statement again before its next run.
  func expireStatements() { frc_expire_statements(handle) }

  /// Attaches a file with the settings of the main file. If that fails, nothing is changed.
  func attach(_ path: String, as name: String, _ options: Database.Options) throws {
    var isAttached = false
    do {
      let place = options.isImmutable ? FilePreparation.immutableURI(path) : path
      try runInternal("ATTACH DATABASE ?1 AS \(SQL.quoted(name))", [.text(place)])
      isAttached = true
      try ConnectionOpener(path: path, options: options).configure(file: name, on: self)
    } catch {
      forgetStatements()
      if isAttached { try run("DETACH DATABASE \(SQL.quoted(name))") }
      guard var error = error as? DatabaseError else { throw error }
      error.message = "\(path) can't be attached as \(name): \(FilePreparation.reason(error, path, options))"
      throw error
    }
  }

  /// Files were attached or detached.
  func attachmentsChanged() {
    // An entity's table may be in another file now.
    forgetEntityStatements()
    compiledSchemas = []
    // A BEGIN IMMEDIATE that was compiled before locks the previous files.
    expireStatements()
  }

  /// Runs `body` atomically: if it throws, everything it did is undone, and the error is rethrown.
  ///
  /// ```swift
  /// let number = try connection.transaction {
  ///   try connection.insert(order)
  ///   return try connection.count(Item.self)
  /// }
  /// ```
  ///
  /// Inside `write`, where a transaction is open already, it is a savepoint: an error undoes only this part, and a
  /// caller who catches it keeps the rest.
  @discardableResult
  public func transaction<T>(_ body: () throws -> T) throws -> T { try savepoint(body) }

  /// Runs `body` atomically, with a closure that returns nothing.
  public func transaction(_ body: () throws -> Void) throws { try performSavepoint(body) }

  /// Runs `body`, and undoes its part of the transaction if it throws; the error is rethrown.
  ///
  /// ```swift
  /// try database.write { c in
  ///   try c.insert(order)
  ///   do { try c.savepoint { try c.insert(gift) } } catch { print("without the gift: \(error)") }  // the order stays
  /// }
  /// ```
  /// Savepoints nest. A statement inside can end the whole transaction (`INSERT OR ROLLBACK`, a trigger's
  /// `RAISE(ROLLBACK, …)`, a full disk). Then nothing can be kept: every enclosing savepoint and the write throw that
  /// error, even if `body` has caught it.
  @discardableResult
  public func savepoint<T>(_ body: () throws -> T) throws -> T { try performSavepoint(body) }

  /// Runs `body`, and undoes its part of the transaction if it throws, with a closure that returns nothing.
  public func savepoint(_ body: () throws -> Void) throws { try performSavepoint(body) }

  private func performSavepoint<T>(_ body: () throws -> T) throws -> T {
    try checkUsable()
    let name = nextSavepointName()
    defer { savepointEnded() }
    try runInternal("SAVEPOINT \(name)")
    let result: T
    do {
      result = try body()
      try checkTransaction()
      try runInternal("RELEASE \(name)")
    } catch {
      // An error can end the whole transaction (for example a full disk); then there is no savepoint to return to. Call
      // SQLite directly and more than once, because an interruption can hit this too. If this part can't be undone
      // alone, the whole transaction is undone.
      let undo = "ROLLBACK TO \(name); RELEASE \(name)"
      if hasTransaction, sqlite3_exec(handle, undo, nil, nil, nil) != SQLITE_OK,
        sqlite3_exec(handle, undo, nil, nil, nil) != SQLITE_OK
      {
        _ = endTransaction(.rollback)
        transactionEnded(by: error)
      }
      if hasTouchedSchema { schemaWasUndone() }
      throw error
    }
    return result
  }

  /// Throws if the transaction has ended inside a savepoint.
  private func checkTransaction() throws {
    try checkUsable()
    guard isInTransaction else {
      throw DatabaseError(
        code: .abort, message: "the transaction ended inside this savepoint, so its changes are lost")
    }
  }
}
