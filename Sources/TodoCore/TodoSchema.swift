/// The schema of a to-do database.
package enum TodoSchema {
  /// The migrations in order: the name of each file in Migrations/ without .sql, and its content.
  ///
  /// They are embedded at build time, so a program needs no files beside it.
  package static var migrations: [(name: String, sql: String)] { EmbeddedMigrations.all }

  /// The first migration of the development versions before 0.9.0, whose migrations were others.
  static let firstBeforeRelease = "0001_lists_and_items"
}
