import CFetchedResultsSQLite

extension Connection {
  /// Runs the statements of a script in order.
  ///
  /// The text ends in a NUL, and SQLite reads each statement in place. Without the NUL, SQLite would copy the rest of
  /// the text for each statement.
  func runScript(_ script: String, isInternal: Bool) throws {
    try script.utf8CString.withUnsafeBufferPointer { text in
      var position = 0
      while true {
        let rest = text[position..<text.count - 1].lazy.map { UInt8(bitPattern: $0) }
        let start = SQLText.skippingBlanks(rest).startIndex
        if start == text.count - 1 { return }
        position = try runStatement(of: text, from: start, isInternal)
      }
    }
  }

  /// Runs the statement that begins at an offset, and returns the offset of its end.
  private func runStatement(
    of text: UnsafeBufferPointer<CChar>, from start: Int, _ isInternal: Bool
  ) throws -> Int {
    let length = text.count - 1
    var pointer: OpaquePointer?
    var tail: UnsafePointer<CChar>?
    let begin = text.baseAddress.map { $0 + start }
    statementBegins()
    func prepare() -> Int32 {
      sqlite3_prepare_v3(handle, begin, Int32(clamping: text.count - start), 0, &pointer, &tail)
    }
    var code = prepare()
    if acceptsSchema(after: code) { code = prepare() }
    if code != SQLITE_OK {
      // A statement that can't be compiled has no end for SQLite.
      var error = failure(code, sql: Self.text(text[start..<length]), behind: Self.text(text[..<start]))
      if var found = error as? DatabaseError, let rest = found.sql {
        let place = rest.utf8.index(rest.startIndex, offsetBy: found.offset ?? 0)
        found.sql = String(rest[..<(rest.utf8[place...].firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex)])
        error = found
      }
      throw Self.locating(error, in: text, start)
    }
    do {
      guard let pointer, let begin, let tail else {
        throw DatabaseError.misuse(SQLText.nulProblem, sql: Self.text(text[start..<length]))
      }
      let end = start + begin.distance(to: tail)
      try run(Statement(handle: pointer, sql: Self.text(text[start..<end]), connection: self), isInternal)
      return end
    } catch {
      throw Self.locating(error, in: text, start)
    }
  }

  private func run(_ statement: Statement, _ isInternal: Bool) throws {
    // A statement that may have changed the schema makes names mean something else for those that follow.
    defer { if !isInternal { statement.end() } }
    if !isInternal {
      if statement.startsTransaction {
        throw DatabaseError.misuse(
          "read and write begin and end transactions themselves; take this out of the script", sql: statement.sql)
      }
      try statement.begin()
    }
    if statement.parameterCount > 0 {
      throw DatabaseError.misuse(
        "a script has no bound values, but this statement has \(statement.parameterCount == 1 ? "a parameter" : "parameters"); "
          + "run it with execute", sql: statement.sql)
    }
    while try statement.step() {}
  }

  /// An error with the place of its statement, unless it says where it is.
  private static func locating(_ error: any Error, in text: UnsafeBufferPointer<CChar>, _ start: Int) -> any Error {
    guard var error = error as? DatabaseError, error.offset == nil else { return error }
    let (line, column) = DatabaseError.place(of: start, in: Self.text(text[..<start]))
    error.message += " (statement at line \(line), column \(column))"
    return error
  }

  private static func text(_ bytes: Slice<UnsafeBufferPointer<CChar>>) -> String {
    String(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes)), as: UTF8.self)
  }
}
