/// The progress of a backup.
public struct BackupProgress: Hashable, Sendable {
  /// The number of pages still to copy.
  public let remainingPages: Int
  /// The number of pages in the database.
  public let totalPages: Int
  /// The finished part, from 0 to 1.
  public var fraction: Double {
    totalPages == 0 ? 1 : Double(totalPages - remainingPages) / Double(totalPages)
  }
}
