/// What `init(databaseValue:)` throws when no instance of `expected` has that stored value.
///
/// Rows turn it into a `DatabaseError` that also names the column.
public struct ValueMismatch: Error, Hashable, CustomStringConvertible {
  /// What was asked for.
  public var expected: String
  /// What was there.
  public var found: Value

  /// Makes a mismatch.
  public init(expected: String, found: Value) {
    self.expected = expected
    self.found = found
  }

  /// The mismatch in words.
  public var description: String { "expected \(expected), found \(found.storageClass) \(found)" }
}
