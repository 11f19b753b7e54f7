/// The cost of a statement since it was prepared, in SQLite's counts.
package struct StatementStatistics: Hashable, Sendable {
  /// How many times it ran.
  package var runs: Int
  /// Instructions of SQLite's virtual machine.
  package var steps: Int
  /// Steps through a table without an index: a high number shows that an index is missing.
  package var fullScanSteps: Int
  /// Sorts for which no index could be used.
  package var sorts: Int
  /// Rows inserted into automatic indices.
  package var automaticIndexRows: Int
  /// How many times it was compiled again, for example after a change of the schema.
  package var preparations: Int
  /// Bytes of memory.
  package var memory: Int
}
