import CSQLite

extension Connection {
  /// SQLite says "FOREIGN KEY constraint failed" and no more. Which keys the statement can have violated depends on the
  /// tables that it writes; an authorizer reports those when the statement is compiled again.
  func explainForeignKey(_ error: inout DatabaseError) {
    guard let sql = error.sql else { return }
    let written = writtenTables(by: sql)
    addKeys(written, to: &error)
  }

  private func writtenTables(by sql: String) -> WrittenTables {
    let written = WrittenTables()
    sqlite3_set_authorizer(
      handle,
      { context, action, first, _, _, _ in
        guard let context, let first else { return SQLITE_OK }
        let tables = Unmanaged<WrittenTables>.fromOpaque(context).takeUnretainedValue()
        if action == SQLITE_INSERT || action == SQLITE_UPDATE { tables.children.insert(String(cString: first)) }
        if action == SQLITE_DELETE || action == SQLITE_UPDATE { tables.parents.insert(String(cString: first)) }
        return SQLITE_OK
      }, Unmanaged.passUnretained(written).toOpaque())
    var pointer: OpaquePointer?
    sqlite3_prepare_v2(handle, sql, -1, &pointer, nil)
    sqlite3_finalize(pointer)
    guardStatements()
    return written
  }

  private func addKeys(_ written: WrittenTables, to error: inout DatabaseError) {
    do {
      let keys = try internalRows(
        """
        SELECT child.name AS child, key."from" AS "column", key."table" AS parent, key."to" AS target
        FROM sqlite_schema AS child, pragma_foreign_key_list(child.name) AS key WHERE child.type = 'table'
        ORDER BY child.name, key.id, key.seq
        """)
      for key in keys {
        let child: String = try key["child"]
        let parent: String = try key["parent"]
        guard
          written.children.contains(child)
            || written.parents.contains(where: { $0.lowercased() == parent.lowercased() })
        else { continue }
        let column: String = try key["column"]
        error.columns.append("\(child).\(column)")
        error.message += error.columns.count == 1 ? ": " : ", or "
        error.message +=
          "\(child).\(column) refers to \(parent)\(try (key["target"] as String?).map { ".\($0)" } ?? "")"
      }
    } catch {
      // The error that is being explained matters more than its explanation.
    }
  }

  /// The error of a CHECK names its text and no table, and the type error of a STRICT table names the column only
  /// inside a sentence.
  func explainCheck(_ error: inout DatabaseError) {
    if error.extendedCode == .constraintDataType, let column = error.message.split(separator: " ").last {
      error.columns = [String(column)]
    }
    guard error.extendedCode == .constraintCheck, let sql = error.sql else { return }
    let written = writtenTables(by: sql)
    // Triggers also write to the recorded history, which has no CHECK.
    let tables = written.children.filter { !$0.hasPrefix("frc_") }.sorted()
    guard !tables.isEmpty else { return }
    error.message += ", of \(tables.joined(separator: " or "))"
    error.columns = tables
  }

  private final class WrittenTables {
    var children: Set<String> = []
    var parents: Set<String> = []
  }

  /// At COMMIT the rows that violate the key are still there.
  func explainDeferredForeignKey(_ error: inout DatabaseError) {
    do {
      let broken = try internalRows(
        """
        SELECT broken."table" AS child, broken.rowid AS id, key."from" AS "column", broken.parent AS parent
        FROM pragma_foreign_key_check AS broken
        JOIN pragma_foreign_key_list(broken."table") AS key ON key.id = broken.fkid LIMIT 3
        """)
      error.columns = []
      error.message = "FOREIGN KEY constraint failed at COMMIT"
      for row in broken {
        let child: String = try row["child"]
        let column: String = try row["column"]
        error.columns.append("\(child).\(column)")
        error.message += error.columns.count == 1 ? ": " : ", "
        error.message +=
          "\(child).\(column) of row \(try row["id"] as Value) has no row in \(try row["parent"] as String)"
      }
    } catch {
      // As above.
    }
  }
}
