#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Conditions for which an index can be used, placed before exact comparisons of values that may be stored in several
/// forms.
///
/// Each is true wherever the exact comparison is, whatever the affinity and the collation of the column. A text that
/// looks like a number would be compared as one in a column of numeric affinity, so no bound looks like one.
package enum FormBounds {
  /// A condition that is true for all stored values that are equal to `value`; nil if none is known.
  package static func equal(_ column: SQL, _ value: some ValueConvertible) -> SQL? {
    switch value {
    case let uuid as UUID: return spellings(column, uuid)
    case let single as Float: return join("AND", compare(column, ">=", single), compare(column, "<=", single))
    case let date as Date: return around(column, date)
    case let optional as any AnyOptionalValue: return optional.wrappedValue.flatMap { equal(column, $0) }
    case let representable as any RawRepresentable:
      // Only if the type reads what its raw value reads, and writes what that writes; the value shows it.
      guard type(of: value).storedForms.kind == .raw, let raw = representable.rawValue as? any ValueConvertible else {
        return nil
      }
      do {
        guard try raw.databaseValue == value.databaseValue else { return nil }
      } catch {
        return nil  // The exact comparison reports the error.
      }
      return equal(column, raw)
    default: return nil
    }
  }

  // MARK: UUIDs

  /// Ranges of texts that begin like the UUID, up to its third letter in either case, and the blob.
  private static func spellings(_ column: SQL, _ uuid: UUID) -> SQL {
    var prefixes = [""]
    var letters = 0
    for character in uuid.uuidString.prefix(8).unicodeScalars {
      if character.properties.isAlphabetic {
        letters += 1
        if letters > 2 { break }
        prefixes = prefixes.flatMap { [$0 + "\(character)", $0 + "\(character)".lowercased()] }
      } else {
        prefixes = prefixes.map { $0 + "\(character)" }
      }
    }
    var condition: SQL = "(\(column) = \(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })"
    let ordered: SQL = "\(column)\(raw: SQL.asDeclared)"
    for prefix in prefixes { condition += " OR \(ordered) >= \(prefix + "!") AND \(ordered) < \(prefix + "~")" }
    return condition + ")"
  }

  // MARK: Floats

  /// A comparison of the doubles that round to floats. Rounding keeps the order, so only the neighbours of the bounds
  /// matter.
  package static func compare(_ column: SQL, _ symbol: String, _ value: Float) -> SQL? {
    let bound = Double(value)
    switch symbol {
    case "<": return "\(column) < \(bound)"
    case ">": return "\(column) > \(bound)"
    case "<=": return value.nextUp.isFinite ? "\(column) < \(Double(value.nextUp))" : nil
    case ">=": return value.nextDown.isFinite ? "\(column) > \(Double(value.nextDown))" : nil
    default: return nil
    }
  }

  // MARK: Dates

  /// More than the largest accepted offset, 99 hours and 99 minutes, which may also cross midnight.
  private static let margin: Double = 6 * 86_400

  private static func around(_ column: SQL, _ date: Date) -> SQL? {
    let seconds = date.timeIntervalSinceReferenceDate
    // A number of seconds since 1970 for the same time differs at most by a rounding error.
    let number = date.timeIntervalSince1970
    guard number.isFinite, let lower = day(seconds - margin), let upper = day(seconds + margin) else { return nil }
    return """
      (\(column) COLLATE BINARY >= \(lower) AND \(column) COLLATE BINARY < \(upper) OR \(column) >= \(number - 1) \
      AND \(column) <= \(number + 1))
      """
  }

  /// A comparison of dates by their days, which is true wherever the exact comparison is.
  ///
  /// Every text that is read as a date begins with its day. That is at most a few days (an offset of hours) away from
  /// the day of its time, and days sort as texts. Numbers sort before texts, so they are below every day; they must
  /// pass if a day is the lower bound.
  package static func compare(_ column: SQL, _ symbol: String, seconds: Double) -> SQL? {
    let isUpper = symbol.first == "<"
    guard let bound = day(isUpper ? seconds + margin : seconds - margin) else { return nil }
    return isUpper
      ? "\(column) COLLATE BINARY < \(bound)"
      : "(\(column) COLLATE BINARY >= \(bound) OR \(column) < '')"
  }

  /// The day of a time; nil outside the years 0 to 9999, for which there is no text.
  private static func day(_ seconds: Double) -> String? {
    DateText(Date(timeIntervalSinceReferenceDate: seconds)).map { String($0.text.prefix(10)) }
  }

  // MARK: Texts

  /// A comparison of texts. It is exact in a column with text or no affinity, and a bound in one with numeric affinity.
  ///
  /// If `text` looks like a number, a column of numeric affinity would compare numbers. Then `isExact` is false, and
  /// the exact comparison must use the column's value without its affinity.
  package static func compare(_ column: SQL, _ symbol: String, text: String) -> (sql: SQL, isExact: Bool) {
    let collated: SQL = "\(column) COLLATE BINARY\(raw: SQL.asUTF8)"
    guard looksLikeNumber(text) else { return ("\(collated) \(raw: symbol) \(text)", true) }
    var bytes = Array(text.utf8)
    if symbol.first == "<" { return ("\(collated) < \(text + "\u{10FFFF}")", false) }
    // The greatest text before this one that has another last byte.
    bytes[bytes.count - 1] -= 1
    return ("\(collated) > \(String(decoding: bytes, as: UTF8.self) + "\u{10FFFF}")", false)
  }

  /// Whether a column of numeric affinity might treat a text as a number.
  package static func looksLikeNumber(_ text: String) -> Bool {
    let numeric = Set(" \t\n\u{B}\u{C}\r+-.0123456789eE_".utf8)
    return text.utf8.contains { (48...57).contains($0) } && text.utf8.allSatisfy { numeric.contains($0) }
  }

  private static func join(_ joint: String, _ left: SQL?, _ right: SQL?) -> SQL? {
    guard let left else { return right }
    guard let right else { return left }
    return "(\(left) \(raw: joint) \(right))"
  }
}

/// An optional of a type that is stored.
package protocol AnyOptionalValue {
  static var wrappedType: any ValueConvertible.Type { get }
  var wrappedValue: (any ValueConvertible)? { get }
}

extension Optional: AnyOptionalValue where Wrapped: ValueConvertible {
  package static var wrappedType: any ValueConvertible.Type { Wrapped.self }
  package var wrappedValue: (any ValueConvertible)? { self }
}
