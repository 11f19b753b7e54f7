/// The schema of a to-do database.
package enum TodoSchema {
  /// The migrations in order: each file of Migrations/ by its name without .sql, and what it holds.
  ///
  /// They are embedded at build time, so a program needs no files beside it.
  package static var migrations: [(name: String, sql: String)] { EmbeddedMigrations.all }
}
