import CFetchedResultsSQLite

extension Connection {
  /// Drops temporary triggers of ours whose tables another program has dropped.
  ///
  /// SQLite does not load them, so that `DROP TRIGGER` does not find them. They would return with the tables.
  func dropTriggersWithoutTables(_ pattern: String) throws {
    let condition = "type = 'trigger' AND name GLOB ?1"
    let count = try internalValue("SELECT count(*) FROM sqlite_temp_schema WHERE \(condition)", [.text(pattern)])
    if count == .integer(0) { return }
    try asLibrary {
      _ = frc_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
      defer {
        sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil)
        _ = frc_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
      }
      try run("PRAGMA writable_schema = ON")
      try runInternal("DELETE FROM sqlite_temp_schema WHERE \(condition)", [.text(pattern)])
    }
  }
}
