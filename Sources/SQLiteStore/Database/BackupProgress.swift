/// How far a backup is.
public struct BackupProgress: Hashable, Sendable {
  /// How many pages are still to copy.
  public let remainingPages: Int
  /// How many pages the database has.
  public let totalPages: Int
  /// The part that is done, from 0 to 1.
  public var fraction: Double {
    totalPages == 0 ? 1 : Double(totalPages - remainingPages) / Double(totalPages)
  }
}
