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

  /// Adds the table to the error of a CHECK, which names only the constraint's text. The error of a type in a STRICT
  /// table names the column only inside a sentence; this makes it the error's column.
  func explainCheck(_ error: inout DatabaseError) {
    if error.extendedCode == .constraintDataType, let column = error.message.split(separator: " ").last {
      error.columns = [String(column)]
    }
    guard error.extendedCode == .constraintCheck, let sql = error.sql else { return }
    let written = writtenTables(by: sql)
    // Triggers also write to the recorded history, which has no CHECK.
    var tables = Set(written.children.map(\.name)).filter { !$0.hasPrefix("frc_") }.sorted()
    // A statement and its triggers may write to many tables; the constraint is in the definition of one of them.
    let constraint = error.message.split(separator: "\n")[0].trimmingPrefix("CHECK constraint failed: ")
    let defining = tables.filter { name in
      written.children.contains { table in table.name == name && defines(table, String(constraint)) }
    }
    if !defining.isEmpty { tables = defining }
    guard !tables.isEmpty else { return }
    error.message += ", of \(tables.joined(separator: " or "))"
    error.columns = tables
  }

  private func defines(_ table: WrittenTables.Table, _ constraint: String) -> Bool {
    let rows = try? internalRows(
      """
      SELECT 1 FROM \(SQL.quoted(table.file)).sqlite_schema
      WHERE type = 'table' AND name = ?1 COLLATE NOCASE AND instr(sql, ?2) > 0
      """, [.text(table.name), .text(constraint)])
    return rows?.isEmpty == false
  }

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

  /// Adds the violated keys to the error of a COMMIT, at which the rows that violate them are still there.
  func explainDeferredForeignKey(_ error: inout DatabaseError) {
    do {
      let broken = try filesWithKeys.flatMap { file in
        // A row without a row id can't be told from others of its table.
        let broken = try internalRows(
          """
          SELECT DISTINCT "table" AS child, rowid AS id, parent, fkid AS key
          FROM pragma_foreign_key_check(NULL, ?1) LIMIT 3
          """, [.text(file)])
        return broken.map { (file, $0) }
      }
      error.columns = []
      var sentences: [String] = []
      for (file, row) in broken.prefix(3) {
        let child: String = try row["child"]
        let columns: [String] = try internalRows(
          "SELECT \"from\" FROM pragma_foreign_key_list(?1, ?2) WHERE id = ?3 ORDER BY seq",
          [.text(child), .text(file), .integer(try row["key"])]
        ).map { try $0[0] }
        error.columns += columns.map { "\(child).\($0)" }
        let names = columns.count == 1 ? ".\(columns[0])" : "(\(columns.joined(separator: ", ")))"
        let id = try (row["id"] as Int64?).map { "row \($0)" } ?? "a row"
        sentences.append("\(child)\(names) of \(id) has no row in \(try row["parent"] as String)")
      }
      error.message = "FOREIGN KEY constraint failed at COMMIT"
      if !sentences.isEmpty { error.message += ": " + sentences.joined(separator: ", ") }
    } catch {
      // The error that is being explained matters more than its explanation.
    }
  }
}
