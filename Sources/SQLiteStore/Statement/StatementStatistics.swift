/// What a statement has cost since it was prepared, in SQLite's counts.
public struct StatementStatistics: Hashable, Sendable {
  /// How often it ran.
  public var runs: Int
  /// Instructions of SQLite's virtual machine.
  public var steps: Int
  /// Steps through a table without an index: high where an index is missing.
  public var fullScanSteps: Int
  /// Sorts that no index saved.
  public var sorts: Int
  /// Rows put into automatic indices.
  public var automaticIndexRows: Int
  /// How often it was compiled again, as after a change of schema.
  public var preparations: Int
  /// Bytes of memory.
  public var memory: Int
}
