import CFetchedResultsSQLite

extension Connection {
  /// Drops a virtual table and the tables in which it stores its rows, also if the module can't read them any more.
  ///
  /// `DROP TABLE` asks the module first, and fails then. It is part of the transaction, and undone with it. Any other
  /// table or view that has taken the name is dropped too.
  package func dropBrokenVirtualTable(_ name: String, storedIn tables: [String]) throws {
    try checkUsable()
    schemaWasTouched()
    try asLibrary {
      // Both protect tables of this kind from plain SQL.
      _ = frc_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
      defer { _ = frc_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
      do {
        defer { sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil) }
        try run("PRAGMA writable_schema = ON")
        try runInternal(
          "DELETE FROM main.sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage = 0", [.text(name)])
      }
      // Tables with pages of their own must give them back.
      for name in [name] + tables {
        for row in try internalRows("SELECT type FROM main.sqlite_schema WHERE name = ?1", [.text(name)]) {
          let type: String = try row[0]
          if ["table", "view"].contains(type) { try run("DROP \(type) main.\(SQL.quoted(name))") }
        }
      }
    }
  }
}
