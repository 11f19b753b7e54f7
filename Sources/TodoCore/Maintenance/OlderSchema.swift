import SQLiteStore

/// A database of an older version, or a new one, which is brought up to date.
struct OlderSchema {
  let store: TodoStore
  /// Whether it has no tables yet. Then it gets all of them, or none if there is no room for them.
  let isNew: Bool
  private var database: Database { store.database }

  /// Runs the migrations that are missing. If one fails because something of this version's is missing that follows
  /// from lists and items, that is made again first.
  ///
  /// - Returns: Whether the triggers that keep the journal were there before.
  func migrate() throws -> Bool {
    let keepsJournal = try keepsJournal()
    do {
      if isNew { try database.migrateAtOnce(StoreOpener.migrations()) }
      try database.migrate(StoreOpener.migrations())
    } catch let error as DatabaseError where Self.isOfMigration(error) {
      guard !isNew, try makeMissing() else { throw error }
      try database.migrate(StoreOpener.migrations())
      try store.rebuild()
    }
    return keepsJournal
  }

  /// Whether the triggers that keep the journal are there, as their version made them.
  private func keepsJournal() throws -> Bool {
    if isNew { return true }
    // In one read, because another program may bring the database up to date meanwhile.
    let (expected, present) = try database.read { (try Self.expected($0), try SchemaObjects($0)) }
    guard let expected else { return true }
    return present.differences(from: expected).allSatisfy {
      !OwnSchema.keepsJournal($0, isMissing: !present.hasNamesake(of: $0))
    }
  }

  /// The objects of a new database of that version; nil if no version is known.
  private static func expected(_ connection: Connection) throws -> SchemaObjects? {
    guard try StoreOpener.listsMigrations(connection),
      let count = try connection.value("SELECT count(*) FROM frc_migrations", as: Int.self)
    else { return nil }
    let model = try Database.inMemory()
    try model.migrate(Array(StoreOpener.migrations().prefix(count)))
    return try model.read { try SchemaObjects($0) }
  }

  /// Whether an error says that the database can't be brought up to date, and why.
  static func isOfMigration(_ error: DatabaseError) -> Bool {
    error.message.hasPrefix("migration ") && [.error, .constraint, .corrupt].contains(error.code)
  }

  /// Returns whether something was missing, and all of that could be made again.
  private func makeMissing() throws -> Bool {
    return try database.write { connection in
      guard let expected = try Self.expected(connection)?.found else { return false }
      let present = try SchemaObjects(connection).found
      var isMade = false
      for type in ["table ", "view ", "index ", "trigger "] {
        for (name, sql) in expected.sorted(by: { $0.key < $1.key }) where name.hasPrefix(type) {
          // The tables of the search index come with it, and those of the planner's statistics later.
          let isOther = name.hasPrefix("table item_search_") || name.hasPrefix("table sqlite_")
          if present[name] != nil || isOther { continue }
          if type == "table ", !OwnSchema.derivedTables.contains(String(name.dropFirst(type.count))) { return false }
          try connection.execute(SQL(raw: sql))
          isMade = true
        }
      }
      return isMade
    }
  }
}
