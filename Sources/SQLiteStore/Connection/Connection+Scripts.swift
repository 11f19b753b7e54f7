import CSQLite

extension Connection {
  /// Runs the statements of a script in order.
  ///
  /// The text ends in a NUL, and SQLite reads each statement in place. Without the NUL, SQLite would copy the rest of
  /// the text for each statement.
  func runScript(_ script: String, isInternal: Bool) throws {
    try script.utf8CString.withUnsafeBufferPointer { text in
      var position = 0
      while let start = SQLText.firstByte(of: text, from: position) {
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
    let code = sqlite3_prepare_v3(handle, begin, Int32(clamping: text.count - start), 0, &pointer, &tail)
    if code != SQLITE_OK {
      let offset = max(0, Int(frc_error_offset(handle)))
      let end = text[min(start + offset, length)..<length].firstIndex(of: CChar(UInt8(ascii: ";"))) ?? length
      throw failure(code, sql: Self.text(text[start..<end]), behind: Self.text(text[..<start]))
    }
    guard let pointer, let begin, let tail else {
      throw DatabaseError.misuse(SQLText.nulProblem, sql: Self.text(text[start..<length]))
    }
    let end = start + begin.distance(to: tail)
    let statement = Statement(handle: pointer, sql: Self.text(text[start..<end]), connection: self)
    if !isInternal {
      if statement.startsTransaction {
        throw DatabaseError.misuse(
          "read and write begin and end transactions themselves; take this out of the script", sql: statement.sql)
      }
      try statement.begin()
    }
    while try statement.step() {}
    return end
  }

  private static func text(_ bytes: Slice<UnsafeBufferPointer<CChar>>) -> String {
    String(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes)), as: UTF8.self)
  }
}
