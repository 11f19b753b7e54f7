#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a column converts the values that are stored in it, by its declared type.
package enum ColumnAffinity: Sendable {
  case none, text, integer, real, numeric

  /// SQLite's own rules for a declared type.
  init(declared type: String, isStrict: Bool = false) {
    let type = type.uppercased()
    func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
    if has("INT") {
      self = .integer
    } else if has("CHAR", "CLOB", "TEXT") {
      self = .text
    } else if type.isEmpty || has("BLOB") || isStrict && type == "ANY" {
      self = .none
    } else if has("REAL", "FLOA", "DOUB") {
      self = .real
    } else {
      self = .numeric
    }
  }

  /// Whether values of a type may be stored in another storage class, so that they must be checked.
  func mayChange(_ type: any ValueConvertible.Type) -> Bool {
    switch self {
    case .none: return false
    case .text:
      switch type {
      case is String.Type, is String?.Type, is UUID.Type, is UUID?.Type: return false
      case is [UInt8].Type, is [UInt8]?.Type, is Data.Type, is Data?.Type: return false
      default: return true
      }
    case .integer, .real, .numeric:
      switch type {
      // Neither a UUID's nor a date's text looks like a number.
      case is UUID.Type, is UUID?.Type, is Date.Type, is Date?.Type: return false
      case is [UInt8].Type, is [UInt8]?.Type, is Data.Type, is Data?.Type: return false
      case is Double.Type, is Double?.Type, is Float.Type, is Float?.Type: return false
      case is Int64.Type, is Int64?.Type, is Int.Type, is Int?.Type, is Bool.Type, is Bool?.Type: return self == .real
      default: return true
      }
    }
  }

  /// What a column with this affinity stores for a value; nil if the value stays unchanged.
  func converted(_ value: Value, on connection: Connection) throws -> Value? {
    switch (self, value) {
    case (.text, .integer), (.text, .real): return try connection.internalValue("SELECT CAST(?1 AS TEXT)", [value])
    case (.real, .integer): return try connection.internalValue("SELECT CAST(?1 AS REAL)", [value])
    case (.integer, .real(let real)), (.numeric, .real(let real)):
      guard let integer = Int64(exactly: real), integer > .min, integer < .max else { return nil }
      return .integer(integer)
    case (.integer, .text(let text)), (.real, .text(let text)), (.numeric, .text(let text)):
      guard FormBounds.looksLikeNumber(text) else { return nil }
      // A comparison with a number converts as the column does; CAST would also accept a number followed by other text.
      let number = "CAST(?1 AS \(self == .real ? "REAL" : "NUMERIC"))"
      return try connection.internalValue(
        "SELECT CASE WHEN CAST(?1 AS NUMERIC) = ?1 THEN \(number) ELSE ?1 END", [value])
    default: return nil
    }
  }
}
