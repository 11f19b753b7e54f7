import FetchedResultsCore
import RowModel
import SQLiteStore

/// Refuses expressions that give another result each time: random values and the clock. A list of such a query would
/// never be right.
struct Determinism {
  let probe: PlanProbe

  func check(_ request: RequestDescription) throws {
    for sql in request.pieces { try check(sql) }
  }

  /// Checks the views that a statement reads, and the views that those read.
  func checkViews(_ reading: PlanProbe.Reading) throws {
    for table in reading.tables.sorted(by: { $0.name < $1.name }) {
      try checkView(table.name, in: table.schema.isEmpty ? "main" : table.schema)
    }
    // No schema contains these names.
    guard !reading.views.isEmpty else { return }
    let schemas = try probe.connection.copiedRows("SELECT name FROM pragma_database_list ORDER BY seq", [])
    for name in reading.views.sorted() {
      for schema in schemas { try checkView(name, in: try schema[0]) }
    }
  }

  private func checkView(_ name: String, in schema: String) throws {
    let rows = try probe.connection.copiedRows(
      "SELECT sql FROM \(SQL.quoted(schema)).sqlite_schema WHERE type = 'view' AND name = ? COLLATE NOCASE",
      [.text(name)])
    for row in rows { try check(SQL(raw: try row[0])) }
  }

  private static let clock: Set<String> = ["CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"]
  /// Functions of time, and the number of arguments without which they read the clock.
  private static let times: [String: Int] = [
    "DATE": 1, "TIME": 1, "DATETIME": 1, "JULIANDAY": 1, "UNIXEPOCH": 1, "STRFTIME": 2, "TIMEDIFF": 2,
  ]

  func check(_ sql: SQL) throws {
    if let failure = sql.failure { throw failure }
    let tokens = SQLTokens(sql).tokens
    var bindings = sql.bindings[...]
    var times: [Int] = []
    for (index, token) in tokens.enumerated() {
      times.removeAll { tokens[$0 + 1].depth == token.depth && token.isMark(")") }
      switch token.kind {
      case .parameter:
        if let value = bindings.popFirst(), !times.isEmpty, Self.isNow(value) { throw clock(sql) }
      case .namedParameter:
        // It is not worth finding out which of the values it is.
        if !times.isEmpty, sql.bindings.contains(where: Self.isNow) { throw clock(sql) }
      case .text(let text):
        if !times.isEmpty, Self.isNow(text) { throw clock(sql) }
      case .word(let word), .quoted(let word):
        let word = word.asciiUppercased
        let isCall = index + 1 < tokens.count && tokens[index + 1].isMark("(")
        if case .word = token.kind, Self.clock.contains(word), !isQualified(tokens, index) { throw clock(sql) }
        guard isCall else { break }
        if let least = Self.times[word] {
          if arguments(tokens, index + 1) < least { throw clock(sql) }
          times.append(index)
        }
        if Self.chance.contains(word) {
          throw DatabaseError(
            code: .misuse,
            message: "\(word.lowercased())() gives something else each time, so a list of it can't be followed",
            sql: sql.text)
        }
      default: break
      }
    }
  }

  private func isQualified(_ tokens: [SQLTokens.Token], _ index: Int) -> Bool {
    index > 0 && tokens[index - 1].isMark(".")
  }

  /// Whether a text means the current time; "subsec" does in place of a time.
  private static func isNow(_ text: String) -> Bool { ["NOW", "SUBSEC", "SUBSECOND"].contains(text.asciiUppercased) }

  private static func isNow(_ value: Value) -> Bool {
    switch value {
    case .text(let text): isNow(text)
    case .blob(let bytes): isNow(String(decoding: bytes, as: UTF8.self))
    default: false
    }
  }

  private func arguments(_ tokens: [SQLTokens.Token], _ open: Int) -> Int {
    let depth = tokens[open].depth
    var count = 0
    for token in tokens[(open + 1)...] {
      if token.isMark(")"), token.depth == depth { break }
      if count == 0 { count = 1 }
      if token.isMark(","), token.depth == depth + 1 { count += 1 }
    }
    return count
  }

  private func clock(_ sql: SQL) -> DatabaseError {
    DatabaseError(
      code: .misuse,
      message:
        "a request that reads the clock changes without any commit; compute the time in Swift, interpolate it, and set "
        + "another request when the time has changed", sql: sql.text)
  }

  /// SQLite's functions that give another result each time, or depend on the connection.
  private static let chance: Set<String> = ["RANDOM", "RANDOMBLOB", "CHANGES", "TOTAL_CHANGES", "LAST_INSERT_ROWID"]

  /// Functions of the program's that are not declared deterministic.
  func undeterministic(_ names: Set<String>) throws -> String? {
    for name in names.sorted() {
      let rows = try probe.connection.copiedRows(
        "SELECT builtin, flags & 0x800 FROM pragma_function_list WHERE name = ? COLLATE NOCASE", [.text(name)])
      if try rows.contains(where: { try !($0[0] as Bool) && $0[1] as Int == 0 }) { return name }
    }
    return nil
  }
}
