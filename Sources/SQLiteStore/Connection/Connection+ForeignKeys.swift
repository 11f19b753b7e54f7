import CFetchedResultsSQLite

extension Connection {
  /// Adds to the error of a foreign key which keys the statement can have violated. SQLite's message is only "FOREIGN
  /// KEY constraint failed". The keys depend on the tables that the statement writes; an authorizer reports those when
  /// the statement is compiled again.
  func explainForeignKey(_ error: inout DatabaseError) {
    guard let sql = error.sql else { return }
    let written = writtenTables(by: sql)
    addKeys(written, to: &error)
  }

  private func writtenTables(by sql: String) -> WrittenTables {
    let written = WrittenTables()
    sqlite3_set_authorizer(
      handle,
      { context, action, first, _, file, _ in
        guard let context, let first, let file else { return SQLITE_OK }
        let tables = Unmanaged<WrittenTables>.fromOpaque(context).takeUnretainedValue()
        let table = WrittenTables.Table(file: String(cString: file), name: String(cString: first))
        if action == SQLITE_INSERT || action == SQLITE_UPDATE { tables.children.insert(table) }
        if action == SQLITE_DELETE || action == SQLITE_UPDATE { tables.parents.insert(table) }
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
      // A key refers to a table of the same file.
      for file in filesWithKeys { try addKeys(of: file, written, to: &error) }
    } catch {
      // The error that is being explained matters more than its explanation.
    }
  }

  private func addKeys(of file: String, _ written: WrittenTables, to error: inout DatabaseError) throws {
    let keys = try internalRows(
      """
      SELECT child.name AS child, key."from" AS "column", key."table" AS parent, key."to" AS target
      FROM \(SQL.quoted(file)).sqlite_schema AS child, pragma_foreign_key_list(child.name, ?1) AS key
      WHERE child.type = 'table' ORDER BY child.name, key.id, key.seq
      """, [.text(file)])
    for key in keys {
      let child: String = try key["child"]
      let parent: String = try key["parent"]
      guard
        written.children.contains(where: { $0.isTable(child, in: file) })
          || written.parents.contains(where: { $0.isTable(parent, in: file) })
      else { continue }
      let column: String = try key["column"]
      error.columns.append("\(child).\(column)")
      error.message += error.columns.count == 1 ? ": " : ", or "
      error.message +=
        "\(child).\(column) refers to \(parent)\(try (key["target"] as String?).map { ".\($0)" } ?? "")"
    }
  }

  /// The main file, the attached files and the temporary schema.
  private var filesWithKeys: [String] { ["main", "temp"] + attachedNames }

  private final class WrittenTables {
    struct Table: Hashable {
      /// The name under which the file is attached.
      var file: String
      var name: String

      func isTable(_ name: String, in file: String) -> Bool {
        self.name.isSameName(as: name) && self.file.isSameName(as: file)
      }
    }
    var children: Set<Table> = []
    var parents: Set<Table> = []
  }

  /// Adds the violating rows to the error of a COMMIT, at which they are still there.
  func explainDeferredForeignKey(_ error: inout DatabaseError) {
    error.message = "FOREIGN KEY constraint failed at COMMIT"
    do {
      let broken = try brokenReferences().prefix(3)
      if !broken.isEmpty { error.message += ": " + broken.joined(separator: ", ") }
    } catch {
      // The error that is being explained matters more than its explanation.
    }
  }
}
