import CFetchedResultsSQLite
import SQLiteStore

/// The first byte says what the rest is: values, a name, or SQL.
enum SQLCheck {
  static func run(_ bytes: [UInt8]) throws {
    var source = ByteSource(bytes)
    switch source.number(below: 4) {
    case 0: try checkValues(&source)
    case 1: try checkName(source.text())
    case 2: try checkReading(source.text())
    default: try checkWriting(source.text())
    }
  }

  // MARK: Values

  private static func checkValues(_ source: inout ByteSource) throws {
    var values: [Value] = []
    while !source.isAtEnd, values.count < 40 { values.append(value(&source)) }
    guard let first = values.first else { return }
    var sql: SQL = "SELECT \(first)"
    for value in values.dropFirst() { sql += ", \(value)" }
    let database = try Database.inMemory()
    let found = try must("selecting \(values)") { try database.read { try $0.row(sql)?.values } }
    try expect(found == values.map(stored), "\(values) came back as \(found ?? [])")
    let numbers = values.compactMap { if case .integer(let number) = $0 { number } else { nil } }
    let search: SQL = "SELECT count(*) FROM (SELECT \(first) AS v) WHERE v IN \(numbers)"
    let count = try must("IN") { try database.read { try $0.value(search, as: Int.self) } }
    if case .integer = first { try expect(count == 1, "\(first) is not in \(numbers)") }
    for case .blob(let bytes) in values { try checkText(bytes, database) }
  }

  /// Bytes that are stored as text, whatever they are, are read as Swift reads them, or refused.
  private static func checkText(_ bytes: [UInt8], _ database: Database) throws {
    do {
      let text = try database.read { try $0.value("SELECT CAST(\(bytes) AS TEXT)", as: String.self) }
      try expect(text == String(decoding: bytes, as: UTF8.self), "the text \(bytes) is \(text.debugDescription)")
    } catch let error as DatabaseError {
      try expect(String(validating: bytes, as: UTF8.self) == nil, "the text \(bytes) failed with \(error)")
    }
  }

  private static func value(_ source: inout ByteSource) -> Value {
    switch source.number(below: 5) {
    case 0: .null
    case 1: .integer(source.integer())
    case 2: .real(Double(bitPattern: UInt64(bitPattern: source.integer())))
    case 3: .text(source.text())
    default: .blob(source.field())
    }
  }

  private static func stored(_ value: Value) -> Value {
    if case .real(let real) = value, real.isNaN { .null } else { value }
  }

  // MARK: Names

  private static func checkName(_ name: String) throws {
    let database = try Database.inMemory()
    do {
      let row = try database.read { try $0.row("SELECT 1 AS \(identifier: name)") }
      try expectSame(row?.columnNames.map { Array($0.utf8) }, [Array(name.utf8)], "the name of a column")
      let values = try row?.values
      try expect(values == [1], "another value under \(name.debugDescription)")
    } catch let error as DatabaseError {
      return try expect(name.utf8.contains(0), "\(name.debugDescription) failed with \(error)")
    }
    do {
      try database.write { try $0.execute("CREATE TABLE \(identifier: name)(\(identifier: name))") }
    } catch let error as DatabaseError {
      return try expect(name.lowercased().hasPrefix("sqlite_"), "\(name.debugDescription) failed with \(error)")
    }
    let names = try database.read { try $0.values("SELECT name FROM sqlite_schema", as: String.self) }
    try expectSame(names.map { Array($0.utf8) }, [Array(name.utf8)], "the names of tables")
    try must("writing to \(name.debugDescription)") {
      let found = try database.write { connection in
        try connection.execute("INSERT INTO \(identifier: name)(\(identifier: name)) VALUES (\(name))")
        return try connection.value("SELECT \(identifier: name) FROM \(identifier: name)", as: Value.self)
      }
      try expect(found == .text(name), "another value in it")
    }
  }

  // MARK: Any SQL

  private static func checkReading(_ text: String) throws {
    let database = try SmallDatabase.make()
    let before = try SmallDatabase.content(database)
    for run in 0..<4 {
      do {
        try database.read { connection in
          switch run {
          case 0: _ = try connection.rows(SQL(raw: text))
          case 1: _ = try connection.execute(SQL(raw: text))
          case 2: try connection.executeScript(text)
          default: _ = try connection.value("SELECT (\(raw: text))", as: Value.self)
          }
        }
      } catch let error as DatabaseError {
        try expect(!error.message.isEmpty, "an error without words")
      }
      let after = try must("reading after \(text.debugDescription)") { try SmallDatabase.content(database) }
      try expectSame(after, before, "a read has written")
    }
  }

  private static func checkWriting(_ text: String) throws {
    struct Undone: Error {}
    let database = try SmallDatabase.make()
    let before = try SmallDatabase.content(database)
    let commits = Counter()
    let observation = database.observe(["item", "list"]) { _ in commits.add() }
    do {
      try database.write { connection in
        try connection.executeScript(text)
        throw Undone()
      }
    } catch is Undone {
    } catch let error as DatabaseError {
      try expect(!error.message.isEmpty, "an error without words")
    }
    try expectSame(try SmallDatabase.content(database), before, "what threw has written")
    try expectSame(commits.count, 0, "commits of what threw")
    observation.cancel()
  }
}
