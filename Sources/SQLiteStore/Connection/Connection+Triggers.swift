import CSQLite

extension Connection {
  /// Whether this library can leave the triggers of the schema out and still run those that the capture makes for itself:
  /// since SQLite 3.35.
  package static var canLeaveTriggersOut: Bool { sqlite3_libversion_number() >= 3_035_000 }

  /// Runs `body` while no trigger of the schema fires: for who does in bulk what they would do row by row.
  ///
  /// The schema stays as it is, and nobody else notices. Constraints and foreign keys hold as ever.
  package func withoutTriggers<T>(_ body: () throws -> T) throws -> T {
    try checkUsable()
    require(Self.canLeaveTriggersOut, "this SQLite would leave out the capture's triggers too")
    _ = frc_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    defer { _ = frc_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }
    return try body()
  }

  /// Runs `body` while statements are compiled without CHECK constraints: for who inserts in bulk what is known to keep them.
  ///
  /// SQLite makes the list of an IN anew for each row that it checks. NOT NULL, UNIQUE, types and foreign keys hold as ever, and
  /// `integrityCheck` finds a row that a constraint should have refused.
  package func withoutChecks<T>(_ body: () throws -> T) throws -> T {
    try checkUsable()
    try runInternal("PRAGMA ignore_check_constraints = ON")
    // Either of the two has statements that were compiled before compiled anew. This one must be done also for who was cancelled.
    defer { asLibrary { sqlite3_exec(handle, "PRAGMA ignore_check_constraints = OFF", nil, nil, nil) } }
    return try body()
  }
}
