import FetchedResults
import Foundation
import Testing

/// What SQL treats as equal, compared with Swift, for types, columns and lists with rules of their own.
@Suite struct StoredMeaningTests {
  struct Holding<T: ValueConvertible & Hashable>: MappedEntity {
    static var table: String { "t" }
    static var mapping: Mapping<Holding<T>> { Mapping(Holding.init, ("id", \.id), ("v", \.value)) }
    var id: Int64
    var value: T
  }

  /// A UUID that is read from a URN too.
  struct Tag: RawRepresentable, ValueConvertible, Hashable, Codable {
    var rawValue: UUID
    static var storedForms: StoredForms { .several }
    init(rawValue: UUID) { self.rawValue = rawValue }
    init(databaseValue: Value) throws {
      if case .text(let text) = databaseValue, text.hasPrefix("urn:uuid:"),
        let uuid = UUID(uuidString: String(text.dropFirst(9)))
      {
        rawValue = uuid
      } else {
        rawValue = try UUID(databaseValue: databaseValue)
      }
    }
  }

  struct Tagged: MappedEntity {
    static let table = "t"
    static let mapping = Mapping(Tagged.init, ("id", \.id), ("n", \.number))
    var id: Tag
    var number: Int
  }

  enum Mark: String, ValueConvertible, CaseIterable, Codable {
    case red = "RED"
    case blue = "BLUE"
    static var storedForms: StoredForms { .several }
    init(databaseValue: Value) throws {
      guard case .text(let text) = databaseValue, let mark = Mark(rawValue: text.uppercased()) else {
        throw DatabaseError.mismatch(expected: "a mark", found: databaseValue)
      }
      self = mark
    }
  }

  @Test func `a type that reads more forms than its raw value is found in all of them`() throws {
    let tag = Tag(rawValue: UUID())
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id TEXT PRIMARY KEY, n)")
      try c.execute("INSERT INTO t VALUES (\("urn:uuid:" + tag.rawValue.uuidString), 1)")
      #expect(try c.entity(Tagged.self, id: tag)?.number == 1)
      #expect(try c.value("SELECT n FROM t WHERE \(SQL(#Predicate<Tagged> { $0.id == tag }))", as: Int.self) == 1)
      try c.upsert(Tagged(id: tag, number: 2))
      #expect(try c.all(Tagged.self).map(\.number) == [2])
    }
  }

  struct Plan: Codable, Hashable {
    enum Step: Codable, Hashable { case walk(km: Double), rest }
    var name: String?
    var steps: [Step]
    var at: Date
    var data: Data
    var link: URL
    var price: Decimal
    var counts: [Int: Int]
    var isDone: Bool
    var id: UUID
    var parcel: Parcel
  }

  @Test func `JSON is written as JSONEncoder writes it`() throws {
    let plan = Plan(
      name: "a/\"\\\n", steps: [.walk(km: 1.5), .rest], at: Date(timeIntervalSince1970: 1e9), data: Data([1, 2]),
      link: URL(string: "https://a.b/c?d=é")!, price: Decimal(string: "1.10")!, counts: [10: 1, 9: 2], isDone: true,
      id: UUID(), parcel: Parcel(width: 3, city: "Bern", marks: [1, 2]))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for plans in [[], [plan], [plan, plan]] {
      let column = JSONColumn(plans)
      #expect(try column.databaseValue == .text(String(decoding: encoder.encode(plans), as: UTF8.self)))
      #expect(try JSONColumn<[Plan]>(databaseValue: column.databaseValue) == column)
    }
    #expect(try JSONColumn(5).databaseValue == "5" && JSONColumn("x").databaseValue == "\"x\"")
    #expect(try JSONColumn(Int?.none).databaseValue == "null")
  }

  @Test func `a raw value is compared in the form that Swift reads`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)")
      try c.execute("INSERT INTO t VALUES (1, 'red'), (2, 'RED'), (3, 'BLUE'), (4, 'blue')")
      let predicates: [Predicate<Holding<Mark>>] = [
        #Predicate { $0.value.rawValue < "S" }, #Predicate { $0.value.rawValue >= "RED" },
        #Predicate { $0.value.rawValue == "RED" }, #Predicate { $0.value.rawValue != "RED" },
      ]
      let all = try c.all(Holding<Mark>.self)
      for predicate in predicates {
        let found = try c.values("SELECT id FROM t WHERE \(SQL(predicate)) ORDER BY id", as: Int64.self)
        #expect(try found == all.filter { try predicate.evaluate($0) }.map(\.id), "\(predicate)")
      }
    }
  }

  @Test(arguments: ["TEXT", "INTEGER", "REAL", "NUMERIC", ""])
  func `a list finds the same rows at any length`(_ type: String) throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(v \(raw: type))")
      for value in [1, 5, "1", "5", "x", 2.0, "2.0", .blob([53]), .null] as [Value] {
        try c.execute("INSERT INTO t VALUES (\(value))")
      }
      func count(_ list: SQL) throws -> Int? { try c.value("SELECT count(*) FROM t WHERE v IN \(list)", as: Int.self) }
      for long in [1001, 40_000] {
        let numbers = (1...1000).map { Int64($0) }
        #expect(try count("\(numbers)") == count("\(numbers + Array(repeating: 1, count: long - 1000))"))
        let texts = numbers.map { "\($0)" }
        #expect(try count("\(texts)") == count("\(texts + Array(repeating: "1", count: long - 1000))"))
      }
    }
  }

  @Test func `sections whose texts are not UTF-8 fail with an error that says so`() throws {
    struct Plain: Entity {
      static let table = "t"
      var id: Int64
      init(row: Row) throws { id = try row["id"] }
    }
    let database = try Database.inMemory()
    try database.write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
      try c.execute("INSERT INTO t VALUES (1, CAST(x'ff41' AS TEXT)), (2, CAST(x'fe41' AS TEXT))")
    }
    let controller = FetchedResultsController(fetchRequest: FetchRequest<Plain>(sectionBy: "v"), database: database)
    let error = #expect(throws: DatabaseError.self) { try controller.performFetch() }
    #expect(error?.code == .mismatch && error?.message.contains("UTF-8") == true)
  }

  struct Page: Entity, Decodable {
    static let table = "t"
    var id: Int64
    var link: URL?
    var price: Decimal
  }

  @Test func `a text that only begins like a number is no decimal number`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, link TEXT, price)")
      for text in ["1,50", "1 234.00", "12 apples", "-", "  ", "", ".", "1e", "0x10", "NaN", "1_000"] {
        try c.execute("INSERT OR REPLACE INTO t VALUES (1, NULL, \(text))")
        let error = #expect(throws: DatabaseError.self, "\(text)") { try c.all(Page.self) }
        #expect(error?.message.contains("column \"price\": ") == true)
      }
      for infinite in [Double.infinity, -.infinity] {
        try c.execute("INSERT OR REPLACE INTO t VALUES (1, NULL, \(infinite))")
        #expect(throws: DatabaseError.self) { try c.all(Page.self) }
      }
      for (text, number) in [("-12.50", -12.5), ("+3", 3), (".5", 0.5), ("2.", 2), ("3e2", 300), ("15E-1", 1.5)] {
        try c.execute("INSERT OR REPLACE INTO t VALUES (1, NULL, \(text))")
        #expect(try c.all(Page.self).map(\.price) == [Decimal(number)], "\(text)")
      }
    }
  }

  /// A type that is stored in two ways.
  enum Cost: Decodable, Equatable {
    case fixed(String)
    case range(low: Int, high: Int)

    private enum Keys: CodingKey { case low, high }

    init(from decoder: any Decoder) throws {
      if let container = try? decoder.container(keyedBy: Keys.self) {
        self = .range(
          low: try container.decode(Int.self, forKey: .low), high: try container.decode(Int.self, forKey: .high))
      } else {
        self = .fixed(try decoder.singleValueContainer().decode(String.self))
      }
    }
  }

  @Test func `a type that accepts one value or several is decoded from JSON if there is any`() throws {
    struct Offer: Entity, Decodable {
      static let table = "t"
      var id: Int64
      var cost: Cost
    }
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, cost)")
      try c.execute("INSERT INTO t VALUES (1, '{\"low\":1,\"high\":2}'), (2, 'cheap'), (3, '12')")
      #expect(try c.all(Offer.self).map(\.cost) == [.range(low: 1, high: 2), .fixed("cheap"), .fixed("12")])
    }
  }

  /// Encodes two groups of its properties into one nested container each time that it asks for it.
  struct Parcel: Codable, Hashable {
    var width: Int
    var city: String
    var marks: [Int]

    private enum Keys: CodingKey { case meta, marks }
    private enum Meta: CodingKey { case width, city }

    init(width: Int, city: String, marks: [Int]) { (self.width, self.city, self.marks) = (width, city, marks) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      let meta = try container.nestedContainer(keyedBy: Meta.self, forKey: .meta)
      (width, city) = (try meta.decode(Int.self, forKey: .width), try meta.decode(String.self, forKey: .city))
      marks = try container.decode([Int].self, forKey: .marks)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var sizes = container.nestedContainer(keyedBy: Meta.self, forKey: .meta)
      try sizes.encode(width, forKey: .width)
      var places = container.nestedContainer(keyedBy: Meta.self, forKey: .meta)
      try places.encode(city, forKey: .city)
      for mark in marks {
        var list = container.nestedUnkeyedContainer(forKey: .marks)
        try list.encode(mark)
      }
    }
  }

  @Test func `URLs and decimal numbers are decoded from plain values, and JSON null is nil for an optional`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, link TEXT, price, v)")
      try c.execute(
        "INSERT INTO t VALUES (1, 'https://a.b/c', 1.1, ' null '), (2, NULL, 7, NULL), (3, '\"https://x.y\"', '2.50', '[1]')"
      )
      let pages = try c.all(Page.self)
      #expect(pages.map(\.link?.absoluteString) == ["https://a.b/c", nil, "https://x.y"])
      #expect(pages.map { "\($0.price)" } == ["1.1", "7", "2.5"])
      #expect(try c.all(Holding<JSONColumn<[Int]>?>.self).map(\.value?.content) == [nil, nil, [1]])
      #expect(throws: DatabaseError.self) { try c.all(Holding<JSONColumn<[Int]>>.self) }
      struct Decoded: Entity, Decodable {
        static let table = "t"
        var id: Int64
        var v: JSONColumn<[Int]>?
      }
      #expect(try c.all(Decoded.self).map(\.v?.content) == [nil, nil, [1]])
      // The same in conditions.
      let isNil = #Predicate<Holding<JSONColumn<[Int]>?>> { $0.value == nil }
      let isNotNil = #Predicate<Holding<JSONColumn<[Int]>?>> { nil != $0.value && $0.id > 0 }
      for (predicate, ids) in [(isNil, [1, 2]), (isNotNil, [3])] as [(Predicate<Holding<JSONColumn<[Int]>?>>, [Int])] {
        #expect(try c.values("SELECT id FROM t WHERE \(SQL(predicate))", as: Int.self) == ids)
        let all = try c.all(Holding<JSONColumn<[Int]>?>.self)
        #expect(try all.filter { try predicate.evaluate($0) }.map { Int($0.id) } == ids)
      }
    }
  }
}
