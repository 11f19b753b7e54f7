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
  /// ```swift
  /// try database.migrate([
  ///   Migration("0001_note", sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL)"),
  ///   Migration("0002_color", sql: "ALTER TABLE note ADD COLUMN color TEXT"),
  /// ])
  /// ```
  ///
  /// Each runs in one transaction that also records it (in `frc_migrations`), and fails if it leaves more references to
  /// missing rows than there were; `integrityCheck(quick:)` lists those. If a
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
  ///
  /// ```swift
  /// let migrations = [Migration("0001_note", sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")]
  /// try database.migrateAtOnce(migrations)
  /// ```
  public func migrateAtOnce(_ migrations: [Migration]) throws {
    try migrate(migrations, asOne: true, Connection.uncancellable)
  }

  /// The same without blocking the calling task. When the task is cancelled, the running migration is rolled back.
  ///
  /// ```swift
  /// let migrations = [Migration("0001_note", sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")]
  /// try await database.migrate(migrations)
  /// ```
  public func migrate(_ migrations: [Migration]) async throws {
    try await onWriteQueue { try self.migrate(migrations, asOne: false, $0, $1) }
  }

  /// Returns the migrations that `migrate` would apply: a dry run, which writes nothing and throws if `migrate` would
  /// refuse.
  ///
  /// ```swift
  /// let migrations = [Migration("0001_note", sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")]
  /// for missing in try database.pendingMigrations(migrations) { print("would apply \(missing.name)") }
  /// ```
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
    if pending > 0 { try apply(migrations, pending, asOne: asOne, access, since) }
    try recordHistoryIfWanted()
  }

  private func apply(
    _ migrations: [Migration], _ pending: Int, asOne: Bool, _ access: Connection.Access, _ since: UInt64?
  ) throws {
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
      var broken: [String]?
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
            try Self.apply(applied + 1, of: migrations, on: writer, &broken)
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

  /// - Parameter broken: The references to missing rows that the previous migration has left, so that they are not
  ///   searched again.
  private static func apply(
    _ number: Int, of migrations: [Migration], on connection: Connection, _ broken: inout [String]?
  ) throws {
    let migration = migrations[number - 1]
    do {
      let before = try broken ?? connection.brokenReferences()
      // If this one fails, others may write before the next one begins.
      broken = nil
      try connection.run("CREATE TABLE IF NOT EXISTS main.\(recordTable)(\(recordColumns)) STRICT")
      try migration.body(connection)
      try connection.checkUsable()
      broken = try check(connection, before)
      try connection.runInternal(
        "INSERT INTO main.\(recordTable)(number, name, checksum, applied) VALUES (?1, ?2, ?3, ?4)",
        [.integer(Int64(number)), .text(migration.name), .text(migration.checksum), Date().databaseValue])
    } catch var error as DatabaseError {
      // SQLite checks views and triggers when a table gets the name of one that was dropped.
      for kind in ["view", "trigger"] where error.message.hasPrefix("error in \(kind) ") {
        error.message += "; drop the \(kind) first, and create it again at the end of this step"
      }
      error.message = "migration \(migration.name) failed and was undone: \(error.message)"
      throw error
    }
  }

  /// Refuses more references to missing rows than there were before. Returns the current ones.
  private static func check(_ connection: Connection, _ before: [String]) throws -> [String] {
    let now = try connection.brokenReferences()
    if now.count <= before.count { return now }
    let known = Set(before)
    throw DatabaseError(code: .constraintForeignKey, message: now.first { !known.contains($0) } ?? now[0])
  }

  private static let recordTable = "frc_migrations"
  private static let recordColumns =
    "number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied TEXT NOT NULL"

  /// How many of the migrations have been applied; throws if others have been.
  private static func appliedCount(of migrations: [Migration], on connection: Connection) throws -> Int {
    let isRecorded = try connection.internalInteger(
      "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = '\(recordTable)')")
    if isRecorded == 0 { return 0 }
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
