/// The schema of a to-do database.
package enum TodoSchema {
  /// The migrations in order: the name of each file in Migrations/ without .sql, and its content.
  ///
  /// They are embedded at build time, so a program needs no files beside it.
  package static var migrations: [(name: String, sql: String)] { EmbeddedMigrations.all }
}
