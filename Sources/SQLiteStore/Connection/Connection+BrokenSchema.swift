import CFetchedResultsSQLite

extension Connection {
  /// Drops a virtual table and the tables in which it stores its rows, also if the module can't read them any more.
  ///
  /// `DROP TABLE` asks the module first, and fails then. It is part of the transaction, and undone with it. Any other
  /// table or view that has taken the name is dropped too.
  package func dropBrokenVirtualTable(_ name: String, storedIn tables: [String]) throws {
    try checkUsable()
    schemaWasTouched()
    try whileSchemaIsUnprotected {
      try editSchema {
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

  /// Drops temporary triggers of ours whose tables another program has dropped.
  ///
  /// SQLite does not load them, so that `DROP TRIGGER` does not find them. They would return with the tables.
  func dropTriggersWithoutTables(_ pattern: String) throws {
    let condition = "type = 'trigger' AND name GLOB ?1"
    let count = try internalValue("SELECT count(*) FROM sqlite_temp_schema WHERE \(condition)", [.text(pattern)])
    if count == .integer(0) { return }
    try whileSchemaIsUnprotected {
      try editSchema { try runInternal("DELETE FROM sqlite_temp_schema WHERE \(condition)", [.text(pattern)]) }
    }
  }

  /// Runs `body` while tables that are protected from plain SQL may be written and dropped.
  private func whileSchemaIsUnprotected(_ body: () throws -> Void) throws {
    try asLibrary {
      _ = frc_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
      defer { _ = frc_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
      try body()
    }
  }

  /// Runs `body`, which writes to the tables of the schema, and makes SQLite read them again.
  private func editSchema(_ body: () throws -> Void) throws {
    defer { sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil) }
    try run("PRAGMA writable_schema = ON")
    try body()
  }
}
