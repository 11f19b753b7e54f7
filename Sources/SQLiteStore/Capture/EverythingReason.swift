/// Why a commit reports everything instead of keys.
public enum EverythingReason: String, Hashable, Sendable {
  /// Tables, indices or other parts of the schema were made, changed or dropped, perhaps by VACUUM.
  case schemaChanged
  /// More rows changed than `Options.captureLimit`.
  case overflow
  /// Another connection committed, and no history is recorded for the table.
  case foreignCommit
  /// Another connection committed so much that the recorded history does not reach back.
  case historyGap
  /// The table is a view or a virtual table, whose changes SQLite does not report.
  case notATable
  /// The observation began while the commit was under way.
  case observationBegan
}
