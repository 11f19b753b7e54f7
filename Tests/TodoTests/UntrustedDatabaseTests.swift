import FixtureSupport
import Foundation
import Testing

/// Databases that look like ours and were made by somebody who means harm.
@Suite(.serialized, .timeLimit(.minutes(5))) struct UntrustedDatabaseTests {
  /// A database of ours, with what is done to it behind our back, as one file.
  private func todo(_ script: String) throws -> Todo {
    let todo = try Todo()
    try todo.ok("add", "Milk", "+Home", "@shop", "due:2031-01-02")
    let raw = try RawDatabase(path: todo.path)
    try raw.execute(script)
    try raw.execute("PRAGMA journal_mode = DELETE")
    return todo
  }

  private func bytes(_ todo: Todo) throws -> Data { try Data(contentsOf: URL(filePath: todo.path)) }

  @Test(arguments: [
    "load_extension('/tmp/x')", "fts3_tokenizer('simple', x'00')", "edit('x')", "frc_date('2031-01-01')",
  ])
  func `a trigger that calls what it must not is bad data`(call: String) throws {
    let todo = try todo("CREATE TRIGGER evil AFTER INSERT ON item BEGIN SELECT \(call); END")
    let known = !call.hasPrefix("edit")
    let message = try todo.fails(known ? 65 : 1, "add", "Bread")
    if known { #expect(message.contains("not to be trusted"), "\(message)") }
    #expect(try todo.titles() == ["Milk"])
  }

  @Test(arguments: ["item", "list", "item_tag", "change", "journal", "item_to_index"])
  func `a view in place of a table is bad data and is not read`(table: String) throws {
    let todo = try todo(
      """
      PRAGMA foreign_keys = 0; PRAGMA legacy_alter_table = 1; ALTER TABLE \(table) RENAME TO was;
      CREATE VIEW \(table) AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'x' AS title FROM n
      """)
    let before = try bytes(todo)
    for command in [
      ["list"], ["add", "x"], ["done", "1"], ["show", "1"], ["rm", "1"], ["watch"],
    ] {
      let outcome = try todo.run(command)
      let isNamed = outcome.errors.contains("another program has altered")
      #expect(outcome.code == 65 && isNamed, "\(command): \(outcome.errors)")
    }
    #expect(try bytes(todo) == before)
  }

  @Test(arguments: [
    "CREATE VIEW v AS SELECT 1", "CREATE TABLE frc_migrations(a)", "CREATE VIEW item AS SELECT 1 AS id",
    "CREATE VIEW frc_migrations AS SELECT 1 AS number, '0001_items' AS name, '' AS checksum, '' AS applied",
  ])
  func `somebody else's file is bad data and stays as it is`(script: String) throws {
    let todo = try Todo()
    #expect(FileManager.default.createFile(atPath: todo.path, contents: nil))
    try RawDatabase(path: todo.path).execute(script)
    let before = try bytes(todo)
    for command in [["list"], ["add", "x"], ["doctor"], ["export"], ["undo"]] {
      let outcome = try todo.run(command)
      #expect(
        outcome.code == 65 && outcome.errors.contains("is a database of another program"),
        "\(command): \(outcome.errors)")
    }
    #expect(try bytes(todo) == before)
  }

  @Test(arguments: ["item RENAME COLUMN notes TO remarks", "list RENAME COLUMN name TO label"])
  func `a table of another shape is bad data`(change: String) throws {
    let todo = try todo("ALTER TABLE \(change)")
    for command in [["list"], ["add", "x"], ["show", "1"], ["doctor"], ["undo"]] {
      let outcome = try todo.run(command)
      #expect(outcome.code == 65, "\(command): \(outcome.code) \(outcome.output) \(outcome.errors)")
    }
  }

  @Test func `triggers that refuse or set each other off fail with a sentence`() throws {
    for body in [
      "INSERT INTO item(list, position, title) VALUES (new.list, 1, 'more')",
      "SELECT RAISE(ROLLBACK, '\u{1B}[31mowned')", "UPDATE list SET name = ''",
    ] {
      let todo = try todo("CREATE TRIGGER evil AFTER INSERT ON item BEGIN \(body); END")
      #expect(try !todo.fails(1, "add", "Bread").contains("\u{1B}"))
      #expect(try todo.titles() == ["Milk"])
    }
  }

  @Test func `a trigger that never ends is ended by interrupting and has changed nothing`() throws {
    let todo = try todo(
      """
      CREATE TRIGGER evil AFTER INSERT ON item BEGIN
        SELECT count(*) FROM (WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n);
      END
      """)
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let id = try Program.spawn(["add", "x"], ["TODO_DB": todo.path], input: null, output: null, errors: null)
    usleep(300_000)
    // Others read meanwhile.
    #expect(try todo.titles() == ["Milk"])
    kill(id, SIGINT)
    #expect(Program.wait(id) == 130)
    #expect(try todo.titles() == ["Milk"])
  }

  @Test func `values of any kind in any column end no command by a crash`() throws {
    let columns = [
      "item": [
        "title", "tags", "due", "due_day", "created", "priority", "notes", "every", "position", "done", "extra",
      ],
      "list": ["name", "position", "extra"], "change": ["label", "made", "kind", "undoes"], "item_tag": ["tag"],
      "frc_migrations": ["name", "number", "checksum"],
    ]
    let values = [
      "x'ff00fe'", "'x'", "''", "-9223372036854775808", "1e308", "NULL", "'9999999999-99-99T99:99'", "'[{'",
    ]
    let loose = """
      PRAGMA writable_schema = 1;
      UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT', ')'), ' NOT NULL', '')
        WHERE type = 'table' AND sql NOT LIKE '%IS NOT NULL%';
      UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE type = 'table';
      """
    let rescuing = [["export"], ["export", "--format", "csv"], ["doctor"]]
    let all =
      rescuing + [
        ["list"], ["list", "--by", "due"], ["list", "--json", "--all"], ["add", "x"], ["done", "1"], ["log"], ["undo"],
        ["stats"],
      ]
    var turn = 0
    // Tables that accept anything are altered ones, which only some commands read.
    for (template, commands, isLoose) in [(try todo(""), all, false), (try todo(loose), rescuing, true)] {
      for (table, names) in columns.sorted(by: { $0.key < $1.key }) {
        for name in names {
          let todo = try Todo()
          try FileManager.default.copyItem(atPath: template.path, toPath: todo.path)
          let raw = try RawDatabase(path: todo.path)
          try raw.execute("PRAGMA ignore_check_constraints = 1; PRAGMA foreign_keys = 0")
          for trigger in try raw.strings("SELECT name FROM sqlite_schema WHERE type = 'trigger'") where isLoose {
            try raw.execute("DROP TRIGGER \(trigger[0])")
          }
          for value in values {
            // A value that even this file refuses is no danger.
            guard (try? raw.execute("UPDATE \(table) SET \(name) = \(value)")) != nil else { continue }
            let command = commands[turn % commands.count]
            let outcome = try todo.run(command)
            #expect([0, 1, 3, 4, 65].contains(outcome.code), "\(table).\(name) = \(value), \(command): \(outcome)")
            turn += 1
          }
        }
      }
    }
    #expect(turn > 60, "\(turn)")
  }
}
