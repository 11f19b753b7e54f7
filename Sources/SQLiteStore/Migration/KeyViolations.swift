import CSQLite

/// The rows of a database that refer to missing rows, and the tables whose foreign keys refer to columns that are no
/// key.
struct KeyViolations {
  struct Violation {
    /// The referring table, with the name of the attached file and a dot before it if it is in one.
    let table: String
    /// Where the table is, which stays the same when it is renamed.
    let place: Place
    /// The values by which the row refers; nil if all of the table's references are wrong.
    let key: [Value]?
    let description: String
  }

  /// Where a table is: the number of its first page, in a file.
  struct Place: Hashable {
    var file: String
    var page: Int64
  }

  private(set) var all: [Violation] = []

  /// Checks the tables of the main file and of the attached files.
  init(on connection: Connection) throws {
    for file in ["main"] + connection.attachedNames {
      let tables = try connection.internalRows(
        "SELECT name, rootpage FROM \(SQL.quoted(file)).sqlite_schema WHERE type = 'table'")
      for table in tables { try add(try table[0], Place(file: file, page: try table[1]), connection) }
    }
  }

  private mutating func add(_ name: String, _ place: Place, _ connection: Connection) throws {
    let table = place.file == "main" ? name : "\(place.file).\(name)"
    // Check one table at a time: a foreign key that refers to no unique columns is an error, which would hide the rows
    // of all other tables.
    do {
      let rows = try connection.internalRows(
        "SELECT rowid, parent, fkid FROM pragma_foreign_key_check(?1, ?2)", [.text(name), .text(place.file)])
      if rows.isEmpty { return }
      let keys = try Self.keys(of: name, in: place.file, on: connection)
      for row in rows {
        let number: Value = try row[0]
        let columns = keys[try row[2]] ?? "NULL"
        let key = try connection.internalRows(
          """
          SELECT \(columns) FROM \(SQL.quoted(place.file)).\(SQL.quoted(name))
          WHERE \(number.isNull ? "0 AND ?1" : "rowid = ?1")
          """, [number])
        all.append(
          Violation(
            table: table, place: place, key: try key.first?.values ?? [],
            description: "row \(number) of \(table) refers to a row of \(try row[1] as String) that is not there"))
      }
    } catch let error as DatabaseError where error.isKeyMismatch {
      all.append(Violation(table: table, place: place, key: nil, description: "\(table): \(error.message)"))
    }
  }

  /// The columns of each foreign key of a table, as SQL.
  private static func keys(of table: String, in file: String, on connection: Connection) throws -> [Int64: String] {
    var keys: [Int64: [String]] = [:]
    let columns = try connection.internalRows(
      "SELECT id, \"from\" FROM pragma_foreign_key_list(?1, ?2) ORDER BY id, seq",
      [.text(table), .text(file)])
    for column in columns { keys[try column[0], default: []].append(SQL.quoted(try column[1])) }
    return keys.mapValues { $0.joined(separator: ", ") }
  }

  /// A violation that is new, even if its row id or the table's name has changed.
  func first(notIn before: KeyViolations) -> Violation? {
    struct Reference: Hashable {
      var table: String
      var key: [Value]?
    }
    var old: [Reference: Int] = [:]
    for violation in before.all { old[Reference(table: violation.table, key: violation.key), default: 0] += 1 }
    let names = Dictionary(before.all.map { ($0.place, $0.table) }) { first, _ in first }
    return all.first { violation in
      for name in [violation.table, names[violation.place]].compactMap(\.self) {
        let reference = Reference(table: name, key: violation.key)
        guard let count = old[reference], count > 0 else { continue }
        old[reference] = count - 1
        return false
      }
      return true
    }
  }
}

extension DatabaseError {
  /// Whether a foreign key refers to columns that are not a key.
  var isKeyMismatch: Bool { code == .error && message.contains("foreign key mismatch") }
}
