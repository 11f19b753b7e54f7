/// Why a commit reports everything instead of keys.
///
/// ```swift
/// let isForeign = DirtyKeys.everything(.foreignCommit) == .everything(EverythingReason.foreignCommit)
/// ```
public enum EverythingReason: String, Hashable, Sendable {
  /// Tables, indices or other parts of the schema were created, changed or dropped, perhaps by VACUUM.
  case schemaChanged
  /// More rows changed than `Options.captureLimit`, or commits with many rows were merged for a slow observer.
  case overflow
  /// Another connection committed, and no history is recorded for the table.
  case foreignCommit
  /// Another connection committed so much that the recorded history does not reach back, or made a change that the
  /// history can't record row by row.
  case historyGap
  /// SQLite doesn't report the table's rows: a view, a virtual table, or one that SQLite writes itself, such as
  /// `sqlite_sequence`.
  case notATable
  /// Another preupdate hook was set through the connection's handle, so changes may have been missed.
  case hookReplaced
  /// The connection's handle was lent. A blob can be written in place through it, which triggers don't see.
  case handleLent
  /// The observation began during the commit.
  case observationBegan
}
