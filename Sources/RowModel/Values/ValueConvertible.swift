/// A type that can be stored in a database and read back.
///
/// The standard integers, `Double`, `Float`, `Bool`, `String`, `Substring`, `[UInt8]`, `Data`, `Date`, `UUID`, `URL`,
/// `Decimal`, `Value` and optionals of them conform. So do an enumeration with a raw value and an option set, if you
/// declare it:
///
/// ```swift
/// enum Priority: Int, ValueConvertible { case low, medium, high }
/// struct Flags: OptionSet, ValueConvertible { let rawValue: Int }
/// ```
///
/// ``JSONColumn`` stores any `Codable` value as JSON.
///
/// For a type of your own, implement the first two members below. An enumeration with a raw value may implement them
/// too, and is then stored by them alone. A value that can't be represented is an error, never a silent change: an
/// integer too large for its type, a text where a number is expected, bytes that are not UTF-8.
///
/// ```swift
/// struct Money: ValueConvertible {
///   var cents: Int64
///   init(databaseValue: Value) throws { cents = try Int64(databaseValue: databaseValue) }
///   var databaseValue: Value { .integer(cents) }
/// }
/// ```
public protocol ValueConvertible: Sendable {
  /// The value to store. May throw, for example for a `UInt64` that doesn't fit into SQLite's integers.
  var databaseValue: Value { get throws }

  /// Creates an instance from a stored value; throws ``DatabaseError/mismatch(expected:found:)`` if no value matches
  /// it.
  init(databaseValue: Value) throws

  /// Whether several stored values are read as one instance. By default, only one is.
  static var storedForms: StoredForms { get }

  /// Reads a column of the current row. It exists for speed only: the default uses `init(databaseValue:)`.
  static func read(_ column: borrowing Column) throws -> Self

  /// Binds to a parameter of a statement. It exists for speed only: the default uses `databaseValue`.
  func bind(to parameter: borrowing Parameter) throws
}

extension ValueConvertible {
  /// Reads the column with `init(databaseValue:)`.
  @inlinable
  public static func read(_ column: borrowing Column) throws -> Self {
    do {
      return try Self(databaseValue: column.value())
    } catch let error as DatabaseError {
      throw column.naming(error)
    }
  }

  /// Binds with `databaseValue`.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws {
    try parameter.bind(databaseValue)
  }
}
