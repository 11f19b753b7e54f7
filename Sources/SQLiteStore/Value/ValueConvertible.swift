/// A type that goes into a database and comes back.
///
/// The standard integers, `Double`, `Float`, `Bool`, `String`, `[UInt8]`, `Data`, `Date`, `UUID`, `Value` and optionals
/// of them conform. So does an enumeration with a raw value, when you say so:
///
/// ```swift
/// enum Priority: Int, ValueConvertible { case low, medium, high }
/// ```
///
/// For a type of your own write the first two members below; an enumeration with a raw value may have them too, and
/// is then stored by them alone. What cannot be represented is an error, never a silent change: an integer too large
/// for its type, a text where a number is expected, bytes that are not UTF-8.
public protocol ValueConvertible: Sendable {
  /// The value that is stored. May throw, as for a `UInt64` beyond what SQLite's integers hold.
  var databaseValue: Value { get throws }

  /// Makes an instance from a stored value, or throws `ValueMismatch` (or `DatabaseError`) when there is none for it.
  init(databaseValue: Value) throws

  /// Whether several stored values are read as one instance. Unless a type says otherwise, one is.
  static var storedForms: StoredForms { get }

  /// Reads a column of the current row. There for speed only: the default goes through `init(databaseValue:)`.
  static func read(_ column: borrowing Column) throws -> Self

  /// Binds to a parameter of a statement. There for speed only: the default goes through `databaseValue`.
  func bind(to parameter: borrowing Parameter) throws
}

extension ValueConvertible {
  /// Reads the column by way of `init(databaseValue:)`.
  @inlinable
  public static func read(_ column: borrowing Column) throws -> Self {
    do {
      return try Self(databaseValue: column.value())
    } catch let mismatch as ValueMismatch {
      throw column.mismatch(expected: mismatch.expected)
    }
  }

  /// Binds by way of `databaseValue`.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws {
    try parameter.bind(databaseValue)
  }
}
