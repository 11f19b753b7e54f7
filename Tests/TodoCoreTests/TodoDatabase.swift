import FixtureSupport
import TodoCore

/// A to-do database through the bare C interface, with the settings that the store gives its connections.
struct TodoDatabase {
  let raw: RawDatabase

  /// Opens a copy of a fixture.
  init(_ fixture: Fixture) throws {
    raw = try RawDatabase(path: Fixture.copy(fixture))
    try raw.execute(
      "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; PRAGMA trusted_schema = OFF; PRAGMA synchronous = OFF")
  }

  /// A new one, of the newest schema.
  init() throws {
    try self.init(.empty)
    try migrate()
  }

  /// Applies the migrations from this number on, each in one transaction.
  func migrate(from first: Int = 1) throws {
    for migration in TodoSchema.migrations.dropFirst(first - 1) {
      try raw.execute("BEGIN;" + migration.sql + ";COMMIT")
    }
    guard try raw.rows("PRAGMA foreign_key_check").isEmpty else { throw Broken() }
  }

  /// Makes a change as the program does: one transaction, one change, the search index updated.
  func change(_ label: String, _ sql: String) throws {
    try raw.execute(
      """
      BEGIN IMMEDIATE;
      INSERT INTO change(label) VALUES ('\(label)');
      \(sql);
      \(Self.end)
      """)
  }

  func undo() throws {
    try raw.execute(
      """
      BEGIN IMMEDIATE;
      INSERT INTO change(kind, undoes, label)
        SELECT 'undo', id, label FROM change WHERE kind <> 'undo' AND spent = 0 ORDER BY id DESC LIMIT 1;
      INSERT INTO taking_back(id, undoes) SELECT id, undoes FROM change WHERE open = 1;
      \(Self.end)
      """)
  }

  func redo() throws {
    try raw.execute(
      """
      BEGIN IMMEDIATE;
      INSERT INTO change(kind, undoes, label)
        SELECT 'redo', id, label FROM change WHERE kind = 'undo' AND spent = 0 ORDER BY id DESC LIMIT 1;
      INSERT INTO taking_back(id, undoes) SELECT id, undoes FROM change WHERE open = 1;
      \(Self.end)
      """)
  }

  /// What people see of the database: everything but the journal.
  func content() throws -> [[RawDatabase.Value]] {
    try raw.rows("SELECT * FROM list ORDER BY id") + raw.rows("SELECT * FROM item ORDER BY id")
      + raw.rows("SELECT item, tag FROM item_tag ORDER BY item, tag")
  }

  /// The ids of the items that hold all of these words.
  func search(_ words: String) throws -> [String] {
    try raw.strings("SELECT rowid FROM item_search('\(words)') ORDER BY rowid").map { $0[0] }
  }

  func revision() throws -> String { try raw.strings("SELECT max(id) FROM change")[0][0] }

  struct Broken: Error {}

  private static let end = """
    UPDATE change SET open = 0 WHERE open = 1;
    INSERT INTO item_search(item_search, rowid, title, notes)
      SELECT 'delete', item, title, notes FROM item_to_index WHERE indexed = 1;
    INSERT INTO item_search(rowid, title, notes)
      SELECT t.id, t.title, t.notes FROM item_to_index AS q JOIN item_text AS t ON t.id = q.item;
    DELETE FROM item_to_index;
    COMMIT;
    """
}
