/// Why a commit reports everything instead of keys.
public enum EverythingReason: String, Hashable, Sendable {
  /// Tables, indices or other parts of the schema were made, changed or dropped, perhaps by VACUUM.
  case schemaChanged
  /// More rows changed than `Options.captureLimit`.
  case overflow
  /// Another connection committed, and no history is recorded for the table.
  case foreignCommit
  /// Another connection committed so much that the recorded history does not reach back, or what the history can't tell row by row.
  case historyGap
  /// SQLite doesn't report the table's rows: a view, a virtual table, or one that SQLite writes itself, as `sqlite_sequence`.
  case notATable
  /// Somebody set another preupdate hook through the connection's handle, past which changes can have gone.
  case hookReplaced
  /// Somebody had the connection's handle, through which a blob can be written in place, and triggers don't see that.
  case handleLent
  /// The observation began while the commit was under way.
  case observationBegan
}
