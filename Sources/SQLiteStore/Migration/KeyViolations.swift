import CFetchedResultsSQLite

/// The rows of a database that refer to missing rows, and the tables whose foreign keys refer to columns that are no
/// key.
struct KeyViolations {
  /// A violation, for an error.
  struct Violation {
    /// The referring table, with the name of the attached file and a dot before it if it is in one.
    let table: String
    let description: String
  }

  /// The rows that violate one foreign key.
  private struct Key {
    let table: String
    let tableColumns: [String]
    let columns: [String]
    /// The affinities of the columns.
    let affinities: [ColumnAffinity]
    let parent: String
    var rows: [(values: [Stored], description: String)] = []
  }

  /// A value that a row refers by. Text is its bytes, which need not be UTF-8.
  private enum Stored: Hashable {
    case null, integer(Int64), real(Double), text([UInt8]), blob([UInt8])

    /// A number for a text that is one, as a column of another type would store it.
    var untyped: Stored {
      switch self {
      case .real(let real): return Int64(exactly: real).map { .integer($0) } ?? self
      case .text(let bytes):
        let text = String(decoding: bytes, as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard let real = Double(text), real.isFinite else { return self }
        return Stored.real(real).untyped
      default: return self
      }
    }
  }

  private var keys: [Key] = []
  /// The tables with a foreign key that refers to columns that are no key. SQLite checks none of their rows.
  private var mismatches: [Violation] = []
  private var tables: Set<ByteString> = []

  /// How many rows and tables are wrong.
  var count: Int { mismatches.count + keys.reduce(0) { $0 + $1.rows.count } }

  /// Checks the tables of the main file and of the attached files.
  init(on connection: Connection) throws {
    for file in ["main"] + connection.attachedNames {
      let rows = try connection.internalRows(
        "SELECT name FROM \(SQL.quoted(file)).sqlite_schema WHERE type = 'table'")
      for row in rows {
        let name: String = try row[0]
        tables.insert(Self.folded(Self.name(name, in: file)))
        try add(name, in: file, connection)
      }
    }
  }

  private static func name(_ table: String, in file: String) -> String { file == "main" ? table : "\(file).\(table)" }

  private static func folded(_ name: String) -> ByteString { ByteString(name.asciiUppercased) }

  private mutating func add(_ name: String, in file: String, _ connection: Connection) throws {
    // Check one table at a time: a foreign key that refers to no unique columns is an error, which would hide the rows
    // of all other tables.
    let table = Self.name(name, in: file)
    do {
      let found = try connection.internalRows(
        "SELECT rowid, fkid FROM pragma_foreign_key_check(?1, ?2)", [.text(name), .text(file)])
      if found.isEmpty { return }
      var rows: [Int64: [Value]] = [:]
      for row in found { rows[try row[1], default: []].append(try row[0]) }
      for (id, numbers) in rows.sorted(by: { $0.key < $1.key }) {
        keys.append(try Self.key(id, of: name, in: file, numbers, connection))
      }
    } catch let error as DatabaseError where error.isKeyMismatch {
      mismatches.append(Violation(table: table, description: "\(table): \(error.message)"))
    }
  }

  /// A foreign key of a table, with the rows that violate it, which have these row ids.
  private static func key(
    _ id: Int64, of table: String, in file: String, _ numbers: [Value], _ connection: Connection
  ) throws -> Key {
    var columns: [String] = []
    var parentColumns: [String] = []
    var parent = ""
    for row in try connection.internalRows(
      "SELECT \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1, ?2) WHERE id = ?3 ORDER BY seq",
      [.text(table), .text(file), .integer(id)])
    {
      parent = try row[0]
      columns.append(try row[1])
      if let column = try row[2] as String? { parentColumns.append(column) }
    }
    if parentColumns.isEmpty {
      parentColumns = try connection.internalRows(
        "SELECT name FROM pragma_table_info(?1, ?2) WHERE pk > 0 ORDER BY pk", [.text(parent), .text(file)]
      ).map { try $0[0] }
    }
    let all = try connection.internalRows(
      "SELECT name, type FROM pragma_table_xinfo(?1, ?2)", [.text(table), .text(file)])
    let names: [String] = try all.map { try $0[0] }
    let types: [String] = try all.map { try $0[1] }
    let affinities = columns.map { column in
      ColumnAffinity(
        declared: names.firstIndex { $0.isSameName(as: column) }.map { types[$0] } ?? "", isStrict: false)
    }
    var key = Key(
      table: name(table, in: file), tableColumns: names, columns: columns, affinities: affinities,
      parent: name(parent, in: file))
    // Each value, and whether it is text, whose bytes need not be UTF-8.
    let list = columns.map { "child.\(SQL.quoted($0))" }.map { column in
      "CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) ELSE \(column) END, typeof(\(column)) = 'text'"
    }.joined(separator: ", ")
    let source = "\(SQL.quoted(file)).\(SQL.quoted(table)) AS child"
    func values(_ row: Row) throws -> [Stored] {
      try columns.indices.map { try stored(row[$0 * 2], isText: row[$0 * 2 + 1]) }
    }
    func description(_ row: String) -> String {
      "\(row) of \(key.table) refers to a row of \(parent) that is not there"
    }
    let rowID = EntityTable.rowIDNames.first { rowID in !names.contains { $0.isSameName(as: rowID) } }
    if let rowID, !numbers.contains(where: \.isNull) {
      for number in numbers {
        let row = try connection.internalRows("SELECT \(list) FROM \(source) WHERE child.\(rowID) = ?1", [number]).first
        key.rows.append((try row.map(values) ?? [], description("row \(number)")))
      }
      return key
    }
    // SQLite doesn't say which rows these are. A value is compared like one without a type of its own, as for a foreign
    // key.
    let present = columns.map { "child.\(SQL.quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    let same = zip(parentColumns, columns).map { "parent.\(SQL.quoted($0)) = +child.\(SQL.quoted($1))" }
    let exists = try connection.internalRows(
      "SELECT 1 FROM \(SQL.quoted(file)).sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE",
      [.text(parent)])
    let isThere =
      exists.isEmpty
      ? "0"
      : "EXISTS (SELECT 1 FROM \(SQL.quoted(file)).\(SQL.quoted(parent)) AS parent "
        + "WHERE \(same.joined(separator: " AND ")))"
    for row in try connection.internalRows("SELECT \(list) FROM \(source) WHERE \(present) AND NOT \(isThere)") {
      let values = try values(row)
      let reference = zip(columns, values).map { "\($0) = \(shown($1))" }
      key.rows.append((values, description("a row with \(reference.joined(separator: ", "))")))
    }
    return key
  }

  private static func stored(_ value: Value, isText: Bool) -> Stored {
    switch value {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(Array(text.utf8))
    case .blob(let bytes): isText ? .text(bytes) : .blob(bytes)
    }
  }

  private static func shown(_ value: Stored) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
    case .blob(let bytes): "a blob of \(bytes.count) bytes"
    }
  }

  // MARK: Comparing

  /// Returns a violation that did not exist before, or nil.
  ///
  /// An earlier violation is recognised even if its row id, its value's type, or the names of its table and columns
  /// have changed since. Each earlier one accounts for one violation now.
  func first(notIn before: KeyViolations) -> Violation? {
    if let new = mismatches.first(where: { new in !before.mismatches.contains { isSame($0.table, new.table, before) } })
    {
      return new
    }
    var rest = before.keys.map { Rest($0) }
    // While a table's references were wrong, SQLite did not check its rows.
    for key in keys where !before.mismatches.contains(where: { isSame($0.table, key.table, before) }) {
      let candidates = before.keys.indices.filter { explains(before.keys[$0], key, before) }
      for row in key.rows {
        let isOld = candidates.contains { index in
          rest[index].take(row.values, isTyped: before.keys[index].affinities == key.affinities)
        }
        if !isOld { return Violation(table: key.table, description: row.description) }
      }
    }
    return nil
  }

  /// How many earlier violations of a key are left to explain others, by their values.
  private struct Rest {
    private var typed: [[Stored]: Int] = [:]
    private var untyped: [[Stored]: Int] = [:]

    init(_ key: Key) {
      for row in key.rows {
        typed[row.values, default: 0] += 1
        untyped[row.values.map(\.untyped), default: 0] += 1
      }
    }

    mutating func take(_ values: [Stored], isTyped: Bool) -> Bool {
      isTyped ? Self.take(values, &typed) : Self.take(values.map(\.untyped), &untyped)
    }

    private static func take(_ values: [Stored], _ counts: inout [[Stored]: Int]) -> Bool {
      guard let count = counts[values], count > 0 else { return false }
      counts[values] = count - 1
      return true
    }
  }

  private func explains(_ old: Key, _ new: Key, _ before: KeyViolations) -> Bool {
    guard isSame(old.table, new.table, before), isSame(old.parent, new.parent, before),
      old.columns.count == new.columns.count
    else { return false }
    if zip(old.columns, new.columns).allSatisfy({ $0.isSameName(as: $1) }) { return true }
    // If columns were renamed, the new names did not exist before, and the old ones no longer exist.
    func has(_ names: [String], _ column: String) -> Bool { names.contains { $0.isSameName(as: column) } }
    return !new.columns.allSatisfy { has(old.tableColumns, $0) }
      && !old.columns.allSatisfy { has(new.tableColumns, $0) }
  }

  /// Whether a table now is the same as one before: it has the same name, or it is new and the earlier one no longer
  /// exists. The earlier one may have been renamed, or created again under the new name.
  private func isSame(_ old: String, _ new: String, _ before: KeyViolations) -> Bool {
    old.isSameName(as: new)
      || !before.tables.contains(Self.folded(new)) && !tables.contains(Self.folded(old))
  }
}

extension DatabaseError {
  /// Whether a foreign key refers to columns that are not a key.
  var isKeyMismatch: Bool { code == .error && message.contains("foreign key mismatch") }
}
