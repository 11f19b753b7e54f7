/// A value as SQLite stores it: one of its five storage classes.
///
/// ```swift
/// let values: [Value] = [1, 1.5, "one", true, nil]
/// for case .text(let text) in values { print(text) }  // one
/// ```
///
/// A column of a row is a `Value` whatever the column's declared type. Read it as a Swift type if you know the type
/// (`try row["title"] as String`), and as a `Value` if you don't.
public enum Value: Codable, Sendable {
  /// SQL's NULL.
  case null
  /// A 64-bit signed integer.
  case integer(Int64)
  /// A double. SQLite stores a NaN as NULL; writing an entity with one is an error.
  case real(Double)
  /// Text. It may contain NUL.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// The storage class of the value, as SQLite's documentation names it.
  package var storageClass: String {
    switch self {
    case .null: "NULL"
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }

  /// Whether the value is NULL.
  public var isNull: Bool { self == .null }
}

extension Value: Hashable {
  /// Whether both have the same storage class and the same value. Texts are compared by their bytes, as in SQLite; in
  /// Swift, strings are also equal if a letter is composed in different ways.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .text(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// 1 for true and 0 for false, because SQLite has no Booleans.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
  /// NULL.
  public init(nilLiteral: ()) { self = .null }
}

extension Value: CustomStringConvertible {
  /// The value as an SQL literal, shortened if it is long: for messages, not for building SQL.
  public var description: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return String(value)
    case .real(let value): return String(value)
    case .text(let value):
      let shown = value.count > 60 ? String(value.prefix(57)) + "..." : value
      return "'" + shown.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    case .blob(let value): return "a blob of \(value.count) bytes"
    }
  }
}
