import Foundation
import SQLiteStore
import Testing

/// Writes of entities to tables in which an id is not the row id, is not unique, or is that of a view.
@Suite struct EntityTableTests {
  struct Numbered: MappedEntity, Equatable {
    static let table = "t"
    static let mapping = Mapping(Numbered.init, ("id", \.id), ("title", \.title))
    var id: Int64?
    var title: String
  }

  struct Small: MappedEntity, Equatable {
    static let table = "t"
    static let mapping = Mapping(Small.init, ("id", \.id), ("title", \.title))
    var id: UInt8?
    var title: String
  }

  struct Computed: MappedEntity, Equatable {
    static let table = "t"
    static let mapping = Mapping(Computed.init, ("id", \.id), ("title", \.title), ("up", \.up))
    var id: Int64?
    var title: String
    var up: String?
  }

  private func titles(_ c: Connection) throws -> [String] {
    try c.values("SELECT title FROM t ORDER BY rowid", as: String.self)
  }

  @Test func `an update or deletion that would affect several rows is refused before it changes any`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER, title TEXT)")
      try c.execute("INSERT INTO t VALUES (1, 'a'), (1, 'b'), (2, 'c')")
      let one = Numbered(id: 1, title: "x")
      for use in [{ try c.update(one) }, { try c.delete(one) }, { _ = try c.entity(Numbered.self, id: 1) }]
        as [() throws -> Void]
      {
        #expect(try databaseError { try use() }.message.contains("more than once"))
      }
      #expect(try titles(c) == ["a", "b", "c"])
      try c.update(Numbered(id: 2, title: "d"))
      #expect(try c.delete(Numbered.self, id: 2))
      let missing = try c.delete(Numbered.self, id: 2)
      #expect(!missing)
    }
  }

  @Test func `an insertion whose generated id doesn't fit its type stores nothing`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT)")
      #expect(try c.insert(Small(id: nil, title: "a")) == 1)
      try c.execute("INSERT INTO t VALUES (255, 'b')")
      #expect(try databaseError { try c.insert(Small(id: nil, title: "c")) }.message.contains("256"))
      #expect(throws: DatabaseError.self) { try c.inserted(Small(id: nil, title: "d")) }
      #expect(try titles(c) == ["a", "b"])
    }
  }

  @Test(arguments: ["INT PRIMARY KEY", "INTEGER PRIMARY KEY DESC", "INTEGER", "TEXT PRIMARY KEY DEFAULT 'x'"])
  func `an id that nothing generates is an error before the insertion`(_ declaration: String) throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id \(raw: declaration), title TEXT)")
      for use in [{ _ = try c.insert($0) }, { _ = try c.inserted($0) }, c.upsert] as [(Numbered) throws -> Void] {
        let error = try databaseError { try use(Numbered(id: nil, title: "a")) }
        #expect(error.message.contains("INTEGER PRIMARY KEY") && error.columns == ["t.id"], "\(error)")
      }
      #expect(try titles(c).isEmpty)
    }
  }

  @Test(arguments: ["up TEXT AS (upper(title))", "up TEXT AS (upper(title)) STORED"], [true, false])
  func `columns that SQLite computes are left out of writes`(_ column: String, _ isLast: Bool) throws {
    try Database.inMemory().write { c in
      let columns =
        isLast ? "id INTEGER PRIMARY KEY, title TEXT, \(column)" : "\(column), id INTEGER PRIMARY KEY, title TEXT"
      try c.execute("CREATE TABLE t(\(raw: columns))")
      #expect(try c.insert(Computed(id: nil, title: "a", up: nil)) == 1)
      try c.insert(Computed(id: 2, title: "b", up: "old"))
      try c.update(Computed(id: 1, title: "c", up: nil))
      try c.upsert(Computed(id: 2, title: "d", up: nil))
      #expect(try c.inserted(Computed(id: nil, title: "e", up: nil)) == Computed(id: 3, title: "e", up: "E"))
      #expect(try c.all(Computed.self).map(\.up) == ["C", "D", "E"])
    }
  }

  @Test func `a schema that another connection has changed is noticed by the next write`() throws {
    let scratch = try Scratch()
    let (one, other) = (try scratch.database(), try scratch.database())
    try one.write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT)")
      try c.insert(Numbered(id: 1, title: "2024"))
    }
    try other.write { try $0.executeScript("DROP TABLE t; CREATE TABLE t(id INT PRIMARY KEY, title DATE)") }
    #expect(throws: DatabaseError.self) { try one.write { try $0.insert(Numbered(id: 1, title: "2024")) } }
    #expect(throws: DatabaseError.self) { try one.write { try $0.insert(Numbered(id: nil, title: "a")) } }
    #expect(try one.read { try $0.count(Numbered.self) } == 0)
  }

  @Test(arguments: [
    "id INTEGER PRIMARY KEY ON CONFLICT IGNORE, title TEXT",
    "id INTEGER PRIMARY KEY, title TEXT UNIQUE ON CONFLICT IGNORE",
    "id INTEGER PRIMARY KEY, title TEXT NOT NULL ON CONFLICT IGNORE CHECK (title <> 'b')", "a trigger",
  ])
  func `a write that stores nothing is an error`(declaration: String) throws {
    try Database.inMemory().write { c in
      let isTrigger = declaration == "a trigger"
      try c.execute("CREATE TABLE t(\(raw: isTrigger ? "id INTEGER PRIMARY KEY, title TEXT" : declaration))")
      if isTrigger {
        try c.execute("CREATE TRIGGER r BEFORE INSERT ON t WHEN new.title = 'a' BEGIN SELECT RAISE(IGNORE); END")
        try c.execute("INSERT INTO t VALUES (1, 'b')")
      } else {
        try c.insert(Numbered(id: 1, title: "a"))
      }
      let again = Numbered(
        id: declaration.contains("UNIQUE") || isTrigger ? 2 : 1, title: declaration.contains("NOT NULL") ? "b" : "a")
      var uses: [() throws -> Void] = [{ try c.insert(again) }, { _ = try c.inserted(again) }]
      if declaration.contains("UNIQUE") || isTrigger { uses.append { try c.upsert(again) } }
      for use in uses {
        let error = try databaseError(use)
        if declaration.contains("NOT NULL") { continue }  // its CHECK refuses the row
        #expect(error.code == .misuse && error.message.contains("ON CONFLICT clause ignore it?"), "\(error)")
      }
      #expect(try c.value("SELECT count(*) FROM t", as: Int.self) == 1)
    }
  }

  @Test func `a row that is inserted into a full-text table has its row id`() throws {
    struct Text: MappedEntity {
      static let table = "t"
      static let mapping = Mapping(Text.init, ("rowid", \.id), ("title", \.title))
      static let idColumn = "rowid"
      var id: Int64?
      var title: String
    }
    try Database.inMemory().write { c in
      try c.execute("CREATE VIRTUAL TABLE t USING fts5(title)")
      #expect(try c.insert(Text(id: nil, title: "a")) == 1)
      let stored = try c.inserted(Text(id: nil, title: "b"))
      #expect(stored.id == 2 && stored.title == "b")
      try c.update(Text(id: stored.id, title: "c"))
      #expect(try c.all(Text.self).map(\.title) == ["a", "c"])
    }
  }

  @Test func `an upsert without a unique id says what to declare`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER, title TEXT)")
      let error = try databaseError { try c.upsert(Numbered(id: 1, title: "a")) }
      #expect(error.message.contains("declare it UNIQUE or PRIMARY KEY"), "\(error)")
    }
  }

  @Test(arguments: ["", "TEMP "]) func `inserted returns the row as triggers have left it`(kind: String) throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT)")
      #expect(try c.inserted(Numbered(id: nil, title: "a")).title == "a")
      try c.executeScript(
        """
        CREATE \(kind)TRIGGER r AFTER INSERT ON t WHEN new.title <> 'gone' BEGIN
          UPDATE t SET title = title || '!' WHERE id = new.id;
        END;
        CREATE \(kind)TRIGGER s AFTER INSERT ON t WHEN new.title = 'gone' BEGIN DELETE FROM t WHERE id = new.id; END;
        """)
      #expect(try c.inserted(Numbered(id: nil, title: "b")) == Numbered(id: 2, title: "b!"))
      #expect(try databaseError { _ = try c.inserted(Numbered(id: nil, title: "gone")) }.code == .misuse)
      #expect(try titles(c) == ["a", "b!"])
    }
  }

  struct Named: MappedEntity {
    static let table = "t"
    static let mapping = Mapping(Named.init, ("id", \.id), ("title", \.title))
    var id: String
    var title: String
  }

  @Test(arguments: ["", " STORED"]) func `the id of an inserted entity is the one that SQLite computes`(kind: String)
    throws
  {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(title TEXT, id TEXT AS (upper(title))\(raw: kind))")
      #expect(try c.insert(Named(id: "other", title: "a")) == "A")
      #expect(try c.inserted(Named(id: "other", title: "b")).id == "B")
      #expect(try c.all(Named.self).map(\.id) == ["A", "B"])
    }
  }

  struct Rowed: MappedEntity, Equatable {
    static let table = "t"
    static let mapping = Mapping(Rowed.init, ("rowid", \.id), ("title", \.title))
    static let idColumn = "rowid"
    var id: Int64?
    var title: String
  }

  struct OtherRowed: MappedEntity, Equatable {
    static let table = "t"
    static let mapping = Mapping(OtherRowed.init, ("_rowid_", \.id), ("title", \.title))
    static let idColumn = "_rowid_"
    var id: Int64?
    var title: String
  }

  @Test(arguments: ["title TEXT", "title TEXT, nr INTEGER PRIMARY KEY"])
  func `an entity whose id is the row id is written and read`(columns: String) throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(\(raw: columns))")
      #expect(try c.insert(Rowed(id: nil, title: "a")) == 1)
      #expect(try c.inserted(Rowed(id: 7, title: "b")) == Rowed(id: 7, title: "b"))
      #expect(try c.entity(Rowed.self, id: 7)?.title == "b")
      try c.update(Rowed(id: 7, title: "c"))
      #expect(try c.all(Rowed.self) == [Rowed(id: 1, title: "a"), Rowed(id: 7, title: "c")])
      #expect(try c.delete(Rowed(id: 1, title: "a")))
      #expect(try c.inserted(OtherRowed(id: nil, title: "d")) == OtherRowed(id: 8, title: "d"))
      #expect(try c.entity(OtherRowed.self, id: 8)?.title == "d")
    }
  }
}
