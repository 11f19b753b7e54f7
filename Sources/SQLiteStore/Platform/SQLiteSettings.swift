import CFetchedResultsSQLite

/// Settings of SQLite for the whole process, for programs in which nothing else uses it.
package enum SQLiteSettings {
  /// Stops SQLite from counting its memory, which takes a lock for every allocation. Call it before anything else.
  package static func countNoMemory() { frc_count_no_memory() }
}
