import CFetchedResultsSQLite

/// The rows of a database that refer to missing rows, and the tables whose foreign keys refer to columns that are no
/// key.
struct KeyViolations {
  struct Violation {
    /// The referring table.
    let table: Table
    /// How it refers, and to what; nil if all of the table's references are wrong.
    let reference: Reference?
    let description: String
  }

  struct Reference {
    let columns: [String]
    let parent: Table
    /// The values of the columns, without their types, which a migration may change.
    let key: [String]
  }

  /// A table, with the name of the attached file and a dot before its name if it is in one.
  struct Table {
    let name: String
    /// Where the table is, which stays the same when it is renamed; nil if it is missing.
    let place: Place?
  }

  /// The number of a table's first page, in a file.
  struct Place: Hashable {
    var file: String
    var page: Int64
  }

  private(set) var all: [Violation] = []
  /// The columns of all tables.
  private var columns: [(table: Table, names: [String])] = []

  /// Checks the tables of the main file and of the attached files.
  init(on connection: Connection) throws {
    for file in ["main"] + connection.attachedNames {
      let rows = try connection.internalRows(
        "SELECT name, rootpage FROM \(SQL.quoted(file)).sqlite_schema WHERE type = 'table'")
      let tables = try rows.map { row in
        Table(name: Self.name(try row[0], in: file), place: Place(file: file, page: try row[1]))
      }
      for (row, table) in zip(rows, tables) {
        let name: String = try row[0]
        let names = try connection.internalRows(
          "SELECT name FROM pragma_table_xinfo(?1, ?2)", [.text(name), .text(file)])
        columns.append((table, try names.map { try $0[0] }))
        try add(name, in: file, table, connection) { parent in
          tables.first { $0.name.isSameName(as: parent) } ?? Table(name: parent, place: nil)
        }
      }
    }
  }

  private static func name(_ table: String, in file: String) -> String { file == "main" ? table : "\(file).\(table)" }

  private mutating func add(
    _ name: String, in file: String, _ table: Table, _ connection: Connection, _ parent: (String) -> Table
  ) throws {
    // Check one table at a time: a foreign key that refers to no unique columns is an error, which would hide the rows
    // of all other tables.
    do {
      let rows = try connection.internalRows(
        "SELECT rowid, parent, fkid FROM pragma_foreign_key_check(?1, ?2)", [.text(name), .text(file)])
      if rows.isEmpty { return }
      let keys = try Self.keys(of: name, in: file, on: connection)
      for id in Set(try rows.map { try $0[2] as Int64 }).sorted() {
        guard let key = keys[id] else { continue }
        let own = try rows.filter { try $0[2] as Int64 == id }
        let parent = parent(Self.name(key.parent, in: file))
        for (description, values) in try Self.values(own, of: name, in: file, key, parent, connection) {
          all.append(
            Violation(
              table: table, reference: Reference(columns: key.columns, parent: parent, key: values),
              description:
                "\(description) of \(table.name) refers to a row of \(key.parent) that is not there"))
        }
      }
    } catch let error as DatabaseError where error.isKeyMismatch {
      all.append(Violation(table: table, reference: nil, description: "\(table.name): \(error.message)"))
    }
  }

  private struct Key {
    let parent: String
    var columns: [String] = []
    var parentColumns: [String] = []
  }

  /// The foreign keys of a table, by their numbers.
  private static func keys(of table: String, in file: String, on connection: Connection) throws -> [Int64: Key] {
    var keys: [Int64: Key] = [:]
    for row in try connection.internalRows(
      "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1, ?2) ORDER BY id, seq",
      [.text(table), .text(file)])
    {
      let (id, parent): (Int64, String) = (try row[0], try row[1])
      keys[id, default: Key(parent: parent)].columns.append(try row[2])
      if let column = try row[3] as String? { keys[id]?.parentColumns.append(column) }
    }
    for (id, key) in keys where key.parentColumns.isEmpty {
      keys[id]?.parentColumns = try connection.internalRows(
        "SELECT name FROM pragma_table_info(?1, ?2) WHERE pk > 0 ORDER BY pk", [.text(key.parent), .text(file)]
      ).map { try $0[0] }
    }
    return keys
  }

  /// What the rows that violate a foreign key are called, and the values by which they refer.
  private static func values(
    _ rows: [Row], of table: String, in file: String, _ key: Key, _ parent: Table, _ connection: Connection
  ) throws -> [(description: String, values: [String])] {
    let columns = key.columns.map { "child.\(SQL.quoted($0))" }
    let child = "\(SQL.quoted(file)).\(SQL.quoted(table)) AS child"
    let bytes = columns.map { column in
      "CAST(CASE typeof(\(column)) WHEN 'real' THEN printf('%!.17g', \(column)) ELSE \(column) END AS BLOB)"
    }
    let list = bytes.joined(separator: ", ")
    func values(_ row: Row) throws -> [String] { try row.values.indices.map { plain(try row[$0]) } }
    if try rows.contains(where: { try !($0[0] as Value).isNull }) {
      return try rows.map { row in
        let number: Value = try row[0]
        let found = try connection.internalRows("SELECT \(list) FROM \(child) WHERE child.rowid = ?1", [number])
        return ("row \(number)", try found.first.map(values) ?? [])
      }
    }
    // SQLite doesn't say which rows of a table without row ids these are. A value is compared like one without a type
    // of its own, as for a foreign key.
    let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let same = zip(key.parentColumns, columns).map { "parent.\(SQL.quoted($0)) = +\($1)" }.joined(separator: " AND ")
    let isThere =
      parent.place == nil
      ? "0" : "EXISTS (SELECT 1 FROM \(SQL.quoted(file)).\(SQL.quoted(key.parent)) AS parent WHERE \(same))"
    return try connection.internalRows("SELECT \(list) FROM \(child) WHERE \(present) AND NOT \(isThere)").map { row in
      let values = try values(row)
      return ("a row with \(zip(key.columns, values).map { "\($0) = \($1)" }.joined(separator: ", "))", values)
    }
  }

  /// A value without its type: 5, 5.0 and '5' are the same.
  private static func plain(_ value: Value) -> String {
    guard case .blob(let bytes) = value else { return "NULL" }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  // MARK: Comparing

  /// A violation that is new: one that no earlier violation explains, even if its row id, its values' types or the
  /// names of its table and columns have changed since.
  func first(notIn before: KeyViolations) -> Violation? {
    // Most violations are the same as before, so these are found by their content first.
    var old: [[String]: [Violation]] = [:]
    for violation in before.all { old[violation.reference?.key ?? [], default: []].append(violation) }
    let mismatches = before.all.filter { $0.reference == nil }
    return all.first { violation in
      // While a table's references were wrong, SQLite did not check its rows.
      if mismatches.contains(where: { isSame($0.table, violation.table, before) }) { return false }
      guard let reference = violation.reference,
        let index = old[reference.key]?.lastIndex(where: { explains($0, violation, before) })
      else { return true }
      old[reference.key]?.remove(at: index)
      return false
    }
  }

  private func explains(_ old: Violation, _ new: Violation, _ before: KeyViolations) -> Bool {
    guard let left = old.reference, let right = new.reference, isSame(old.table, new.table, before),
      isSame(left.parent, right.parent, before)
    else { return false }
    if zip(left.columns, right.columns).allSatisfy({ $0.isSameName(as: $1) }) { return true }
    // Renamed columns are new, and the former ones are gone.
    let (earlier, now) = (before.names(of: old.table), names(of: new.table))
    return !right.columns.allSatisfy { name in earlier.contains { $0.isSameName(as: name) } }
      && !left.columns.allSatisfy { name in now.contains { $0.isSameName(as: name) } }
  }

  /// Whether a table of now is the same as one of before: by its name, as a renamed one, or as a new one in which one
  /// that is gone may have been created again.
  private func isSame(_ old: Table, _ new: Table, _ before: KeyViolations) -> Bool {
    if old.name.isSameName(as: new.name) || old.place != nil && old.place == new.place { return true }
    return !before.has(new) && !has(old)
  }

  private func has(_ table: Table) -> Bool {
    columns.contains { $0.table.name.isSameName(as: table.name) || $0.table.place == table.place }
  }

  private func names(of table: Table) -> [String] {
    columns.first { $0.table.name.isSameName(as: table.name) }?.names ?? []
  }
}

extension DatabaseError {
  /// Whether a foreign key refers to columns that are not a key.
  var isKeyMismatch: Bool { code == .error && message.contains("foreign key mismatch") }
}
