import CFetchedResultsSQLite
import FetchedResultsSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `frc_form(type, value)`: the canonical form of a stored value, by the number of its type. Every connection has the
/// function.
///
/// A value that can't be read as the type is returned unchanged: it equals nothing that the type writes, and reading it
/// throws the error that names it.
///
/// `frc_kept(type, old, new)`: what an update stores in place of `old`, where the type writes `new`. It is `old` if the
/// two are equal as values of the type.
enum FormFunctions {
  static func add(to connection: Connection) throws {
    try add("frc_form", 2, to: connection) { context, _, arguments in
      let number = Int(sqlite3_value_int64(arguments?[0]))
      let value = arguments?[1]
      if sqlite3_value_type(value) == SQLITE_NULL { return sqlite3_result_null(context) }
      if number == 0, FormFunctions.isCanonicalUUID(value) { return sqlite3_result_value(context, value) }
      do {
        let stored = try Value(reading: value) { DatabaseError(code: .mismatch, message: $0) }
        guard let canonical = try FormNumbers.type(number)?.canonical(stored) else {
          throw DatabaseError.mismatch(expected: "the number of a type", found: .integer(Int64(number)))
        }
        canonical.give(to: context)
      } catch {
        sqlite3_result_value(context, value)
      }
    }
    try add("frc_kept", 3, to: connection) { context, _, arguments in
      let (old, new) = (arguments?[1], arguments?[2])
      if FormFunctions.areSame(old, new) { return sqlite3_result_value(context, new) }
      do {
        let number = Int(sqlite3_value_int64(arguments?[0]))
        let stored = try Value(reading: old) { DatabaseError(code: .mismatch, message: $0) }
        let written = try Value(reading: new) { DatabaseError(code: .mismatch, message: $0) }
        if try FormNumbers.type(number)?.canonical(stored) == written {
          return sqlite3_result_value(context, old)
        }
        try FormFunctions.inForm(of: stored, written, number).give(to: context)
      } catch {
        // What can't be read is replaced.
        sqlite3_result_value(context, new)
      }
    }
    try add("frc_utf8", 1, to: connection) { context, _, arguments in
      let value = arguments?[0]
      guard sqlite3_value_type(value) != SQLITE_NULL else { return sqlite3_result_null(context) }
      let text = sqlite3_value_text(value)
      sqlite3_result_blob64(
        context, text ?? UnsafePointer(OpaquePointer(Parameter.nothing)), UInt64(sqlite3_value_bytes(value)),
        frc_transient())
    }
    try add("frc_unhex", 2, to: connection) { context, _, arguments in
      guard let start = sqlite3_value_text(arguments?[1]) else { return sqlite3_result_null(context) }
      let digits = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments?[1])))
      let bytes = HexText.bytes(digits)
      let isText = sqlite3_value_int64(arguments?[0]) != 0
      let value: Value = isText ? .text(String(decoding: bytes, as: UTF8.self)) : .blob(bytes)
      value.give(to: context)
    }
    let code = sqlite3_create_collation_v2(
      connection.handle, "frc_utf8", SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        guard let left, let right else { return leftCount - rightCount }
        let order = memcmp(left, right, Int(min(leftCount, rightCount)))
        return order != 0 ? order : leftCount - rightCount
      }, nil)
    if code != SQLITE_OK { throw DatabaseError(code, on: connection.handle, doing: "collation frc_utf8") }
  }

  /// Whether two values are NULL or the same text: the usual cases.
  private static func areSame(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Bool {
    if sqlite3_value_type(left) == SQLITE_NULL { return sqlite3_value_type(right) == SQLITE_NULL }
    guard sqlite3_value_type(left) == SQLITE_TEXT, sqlite3_value_type(right) == SQLITE_TEXT,
      let first = sqlite3_value_text(left), let second = sqlite3_value_text(right)
    else { return false }
    let count = sqlite3_value_bytes(left)
    return count == sqlite3_value_bytes(right) && memcmp(first, second, Int(count)) == 0
  }

  /// A UUID or a date in the form of the value that it replaces, if that form holds exactly this one.
  private static func inForm(of old: Value, _ new: Value, _ number: Int) throws -> Value {
    switch (number, old, new) {
    case (0, .blob, .text(let text)):
      guard let uuid = UUID(uuidString: text), try !UUID(databaseValue: old).databaseValue.isNull else { return new }
      return .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
    case (0, .text(let form), .text(let text)):
      return form == form.lowercased() && form != form.uppercased() ? .text(text.lowercased()) : new
    case (1, .integer, .text), (1, .real, .text):
      let date = try Date(databaseValue: new)
      let seconds = date.timeIntervalSince1970
      guard Date(timeIntervalSince1970: seconds) == date else { return new }
      if case .integer = old, let whole = Int64(exactly: seconds) { return .integer(whole) }
      return .real(seconds)
    default: return new
    }
  }

  private static func add(
    _ name: String, _ arguments: Int32, to connection: Connection,
    _ call: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws {
    let code = sqlite3_create_function_v2(
      connection.handle, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil, call, nil, nil,
      nil)
    if code != SQLITE_OK { throw DatabaseError(code, on: connection.handle, doing: "function \(name)") }
  }

  /// Whether a value is a UUID as the library writes it, the usual case.
  private static func isCanonicalUUID(_ value: OpaquePointer?) -> Bool {
    guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value),
      sqlite3_value_bytes(value) == 36
    else { return false }
    for index in 0..<36 {
      let byte = start[index]
      let isDash = index == 8 || index == 13 || index == 18 || index == 23
      guard isDash ? byte == 45 : (48...57).contains(byte) || (65...70).contains(byte) else { return false }
    }
    return true
  }
}
