import SQLiteStore

/// A database of an older version, which is brought up to date.
struct OlderSchema {
  let store: TodoStore
  private var database: Database { store.database }

  /// Runs the migrations that are missing. If one fails because something of this version's is missing that follows
  /// from lists and items, that is made again first.
  func migrate() throws {
    do {
      try database.migrate(StoreOpener.migrations())
    } catch let error as DatabaseError where Self.isOfMigration(error) {
      guard try makeMissing() else { throw error }
      try database.migrate(StoreOpener.migrations())
      try store.rebuild()
    }
  }

  /// Whether an error says that the database can't be brought up to date, and why.
  static func isOfMigration(_ error: DatabaseError) -> Bool {
    error.message.hasPrefix("migration ") && [.error, .constraint, .corrupt].contains(error.code)
  }

  /// Returns whether something was missing, and all of that could be made again.
  private func makeMissing() throws -> Bool {
    let count = try database.read { try $0.value("SELECT count(*) FROM frc_migrations", as: Int.self) ?? 0 }
    let model = try Database.inMemory()
    try model.migrate(Array(StoreOpener.migrations().prefix(count)))
    let expected = try model.read { try SchemaObjects($0) }.found
    return try database.write { connection in
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
