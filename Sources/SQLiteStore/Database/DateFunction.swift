import CFetchedResultsSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `frc_date(value)`: the time that a stored value means, as a number of seconds.
///
/// A `Date` is read from several forms (a day alone, a `T` or a space, a fraction, `Z` or an offset, seconds as a
/// number). These forms neither sort nor compare in the order of their times; the number does. Every connection has the
/// function.
enum DateFunction {
  static func add(to connection: Connection) throws {
    let code = sqlite3_create_function_v2(
      connection.handle, "frc_date", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
      { context, _, arguments in
        do {
          let value = try Value(reading: arguments?[0]) { DatabaseError(code: .mismatch, message: "a date: \($0)") }
          if value.isNull { return sqlite3_result_null(context) }
          sqlite3_result_double(context, try Date(databaseValue: value).timeIntervalSinceReferenceDate)
        } catch {
          sqlite3_result_error(context, "\(error)", -1)
        }
      }, nil, nil, nil)
    if code != SQLITE_OK { throw DatabaseError(code, on: connection.handle, doing: "function frc_date") }
    try FormFunctions.add(to: connection)
  }
}
