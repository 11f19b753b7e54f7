import SQLiteStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an index can do for a comparison of dates.
///
/// `frc_date` says what a stored date means, and no index knows that. But every text that is read as a date begins with its
/// day, which is at most some days away (by an offset of hours) from the day of the time that it means, and days sort as
/// texts. So a comparison with a known time is led by one with a day some days off, which holds wherever the exact one does.
enum DateBounds {
  /// More than the largest offset that is read, 99 hours and 99 minutes, which may also reach over midnight.
  private static let margin: Double = 6 * 86_400

  /// A condition that an index on the column can serve, and that holds wherever the exact comparison does.
  static func around(_ column: SQL, _ symbol: String, _ seconds: Double) -> SQL? {
    let isUpper = symbol.first == "<"
    let day = Date(timeIntervalSinceReferenceDate: isUpper ? seconds + margin : seconds - margin)
    // Beyond the years 0 to 9999 a date is stored as a number.
    guard case .text(let text) = day.databaseValue else { return nil }
    let bound = String(text.prefix(10))
    // Numbers sort before texts: they are below every day, and have to be let through where a day is the least.
    return isUpper
      ? "\(column) COLLATE BINARY < \(bound)"
      : "(\(column) COLLATE BINARY >= \(bound) OR \(column) < '')"
  }
}
