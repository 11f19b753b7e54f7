import SQLiteStore
import Testing

/// What the schema says, as values.
@Suite struct SchemaTests {
  let scratch: Scratch
  let database: Database

  init() throws {
    scratch = try Scratch(inMemory: true)
    database = try scratch.database()
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE list(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'new' UNIQUE);
        CREATE TABLE "Item of a list"(
          day TEXT, list INTEGER REFERENCES list ON DELETE CASCADE ON UPDATE SET NULL, weight, twice AS (weight * 2),
          thrice AS (weight * 3) STORED, up_day TEXT, up_list INTEGER,
          PRIMARY KEY (list, day), FOREIGN KEY (up_list, up_day) REFERENCES "Item of a list"(list, day));
        CREATE UNIQUE INDEX heavy ON "Item of a list"(weight, lower(day)) WHERE weight > 5;
        CREATE VIEW names AS SELECT name FROM list;
        """)
    }
  }

  @Test func `tables are listed, also virtual ones, and nothing of SQLite's or the library's`() throws {
    try database.recordHistory(of: ["list"])
    try database.write { c in
      try c.execute("CREATE VIRTUAL TABLE list_search USING fts5(name)")
      try c.execute("CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT)")
    }
    try database.read { (c: Connection) throws in
      #expect(try c.tables() == ["Item of a list", "counted", "list", "list_search"])
      #expect(try ["LIST", "names", "items"].map(c.tableExists) == [true, true, false])
      #expect(try c.columns(of: "list_search").map(\.name) == ["name"])
    }
  }

  @Test func `columns say what is declared`() throws {
    try database.read { c in
      let list = try c.columns(of: "List")
      #expect(list.map(\.name) == ["id", "name"] && list.map(\.declaredType) == ["INTEGER", "TEXT"])
      #expect(list.map(\.isNotNull) == [false, true] && list.map(\.defaultValue) == [nil, "'new'"])
      #expect(list.map(\.primaryKeyPlace) == [0, nil])
      let items = try c.columns(of: "Item of a list")
      #expect(items.prefix(5).map(\.name) == ["day", "list", "weight", "twice", "thrice"])
      #expect(items.prefix(5).map(\.primaryKeyPlace) == [1, 0, nil, nil, nil])
      #expect(items.prefix(5).map(\.isGenerated) == [false, false, false, true, true])
      #expect(items[2].declaredType == "")
      #expect(try c.columns(of: "names").map(\.name) == ["name"])
    }
  }

  @Test func `indexes and foreign keys name their columns in order`() throws {
    try database.read { c in
      let indexes = try c.indexes(of: "Item of a list")
      #expect(indexes.map(\.name) == ["heavy", "sqlite_autoindex_Item of a list_1"])
      #expect(indexes.map(\.columns) == [["weight", nil], ["list", "day"]])
      #expect(indexes.map(\.isUnique) == [true, true] && indexes.map(\.isPartial) == [true, false])
      let keys = try c.foreignKeys(of: "Item of a list")
      #expect(keys.map(\.columns) == [["list"], ["up_list", "up_day"]])
      #expect(keys.map(\.target) == ["list", "Item of a list"])
      #expect(keys.map(\.targetColumns) == [[], ["list", "day"]])
      #expect(keys.map(\.onDelete) == ["CASCADE", "NO ACTION"] && keys.map(\.onUpdate) == ["SET NULL", "NO ACTION"])
      #expect(try c.foreignKeys(of: "list") == [])
      #expect(try c.indexes(of: "names") == [])
    }
  }

  @Test func `a table that does not exist is named in the error`() throws {
    let calls: [(Connection) throws -> Void] = [
      { _ = try $0.columns(of: "lost") }, { _ = try $0.indexes(of: "lost") }, { _ = try $0.foreignKeys(of: "lost") },
    ]
    for call in calls {
      let error = try databaseError { try database.read { try call($0) } }
      #expect(error.code == .misuse && error.message.contains("there is no table lost"), "\(error)")
    }
  }

  @Test func `a table of an attached file is named after the file`() throws {
    let other = try scratch.database("other.db")
    try other.write { try $0.executeScript("CREATE TABLE list(a); CREATE TABLE far(b REFERENCES list)") }
    try database.attach(scratch.path("other.db"), as: "other")
    try database.read { (c: Connection) throws in
      #expect(try c.columns(of: "other.list").map(\.name) == ["a"])
      #expect(try c.columns(of: "list").map(\.name) == ["id", "name"])
      #expect(try ["other.far", "main.far"].map(c.tableExists) == [true, false])
      #expect(try c.foreignKeys(of: "other.far").map(\.target) == ["list"])
    }
  }
}
