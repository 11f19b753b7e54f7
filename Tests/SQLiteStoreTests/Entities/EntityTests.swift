import Foundation
import SQLiteStore
import Testing

@Suite struct EntityTests {
  let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { try $0.execute(Item.schema) }
  }

  struct HandWritten: Entity, Equatable {
    static let table = "item"
    var id: Int64
    var title: String
    init(row: Row) throws {
      id = try row["id"]
      title = try row[1]
    }
  }

  struct Coded: Entity, Codable, Equatable {
    enum Kind: String, Codable { case small, large }
    struct Place: Codable, Equatable { var x: Int; var y: Int }
    static let table = "coded"
    var id: UUID
    var when: Date
    var kind: Kind
    var place: Place
    var tags: [String]
    var note: String?
    var ratio: Float
  }

  /// More columns than there are written-out initializers for, which is what the parameter pack serves.
  struct Wide: MappedEntity, Equatable {
    static let table = "wide"
    static let mapping = Mapping(
      Wide.init, ("id", \.id), ("a", \.a), ("b", \.b), ("c", \.c), ("d", \.d), ("e", \.e), ("f", \.f), ("g", \.g),
      ("h", \.h), ("i", \.i), ("j", \.j), ("k", \.k), ("l", \.l), ("m", \.m))
    var id: Int
    var a, b, c, d, e, f: Int
    var g: String?
    var h, i, j, k, l, m: Double
  }

  /// A class, and a property that is computed: neither can be read at an offset.
  final class Boxed: MappedEntity {
    static let table = "boxed"
    static let mapping = Mapping(Boxed.init, ("id", \.id), ("shout", \.shout))
    let id: String
    private let word: String
    var shout: String { word.uppercased() }
    init(id: String, word: String) {
      self.id = id
      self.word = word
    }
  }

  @Test func `a mapped entity is inserted, read, updated and deleted`() throws {
    var item = Item(id: nil, title: "milk", weight: 1.5)
    let id = try database.write { try $0.insert(item) }
    item.id = id
    #expect(try database.read { try $0.entity(Item.self, id: id) } == item)
    item.note = "two"
    item.done = true
    try database.write { [item] in try $0.update(item) }
    #expect(try database.read { try $0.all(Item.self) } == [item])
    #expect(try database.write { try $0.delete(Item.self, id: id) })
    let isThere = try database.write { [item] c in try c.delete(item) }
    #expect(!isThere)
    #expect(try database.read { try $0.count(Item.self) } == 0)
  }

  @Test func `generated ids and defaults come back`() throws {
    try database.write { c throws in
      #expect(try c.insert(Item(id: nil, title: "a")) == 1)
      #expect(try c.insert(Item(id: 7, title: "b")) == 7)
      #expect(try c.inserted(Item(id: nil, title: "c")) == Item(id: 8, title: "c"))
    }
  }

  @Test func `updating what is not there is an error and upserting is not`() throws {
    let item = Item(id: 3, title: "a")
    let error = try databaseError { try database.write { try $0.update(item) } }
    #expect(error.code == .notFound && error.message == "there is no row in item with id = 3")
    try database.write { c in
      try c.upsert(item)
      try c.upsert(Item(id: 3, title: "b"))
    }
    #expect(try database.read { try $0.all(Item.self) } == [Item(id: 3, title: "b")])
  }

  @Test func `columns are found at any position`() throws {
    try database.write { try $0.insert(Item(id: 1, title: "a", done: true, weight: 2, note: "n")) }
    let expected = [Item(id: 1, title: "a", done: true, weight: 2, note: "n")]
    for sql in [
      "SELECT * FROM item", "SELECT note, weight, 'x' AS other, done, title, id FROM item",
      "SELECT NOTE, Weight, DONE, TITLE, ID FROM (SELECT id AS ID, title AS TITLE, done AS DONE, weight, note AS NOTE FROM item)",
    ] as [SQL] {
      #expect(try database.read { try $0.entities(sql, of: Item.self) } == expected)
      #expect(try database.read { try $0.rows(sql).map { try Item(row: $0) } } == expected)
    }
    let error = try databaseError { try database.read { try $0.entities("SELECT id, title FROM item", of: Item.self) } }
    #expect(
      error.columns == ["done"] && error.message.contains("there is no column \"done\"; the columns are id, title"))
  }

  @Test func `a column that is added while a statement is kept does not shift the others`() throws {
    try database.write { c in
      try c.execute("CREATE TABLE shifting(note TEXT, weight REAL, done INTEGER, title TEXT, id INTEGER)")
      try c.execute("INSERT INTO shifting VALUES ('n', 1, 0, 't', 5)")
    }
    let expected = Item(id: 5, title: "t", weight: 1, note: "n")
    #expect(try database.read { try $0.entities("SELECT * FROM shifting", of: Item.self) } == [expected])
    try database.write { c in
      try c.execute("DROP TABLE shifting")
      try c.execute("CREATE TABLE shifting(id INTEGER, extra TEXT, title TEXT, done INTEGER, weight REAL, note TEXT)")
      try c.execute("INSERT INTO shifting VALUES (5, 'x', 't', 0, 1, 'n')")
    }
    #expect(try database.read { try $0.entities("SELECT * FROM shifting", of: Item.self) } == [expected])
  }

  @Test func `a hand written entity reads by name and position`() throws {
    try database.write { try $0.insert(Item(id: 1, title: "a")) }
    #expect(try database.read { try $0.all(HandWritten.self) }.map(\.title) == ["a"])
    var seen: [String] = []
    try database.read { c in try c.forEach("SELECT id, title FROM item", as: HandWritten.self) { seen.append($0.title) }
    }
    #expect(seen == ["a"])
  }

  @Test func `a decodable entity needs nothing more`() throws {
    let id = UUID()
    let when = Date(timeIntervalSince1970: 1_924_956_000)
    try database.write { c in
      try c.execute("CREATE TABLE coded(id, \"when\", kind, place, tags, note, ratio)")
      try c.execute("INSERT INTO coded VALUES (\(id), \(when), 'large', '{\"x\":1,\"y\":2}', '[\"a\"]', NULL, 0.5)")
    }
    let found = try database.read { try $0.entity(Coded.self, id: id) }
    #expect(found?.id == id && found?.when == when && found?.kind == .large && found?.place == .init(x: 1, y: 2))
    #expect(found?.tags == ["a"] && found?.note == nil && found?.ratio == 0.5)
    try database.write { try $0.execute("UPDATE coded SET kind = 'medium'") }
    let error = try databaseError { try database.read { try $0.all(Coded.self) } }
    #expect(error.columns == ["kind"] && error.message.contains("'medium'"))
  }

  @Test func `fourteen columns are mapped too`() throws {
    let wide = Wide(id: 1, a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: "g", h: 8, i: 9, j: 10, k: 11, l: 12, m: 13)
    try database.write { c in
      try c.execute("CREATE TABLE wide(id INTEGER PRIMARY KEY, a, b, c, d, e, f, g, h, i, j, k, l, m)")
      try c.insert(wide)
    }
    #expect(try database.read { try $0.all(Wide.self) } == [wide])
  }

  @Test func `classes and computed properties are mapped too`() throws {
    try database.write { c in
      try c.execute("CREATE TABLE boxed(id TEXT PRIMARY KEY, shout TEXT)")
      #expect(try c.insert(Boxed(id: "x", word: "hey")) == "x")
    }
    #expect(try database.read { try $0.entity(Boxed.self, id: "x") }?.shout == "HEY")
  }

  @Test func `a mapping names the column of a key path`() {
    #expect(
      Item.mapping.column(of: \.weight) == "weight"
        && Item.mapping.columnNames == ["id", "title", "done", "weight", "note"])
    #expect(Item.mapping.column(of: \.title.count) == nil)
    #expect(Item.mapping.selection(of: "i").text.hasPrefix("\"i\".\"id\", \"i\".\"title\""))
  }

  @Test func `a value of the wrong type in a row names the column`() throws {
    try database.write { try $0.execute("INSERT INTO item(id, title, weight) VALUES (1, x'00', 'heavy')") }
    let error = try databaseError { try database.read { try $0.all(Item.self) } }
    #expect(error.message == "column \"title\": expected TEXT, found BLOB a blob of 1 bytes")
  }

  @Test func `a row that is kept too long says so and a copy does not`() throws {
    try database.write { c in for index in 1...3 { try c.insert(Item(id: Int64(index), title: "t\(index)")) } }
    try database.read { c in
      var kept: [Row] = []
      var copies: [Row] = []
      try c.forEach("SELECT * FROM item") { row in
        kept.append(row)
        copies.append(try row.copied())
        #expect(try row["title"] as String == "t\(kept.count)")
      }
      for row in kept {
        #expect(throws: DatabaseError.self) { try row["title"] as String }
        #expect(throws: DatabaseError.self) { try Item(row: row) }
        #expect(throws: DatabaseError.self) { try row.copied() }
      }
      #expect(try copies.map { try $0["title"] as String } == ["t1", "t2", "t3"])
    }
  }

  @Test func `rows know their columns and refuse others`() throws {
    let row = try #require(try database.read { try $0.row("SELECT 1 AS a, 'x' AS b") })
    #expect(row.columnNames == ["a", "b"] && row.count == 2 && row.hasColumn("B"))
    #expect(try row.values == [1, "x"] && row.description == "[a: 1, b: 'x']")
    let missing = try databaseError { try row["c"] as Int }
    #expect(missing.message == "there is no column \"c\"; the columns are a, b")
    #expect(try databaseError { try row[2] as Int }.code == .range)
    #expect(try databaseError { try row[-1] as Int }.code == .range)
    #expect(try Row(columns: ["n"], values: [5])["n"] as Int == 5)
  }

  @Test func `an entity type without its id in the mapping is a mistake that is named`() throws {
    struct Lost: MappedEntity {
      static let table = "item"
      static let mapping = Mapping({ @Sendable (title: String) in Lost(id: 0, title: title) }, ("title", \.title))
      var id: Int64
      var title: String
    }
    let error = try databaseError { try database.write { try $0.insert(Lost(id: 1, title: "x")) } }
    #expect(error.code == .misuse && error.message.contains("lacks its id column"))
  }

  struct Loose: Entity, Decodable {
    struct Wrapper: Decodable, Equatable {
      var value: Int
      init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
    }
    enum Size: Int, Decodable { case small = 1 }
    struct Place: Codable, Equatable { var x: Int }
    static let table = "loose"
    var id: Int
    var wrapper: Wrapper?
    var size: Size?
    var place: Place?
    var tags: [String]?
    var word: String?
  }

  @Test func `a text in place of a number is also an error in a type that decodes one value`() throws {
    try database.write { c in
      try c.execute("CREATE TABLE loose(id INTEGER PRIMARY KEY, wrapper, size, place, tags, word)")
      for (column, value) in [("wrapper", " 5 "), ("size", "1"), ("wrapper", "null")] {
        try c.execute("INSERT OR REPLACE INTO loose(id, \(identifier: column)) VALUES (1, \(value))")
        let error = try databaseError { try c.all(Loose.self) }
        #expect(error.columns == [column] && error.message.contains("TEXT '\(value)'"), "\(error)")
      }
      try c.execute("INSERT OR REPLACE INTO loose VALUES (1, 5, 1, ' {\"x\":3}', '[\"a\"]', 'null')")
      let found = try #require(try c.all(Loose.self).first)
      #expect(found.wrapper?.value == 5 && found.size == .small && found.place?.x == 3 && found.tags == ["a"])
      #expect(found.word == "null")
    }
  }

  @Test func `JSON's null is nil if the property is optional`() throws {
    try database.write { c in
      try c.execute("CREATE TABLE loose(id INTEGER PRIMARY KEY, wrapper, size, place, tags, word)")
      try c.execute("INSERT INTO loose(id, place, tags) VALUES (1, ' null ', x'6e756c6c')")
      let found = try #require(try c.all(Loose.self).first)
      #expect(found.place == nil && found.tags == nil)
      try c.execute("UPDATE loose SET place = 'nil'")
      #expect(try databaseError { try c.all(Loose.self) }.columns == ["place"])
    }
  }
}
