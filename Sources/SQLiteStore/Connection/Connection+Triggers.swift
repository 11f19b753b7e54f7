import CFetchedResultsSQLite

extension Connection {
  /// Runs `body` while no trigger of the schema fires: for bulk changes that do the triggers' work themselves.
  ///
  /// ```swift
  /// try database.write { c in try c.withoutTriggers { try c.insert(contentsOf: [order, gift]) } }
  /// ```
  ///
  /// The schema stays unchanged, and other connections are not affected. Constraints and foreign keys are still
  /// enforced.
  public func withoutTriggers<T>(_ body: () throws -> T) throws -> T {
    try checkUsable()
    _ = frc_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    defer { _ = frc_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }
    return try body()
  }

  /// Runs `body` while statements are compiled without CHECK constraints: for bulk inserts that are known to satisfy
  /// them.
  ///
  /// ```swift
  /// try database.write { c in try c.withoutChecks { try c.insert(contentsOf: [order, gift]) } }
  /// ```
  ///
  /// SQLite builds the list of an IN again for each row that it checks. NOT NULL, UNIQUE, types and foreign keys are
  /// still enforced, and `integrityCheck` finds a row that a constraint should have refused.
  public func withoutChecks<T>(_ body: () throws -> T) throws -> T {
    try checkUsable()
    try runInternal("PRAGMA ignore_check_constraints = ON")
    // Both settings make SQLite compile earlier statements again. Reset this one even after a cancellation.
    defer { asLibrary { sqlite3_exec(handle, "PRAGMA ignore_check_constraints = OFF", nil, nil, nil) } }
    return try body()
  }
}
