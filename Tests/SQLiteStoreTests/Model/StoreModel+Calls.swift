import FixtureSupport
import Foundation
import SQLiteStore

// The calls on a database.
extension StoreModel {
  func makeCall() throws {
    switch dice.below(40) {
    case 0...17: try write(dice.steps())
    case 18...22: try read(dice.steps())
    case 23...25: for _ in 0...dice.below(3) { try addFunction() }
    case 26...28: try migrate()
    case 29: try migrateChangedPast()
    case 30...31: try isAttached && dice.once(in: 3) ? detach() : attach()
    case 32...33 where isFile: try writeElsewhere()
    case 34...35: try backUp()
    case 36 where isFile: try restore()
    case 37 where isFile:
      note("reopen")
      try reopen { options in
        options.journal = dice.pick([.wal, .delete])
        options.capture = dice.pick([.automatic, .triggers])
      }
    case 38:
      note("observe or stop")
      if observation == nil { observe() } else { observation = nil }
    case 39: try maintain()
    default: try write(dice.steps())
    }
  }

  private func addFunction() throws {
    let name = dice.pick(["f", "F", "g", "upper"])
    let arguments = dice.pick([nil, nil, 1, 1, 2])
    let isDeterministic = dice.once(in: 2)
    let number = Int64(count + 1)
    note("function \(name) \(arguments.map(String.init) ?? "any"), deterministic \(isDeterministic)")
    let add = { (database: Database) in
      try database.addFunction(name, arguments: arguments, isDeterministic: isDeterministic) {
        .integer(number * 10 + Int64($0.count))
      }
    }
    functions.append(add)
    try add(database)
    plain.addFunction(name, Int32(arguments ?? -1), isDeterministic: isDeterministic, number)
    let calls = ["", "1", "1, 2"].map { ModelStep.caught([.query("SELECT \(name)(\($0))", [])]) }
    try read(calls)
    try write(calls)
  }

  private func attach() throws {
    note("attach")
    let wasAttached = isAttached
    try compare(
      { _ in try self.database.attach(self.scratch.path("other.db"), as: "o") },
      { _ in
        if wasAttached { throw ModelFailure.misuse("it is attached already") }
        try self.plain.attach()
      })
    isAttached = true
    if !wasAttached {
      try database.write { try $0.executeScript(ModelSchema.attached) }
      try plain.execute(ModelSchema.attached)
    }
  }

  private func detach() throws {
    note("detach")
    try database.detach("o")
    try plain.detach()
    isAttached = false
  }

  /// Another connection writes, which does not enforce foreign keys: it leaves references that lead nowhere.
  private func writeElsewhere() throws {
    let step = dice.pick([
      "INSERT INTO child(item) VALUES (\(100 + dice.below(4)))", "DELETE FROM item WHERE id < 4",
      "INSERT INTO child(held) VALUES ('gone')", "CREATE TABLE IF NOT EXISTS main.extra(n, m DEFAULT 7)",
      "DROP TABLE IF EXISTS main.extra", "REPLACE INTO item(id, title) VALUES (1, 'other')",
    ])
    note("elsewhere \(step)")
    let raw = try RawDatabase(path: scratch.path())
    // As the store and the model have it, for the triggers of what REPLACE removes.
    try raw.execute("PRAGMA recursive_triggers = 1")
    try compare(
      { _ in
        do { try raw.execute(step) } catch let failure as RawDatabase.Failure {
          throw ModelFailure(code: failure.code, message: failure.description)
        }
      },
      { _ in
        try self.plain.execute("PRAGMA foreign_keys = 0")
        defer { try? self.plain.execute("PRAGMA foreign_keys = 1") }
        try self.plain.execute(step)
      })
  }

  private func maintain() throws {
    note("maintain")
    switch dice.below(3) {
    case 0: try database.checkpoint()
    case 1: try database.vacuum()
    default: try compareFile()
    }
  }

  // MARK: Migrations

  private func migrate() throws {
    migrationCount += 1
    let name = "\(migrationCount)"
    let extra = "extra\(migrationCount)"
    let sql = dice.pick([
      "CREATE TABLE \(extra)(n); INSERT INTO \(extra) VALUES (1)",
      "INSERT INTO child(item) VALUES (1)", "INSERT INTO child(item) VALUES (\(100 + dice.below(4)))",
      "INSERT INTO child(held) VALUES ('gone')", "DELETE FROM item WHERE id = \(1 + dice.below(8))",
      "CREATE TABLE \(extra)(n); INSERT INTO nothing VALUES (1)", "DELETE FROM child WHERE item > 99",
      "UPDATE child SET id = id + 1000", "INSERT INTO o.part(box) VALUES (77)", "DELETE FROM o.box",
      """
      CREATE TABLE made(id INTEGER PRIMARY KEY AUTOINCREMENT, item REFERENCES item(id) ON DELETE CASCADE,
        later REFERENCES item(id) DEFERRABLE INITIALLY DEFERRED, held REFERENCES word(id));
      INSERT INTO made(item, later, held) SELECT item, later, held FROM child ORDER BY id DESC;
      DROP TABLE child; ALTER TABLE made RENAME TO child
      """,
    ])
    let steps = dice.once(in: 2) ? dice.steps() : nil
    note("migrate \(name) \(steps.map { "\($0)" } ?? sql)")
    let ours = Box<[ModelOutcome]>([])
    let migration: Migration
    if let steps {
      migration = Migration(name) { c in
        var outcomes: [ModelOutcome] = []
        defer { ours.change { $0 += outcomes } }
        try StoreSide(connection: c).perform(steps, &outcomes)
      }
    } else {
      migration = Migration(name, sql: sql)
    }
    let succeeded = try compare(
      { outcomes in
        defer { outcomes += ours.value }
        do { try self.database.migrate(self.migrations + [migration]) } catch let error as DatabaseError {
          try self.expect(error.message.contains("migration \(name) failed and was undone"), "\(error)")
          throw error
        }
      },
      { outcomes in
        try self.plain.migrate {
          if let steps { try self.plain.perform(steps, &outcomes) } else { try self.plain.execute(sql) }
        }
      })
    if succeeded { migrations.append(migration) }
  }

  private func migrateChangedPast() throws {
    guard !migrations.isEmpty else { return }
    note("migrate with a changed past")
    var changed = migrations
    changed[dice.below(changed.count)] = Migration("other", sql: "SELECT 1")
    try compare(
      { _ in try self.database.migrate(changed + [Migration("new", sql: "CREATE TABLE past(x)")]) },
      { _ in throw ModelFailure(code: ResultCode.schema.rawValue, message: "where the program has other") })
  }
}
