/// The storage classes of SQLite.
public enum StorageClass: String, Hashable, Sendable, CustomStringConvertible {
  /// NULL.
  case null = "NULL"
  /// INTEGER.
  case integer = "INTEGER"
  /// REAL.
  case real = "REAL"
  /// TEXT.
  case text = "TEXT"
  /// BLOB.
  case blob = "BLOB"

  /// The name that SQLite's documentation uses.
  public var description: String { rawValue }
}
