import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import Testing

/// Tables, indexes, triggers and columns of other programs are neither damage nor in the way; what can't be used here
/// is named.
@Suite(.timeLimit(.minutes(5))) struct ForeignObjectTests {
  @Test(arguments: [
    "CREATE TABLE ot(a, b CHECK(json_valid(b)))", "CREATE INDEX oi ON item(json_extract(extra, '$.x'))",
    "CREATE INDEX oi ON item(title) WHERE json_extract(extra, '$.x') = 1",
    "ALTER TABLE item ADD COLUMN o TEXT AS (json_extract(extra, '$.x'))",
    "CREATE TRIGGER otr AFTER INSERT ON item BEGIN SELECT json_array(new.title); END",
    "CREATE VIEW ov AS SELECT json_extract(extra, '$.x') FROM item",
    """
    CREATE VIRTUAL TABLE ofts USING fts5(words);
    CREATE TRIGGER otr AFTER INSERT ON item BEGIN INSERT INTO ofts VALUES (new.title); END
    """,
  ])
  func `objects of other programs that use SQLite's own functions and tables are in no command's way`(
    script: String
  ) throws {
    let todo = try Todo()
    try todo.ok("add", "one")
    try todo.ok("backup", "before.db")
    try RawDatabase(path: todo.path).execute(script)
    try todo.ok("add", "newest")
    #expect(try todo.titles() == ["one", "newest"])
    try todo.ok("search", "newest")
    try todo.ok("export")
    #expect(try todo.run(["doctor"]).output.contains("file: well"))
    try todo.ok("backup", "after.db")
    // No file is set aside.
    try todo.ok("restore", "before.db")
    #expect(try todo.titles() == ["one"])
    try todo.ok("undo")
    try todo.ok("restore", "after.db")
    #expect(try todo.titles() == ["one", "newest"])
    let files = try FileManager.default.contentsOfDirectory(atPath: todo.folder)
    #expect(!files.contains { $0.contains(".damaged") }, "\(files)")
  }

  /// A connection of another program, which has a function and a collation of its own.
  private func other(_ path: String) throws -> RawDatabase {
    let raw = try RawDatabase(path: path)
    sqlite3_create_function(
      raw.handle, "theirs", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, values in sqlite3_result_value(context, values?[0]) }, nil, nil)
    sqlite3_create_collation(raw.handle, "THEIRS", SQLITE_UTF8, nil) { _, _, _, _, _ in 0 }
    return raw
  }

  @Test(arguments: [
    ("CREATE INDEX oi ON item(theirs(title))", "index oi"),
    ("CREATE INDEX oi ON item(title) WHERE theirs(title) = 'a'", "index oi"),
    ("CREATE INDEX oi ON item(title COLLATE THEIRS)", "index oi"),
    ("CREATE TRIGGER otr AFTER INSERT ON item BEGIN SELECT theirs(new.title); END", "trigger otr"),
    ("ALTER TABLE item ADD COLUMN o TEXT AS (theirs(title)) CHECK (o <> 'x')", "table item"),
  ])
  func `what only another program can use is named, and everything can be read`(script: String, name: String) throws {
    let todo = try Todo()
    try todo.ok("add", "one")
    try todo.ok("backup", "before.db")
    try other(todo.path).execute(script)
    #expect(try todo.titles() == ["one"])
    #expect(try todo.run(["export"]).output.contains("one"))
    let refused = try todo.fails(1, "add", "newest")
    #expect(
      refused.contains(name) && refused.lowercased().contains("theirs") && refused.contains("drop it"), "\(refused)")
    // Doctor checks the rest, and a trigger is found when something is written.
    let doctor = try todo.run(["doctor"])
    #expect(doctor.code == 65 && doctor.output.contains("search: well") && doctor.output.contains(name), "\(doctor)")
    for command in [["undo"], ["restore", "before.db"]] {
      let outcome = try todo.run(command)
      #expect(outcome.code == 0 || outcome.errors.contains(name), "\(command): \(outcome)")
      #expect(!outcome.errors.contains("--skip"), "\(outcome)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: todo.folder)
    #expect(!files.contains { $0.contains(".damaged") }, "\(files)")
  }

  @Test func `an object that can't be read at all is named, and no damage`() throws {
    let todo = try Todo()
    try todo.ok("add", "one")
    try todo.ok("backup", "before.db")
    try todo.ok("add", "newest")
    let raw = try RawDatabase(path: todo.path)
    try raw.execute("CREATE TABLE ot(a); PRAGMA writable_schema = 1")
    try raw.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE ot(((' WHERE name = 'ot'")
    for command in [["list"], ["add", "x"], ["doctor"], ["export"], ["restore", "before.db"]] {
      let outcome = try todo.run(command)
      #expect(outcome.code == 65, "\(outcome)")
      let said = outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(said.contains("the object ot of another program") && said.contains("drop it"), "\(said)")
    }
    try raw.execute("DELETE FROM sqlite_schema WHERE name = 'ot'")
    #expect(try todo.titles() == ["one", "newest"])
  }

  @Test func `a trigger or a foreign key of another program that refuses is named`() throws {
    let todo = try Todo()
    try todo.ok("add", "one")
    try todo.ok("backup", "before.db")
    try todo.ok("add", "two")
    let raw = try RawDatabase(path: todo.path)
    try raw.execute("CREATE TABLE ot(i REFERENCES item(id) ON DELETE RESTRICT); INSERT INTO ot VALUES (2)")
    for command in [["rm", "2"], ["restore", "before.db"]] {
      let outcome = try todo.run(command)
      #expect(outcome.code == 1 && outcome.errors.contains("forbid that (ot)"), "\(command): \(outcome)")
    }
    try raw.execute("DROP TABLE ot; CREATE TRIGGER otr BEFORE DELETE ON item BEGIN SELECT RAISE(ABORT, 'not now'); END")
    for command in [["rm", "2"], ["restore", "before.db"], ["undo"]] {
      let outcome = try todo.run(command)
      #expect(outcome.code != 0 && outcome.errors.contains("not now"), "\(command): \(outcome)")
      #expect(command == ["undo"] || outcome.errors.contains("(otr)"), "\(command): \(outcome)")
    }
    #expect(try todo.titles() == ["one", "two"])
  }
}
