import CSQLite

/// How SQLite works in this process, for programs that are the only ones in theirs to use it.
package enum SQLiteSettings {
  /// Has SQLite not count its memory, which takes a lock for every piece of it. To be called before anything else is.
  package static func countNoMemory() { frc_count_no_memory() }
}
