import CFetchedResultsSQLite
import FetchedResultsSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Database {
  /// Brings the schema up to date: applies, in order, the migrations that the database does not have yet.
  ///
  /// Each runs in one transaction that also records it (in `frc_migrations`), and fails if it creates a reference to a
  /// missing row. Earlier references to missing rows don't prevent it; ``integrityCheck(quick:)`` lists them. If a
  /// migration fails, it leaves nothing behind, and those before it stay. Foreign keys are not enforced while one runs,
  /// so that tables can be rebuilt.
  ///
  /// The applied migrations must be the first ones of the list, unchanged and in order. Otherwise the database is left
  /// as it is, and a `DatabaseError` with the code `.schema` names the migration that differs. The same happens if the
  /// database has more migrations than the list.
  public func migrate(_ migrations: [Migration]) throws {
    try migrate(migrations, asOne: false, Connection.uncancellable)
  }

  /// Applies the missing migrations in one transaction: all of them, or none.
  package func migrateAtOnce(_ migrations: [Migration]) throws {
    try migrate(migrations, asOne: true, Connection.uncancellable)
  }

  /// The same without blocking the calling task. When the task is cancelled, the running migration is rolled back.
  public func migrate(_ migrations: [Migration]) async throws {
    try await onWriteQueue { try self.migrate(migrations, asOne: false, $0, $1) }
  }

  /// Returns the migrations that `migrate` would apply: a dry run, which writes nothing and throws if `migrate` would
  /// refuse.
  public func pendingMigrations(_ migrations: [Migration]) throws -> [Migration] {
    try pendingMigrations(migrations, Connection.uncancellable, nil)
  }

  private func pendingMigrations(
    _ migrations: [Migration], _ access: Connection.Access, _ since: UInt64?
  ) throws -> [Migration] {
    try Self.checkNames(migrations)
    return Array(migrations[try performRead(access, since) { try Self.appliedCount(of: migrations, on: $0) }...])
  }

  private func migrate(
    _ migrations: [Migration], asOne: Bool, _ access: Connection.Access, _ since: UInt64? = nil
  ) throws {
    let pending = try pendingMigrations(migrations, access, since).count
    if pending == 0 { return }
    if options.isReadOnly {
      throw DatabaseError(
        code: .readOnly, message: "the database needs migrations, but it was opened for reading only")
    }
    try withWriter("migrate", access, since: since) { writer in
      _ = frc_db_config(writer.handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0)
      defer { _ = frc_db_config(writer.handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1) }
      // No migration is reported before the last one has succeeded and been synced, because a sync takes longer than
      // most migrations. In the log commits keep their order: syncing one syncs all before it.
      let canWait = path != nil && options.journal == .wal && options.durability == .full
      // Set it each time, because it takes effect when a statement is compiled; and even after a cancellation.
      defer {
        if canWait { writer.asLibrary { sqlite3_exec(writer.handle, "PRAGMA synchronous = FULL", nil, nil, nil) } }
      }
      var applied = migrations.count - pending
      var violations: KeyViolations?
      repeat {
        let waits = canWait && !asOne && applied + 1 < migrations.count
        if canWait { try writer.run("PRAGMA synchronous = \(waits ? "NORMAL" : "FULL")") }
        try checkFilesOfWriter()
        writer.transactionBegins()
        try writer.runInternal("BEGIN IMMEDIATE")
        writer.transactionHasBegun()
        do {
          // Check again, now that no other process can migrate.
          applied = try Self.appliedCount(of: migrations, on: writer)
          if waits, applied + 1 == migrations.count {
            // Another process has migrated meanwhile.
            _ = writer.endTransaction(.rollback)
            continue
          }
          let last = asOne ? migrations.count : min(applied + 1, migrations.count)
          while applied < last {
            try Self.apply(applied + 1, of: migrations, on: writer, &violations)
            applied += 1
          }
          feed.commitBegins()
          defer { feed.commitEnds() }
          // As for a write: a cancellation is too late from now on.
          if access.isCancelled { throw CancellationError() }
          try checkFilesOfWriter()
          writer.shield()
          try writer.runInternal("COMMIT")
          writer.unshield()
          tracker.everythingChanged(feed, on: writer)
        } catch {
          _ = writer.endTransaction(.rollback)
          throw explained(error)
        }
        log.tidy([])
      } while applied < migrations.count
    }
  }

  /// - Parameter violations: The violations that the previous migration has left, so that they are not searched again.
  private static func apply(
    _ number: Int, of migrations: [Migration], on connection: Connection, _ violations: inout KeyViolations?
  ) throws {
    let migration = migrations[number - 1]
    do {
      let before = try violations ?? KeyViolations(on: connection)
      // If this one fails, others may write before the next one begins.
      violations = nil
      try connection.run("CREATE TABLE IF NOT EXISTS main.\(recordTable)(\(recordColumns)) STRICT")
      try migration.body(connection)
      try connection.checkUsable()
      try connection.checkChangedSchema()
      violations = try check(connection, before)
      let values: [Value] = [.integer(Int64(number)), .text(migration.name), .text(migration.checksum)]
      try connection.runInternal(
        "INSERT INTO main.\(recordTable)(number, name, checksum, applied) VALUES (?1, ?2, ?3, ?4)",
        values + [Date().databaseValue])
      // A trigger can prevent it from being recorded; then it would be applied again and again.
      let isRecorded = try connection.internalValue(
        "SELECT EXISTS (SELECT 1 FROM main.\(recordTable) WHERE number = ?1 AND name = ?2 AND checksum = ?3)", values)
      guard isRecorded == .integer(1) else {
        throw refusal("it could not be recorded in \(recordTable), perhaps because of a trigger; drop that")
      }
      guard (try? appliedCount(of: migrations, on: connection)) == number else {
        throw refusal(
          "it changed \(recordTable), which lists the migrations that have been applied; leave that as it is")
      }
    } catch var error as DatabaseError {
      // SQLite checks views and triggers when a table gets the name of one that was dropped.
      for kind in ["view", "trigger"] where error.message.hasPrefix("error in \(kind) ") {
        error.message += "; drop the \(kind) first, and create it again at the end of this step"
      }
      error.message = "migration \(migration.name) failed and was undone: \(error.message)"
      throw error
    }
  }

  /// Refuses references to missing rows that did not exist before. Returns the current ones.
  private static func check(_ connection: Connection, _ before: KeyViolations) throws -> KeyViolations {
    let now = try KeyViolations(on: connection)
    guard let new = now.first(notIn: before) else { return now }
    var message = new.description
    let old = before.count
    if old > 0 {
      message += "; it did not before, unlike \(old) other\(old == 1 ? "" : "s"), which integrityCheck() lists"
    }
    throw DatabaseError(code: .constraintForeignKey, message: message, columns: [new.table])
  }

  private static let recordTable = "frc_migrations"
  private static let recordColumns =
    "number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied TEXT NOT NULL"

  /// Whether the list of migrations exists. Another object with its name is neither read nor written.
  private static func isRecorded(on connection: Connection) throws -> Bool {
    let found = try connection.internalRows(
      "SELECT type FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE", [.text(recordTable)])
    guard let row = found.first else { return false }
    let type: String = try row[0]
    let columns = try connection.internalRows(
      "SELECT name, pk FROM pragma_table_xinfo(?1, 'main')", [.text(recordTable)])
    let shape = try columns.map { try "\($0[0] as String) \($0[1] as Int)" }
    guard type == "table", shape == ["number 1", "name 0", "checksum 0", "applied 0"] else {
      throw refusal(
        "the database has \(type == "index" ? "an" : "a") \(type) \(recordTable) that is not the list of its migrations; rename it, or use another file"
      )
    }
    return true
  }

  /// How many of the migrations have been applied; throws if others have been.
  private static func appliedCount(of migrations: [Migration], on connection: Connection) throws -> Int {
    guard try isRecorded(on: connection) else { return 0 }
    let rows = try connection.internalRows("SELECT name, checksum FROM main.\(recordTable) ORDER BY number")
    for (index, row) in rows.enumerated() {
      let name: String = try row["name"]
      guard index < migrations.count else {
        throw refusal(
          "the database is newer than this program: it has \(rows.count) migrations, the last of them "
            + "\(try rows[rows.count - 1]["name"] as String), where the program knows \(migrations.count); update the program"
        )
      }
      let expected = migrations[index]
      if !name.hasSameBytes(as: expected.name) {
        let known = migrations.contains { $0.name.hasSameBytes(as: name) }
        throw refusal(
          "migration \(index + 1) of the database is \(name), where the program has \(expected.name); "
            + (known ? "the migrations were put into another order" : "\(name) is missing from the program"))
      }
      if try row["checksum"] as String != expected.checksum {
        throw refusal(
          "migration \(name) has been changed since it was applied; undo the change and add another migration")
      }
    }
    return rows.count
  }

  private static func refusal(_ message: String) -> DatabaseError { DatabaseError(code: .schema, message: message) }

  private static func checkNames(_ migrations: [Migration]) throws {
    var names: Set<ByteString> = []
    for (index, migration) in migrations.enumerated() {
      if migration.name.isEmpty { throw DatabaseError.misuse("migration \(index + 1) has no name") }
      guard names.insert(ByteString(migration.name)).inserted else {
        throw DatabaseError.misuse("two migrations have the same name, \(migration.name)")
      }
    }
  }
}
