/// The cost of a statement since it was prepared, in SQLite's counts.
public struct StatementStatistics: Hashable, Sendable {
  /// How many times it ran.
  public var runs: Int
  /// Instructions of SQLite's virtual machine.
  public var steps: Int
  /// Steps through a table without an index: a high number shows that an index is missing.
  public var fullScanSteps: Int
  /// Sorts for which no index could be used.
  public var sorts: Int
  /// Rows inserted into automatic indices.
  public var automaticIndexRows: Int
  /// How many times it was compiled again, for example after a change of the schema.
  public var preparations: Int
  /// Bytes of memory.
  public var memory: Int
}
