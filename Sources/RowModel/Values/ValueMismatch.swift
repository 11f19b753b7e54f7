/// Thrown by `init(databaseValue:)` if no instance of `expected` has that stored value.
///
/// Rows convert it to a `DatabaseError` that also names the column.
public struct ValueMismatch: Error, Hashable, CustomStringConvertible {
  /// The expected type.
  public var expected: String
  /// The value that was found.
  public var found: Value

  /// Creates a mismatch.
  public init(expected: String, found: Value) {
    self.expected = expected
    self.found = found
  }

  /// The mismatch in words.
  public var description: String { "expected \(expected), found \(found.storageClass) \(found)" }
}
