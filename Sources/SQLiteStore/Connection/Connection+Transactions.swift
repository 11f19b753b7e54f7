import CSQLite

extension Connection {
  /// Begins a transaction and keeps all others from writing to any of the files until it ends.
  func beginImmediately() throws {
    guard hasFileTwice else { return try runInternal("BEGIN IMMEDIATE") }
    // SQLite would lock the file that is there twice once for each name, and wait for itself. So only the main file is locked from the
    // beginning, by a change that is undone.
    try runInternal("BEGIN")
    do {
      try run("SAVEPOINT frc_lock; CREATE TABLE main.frc_lock(x); ROLLBACK TO frc_lock; RELEASE frc_lock")
    } catch {
      _ = endTransaction("ROLLBACK")
      throw error
    }
  }

  /// Has SQLite compile every statement again before it runs next.
  func expireStatements() { frc_expire_statements(handle) }

  /// Attaches a file with the settings of the main file, or leaves all as it was.
  func attach(_ path: String, as name: String, _ options: Database.Options) throws {
    var isAttached = false
    do {
      try runInternal("ATTACH DATABASE ?1 AS \(SQL.quoted(name))", [.text(path)])
      isAttached = true
      try checkAttachedSchema()
      try ConnectionOpener(path: path, options: options).configure(file: name, on: self)
    } catch {
      forgetStatements()
      if isAttached { try run("DETACH DATABASE \(SQL.quoted(name))") }
      guard var error = error as? DatabaseError else { throw error }
      error.message = "\(path) can't be attached as \(name): \(error.message)"
      throw error
    }
  }

  /// Files were attached or detached.
  func attachmentsChanged() {
    // An entity's table can be in another file by now.
    forgetEntityStatements()
    // A BEGIN IMMEDIATE that was compiled before locks the files of before.
    expireStatements()
    let files = (["main"] + attachedNames).compactMap { sqlite3_db_filename(handle, $0).map { String(cString: $0) } }
    hasFileTwice = Set(files.map { ByteString($0) }).count < files.count
  }

  /// Runs `body` so that all of it is kept or none: what it did is undone when it throws, and the error goes on.
  ///
  /// Inside `write`, where a transaction is open already, it is a savepoint: an error undoes this part only, and whoever
  /// catches it keeps the rest.
  @discardableResult
  public func transaction<T>(_ body: () throws -> T) throws -> T { try savepoint(body) }

  /// Runs `body` so that all of it is kept or none: for a body whose result is not needed.
  public func transaction(_ body: () throws -> Void) throws { try performSavepoint(body) }

  /// Runs `body` and undoes its own part of the transaction when it throws; the error goes on.
  ///
  /// ```swift
  /// try database.write { c in
  ///   try c.insert(order)
  ///   do { try c.savepoint { try c.insert(gift) } } catch { print("without the gift: \(error)") }  // the order stays
  /// }
  /// ```
  /// Savepoints nest. A statement inside can end the whole transaction (`INSERT OR ROLLBACK`, a trigger's `RAISE(ROLLBACK, …)`, a
  /// full disk). Then nothing is left to keep: every savepoint around it and the write throw that error, also where `body` has
  /// caught it.
  @discardableResult
  public func savepoint<T>(_ body: () throws -> T) throws -> T { try performSavepoint(body) }

  /// Runs `body` and undoes its own part of the transaction when it throws: for a body whose result is not needed.
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
      // An error can end the whole transaction (a full disk, say); then there is no savepoint left to go back to.
      // Through SQLite at once and again, as an interruption can hit this as well: what can't be undone alone is undone with
      // all the rest, rather than kept.
      let undo = "ROLLBACK TO \(name); RELEASE \(name)"
      if hasTransaction, sqlite3_exec(handle, undo, nil, nil, nil) != SQLITE_OK,
        sqlite3_exec(handle, undo, nil, nil, nil) != SQLITE_OK
      {
        _ = endTransaction("ROLLBACK")
        transactionEnded(by: error)
      }
      if hasTouchedSchema { schemaWasTouched() }
      throw error
    }
    return result
  }

  /// Throws where the transaction has ended inside a savepoint, which is gone with it.
  private func checkTransaction() throws {
    try checkUsable()
    guard isInTransaction else {
      throw DatabaseError(
        code: .abort, message: "the transaction has ended inside of this savepoint, and nothing of it is left to keep")
    }
  }
}
