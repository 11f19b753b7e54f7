import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Writes of some columns only, and values of further types.
@Suite struct PartialWriteTests {
  struct Flags: OptionSet, ValueConvertible, Hashable {
    let rawValue: Int
    static let urgent = Flags(rawValue: 1)
    static let gift = Flags(rawValue: 2)
  }

  struct Order: MappedEntity, Equatable {
    static let table = "orders"
    static let mapping = Mapping(
      Order.init, ("id", \.id), ("title", \.title), ("price", \.price), ("page", \.page), ("flags", \.flags),
      ("sent", \.sent))
    var id: Int64?
    var title: Substring
    var price: Decimal
    var page: URL?
    var flags: Flags
    var sent: Date?
  }

  struct Tagged: MappedEntity, Equatable {
    static let table = "tagged"
    static let mapping = Mapping(Tagged.init, ("id", \.id), ("name", \.name), ("count", \.count))
    var id: UUID
    var name: String
    var count: Int
  }

  private let order = Order(
    title: "Bread", price: Decimal(string: "12.30")!, page: URL(string: "https://shop.example/7?a=b"), flags: [.gift])
  private let database: Database

  init() throws {
    database = try Database.inMemory(options: .fast)
    try database.write {
      try $0.executeScript(
        """
        CREATE TABLE orders(id INTEGER PRIMARY KEY, title TEXT NOT NULL, price TEXT, page TEXT, flags INTEGER, sent TEXT);
        CREATE TABLE tagged(id TEXT PRIMARY KEY, name TEXT, count INTEGER);
        CREATE TABLE log(what TEXT);
        CREATE TRIGGER t1 AFTER UPDATE OF title ON orders BEGIN INSERT INTO log VALUES ('title'); END;
        CREATE TRIGGER t2 AFTER UPDATE OF price ON orders BEGIN INSERT INTO log VALUES ('price'); END;
        CREATE TRIGGER t3 AFTER UPDATE OF sent ON orders BEGIN INSERT INTO log VALUES ('sent'); END;
        """)
    }
  }

  private func log() throws -> [String] {
    try database.write { c in
      defer { _ = try? c.execute("DELETE FROM log") }
      return try c.values("SELECT what FROM log", as: String.self)
    }
  }

  @Test func `a new entity gets its id, and values of all types are read back`() throws {
    let id: Int64 = try database.write { c in try c.insert(order) }
    var stored = order
    stored.id = id
    #expect(try database.read { try $0.entity(Order.self, id: id) } == stored)
    // Prices are equal whatever their digits look like.
    try database.write { try $0.execute("UPDATE orders SET price = 12.5") }
    #expect(try database.read { try $0.entity(Order.self, id: id)?.price } == Decimal(string: "12.50"))
    for wrong in ["12.3x", "", "nan", 1e300, .real(.infinity), .null, .blob([1])] as [Value] {
      try database.write { try $0.execute("UPDATE orders SET price = \(wrong)") }
      #expect(throws: DatabaseError.self) { try database.read { try $0.entity(Order.self, id: id) } }
    }
    #expect(throws: DatabaseError.self) {
      try database.write { c in
        var nan = order
        nan.price = .nan
        _ = try c.insert(nan) as Int64
      }
    }
  }

  @Test func `save inserts without an id, and updates or inserts with one`() throws {
    try database.write { c in
      var saved = try c.save(order)
      #expect(saved.id == 1)
      saved.title = "Cake"
      #expect(try c.save(saved) == saved)
      saved.id = 9
      #expect(try c.save(saved).id == 9)
      #expect(try c.all(Order.self).map(\.title) == ["Cake", "Cake"])
    }
  }

  @Test func `many entities are inserted at once`() throws {
    try database.write { c in try c.insert(contentsOf: (0..<5).map { _ in order }) }
    #expect(try database.read { try $0.count(Order.self) } == 5)
  }

  @Test func `one property is set by the id`() throws {
    try database.write { c in
      try c.insert(order)
      try c.update(Order.self, id: 1, \.flags, [.gift, .urgent])
      try c.update(Order.self, id: 1, set: (\.title, "Cake"), (\.page, nil))
      let stored = try #require(try c.entity(Order.self, id: 1))
      #expect(stored.flags == [.gift, .urgent] && stored.title == "Cake" && stored.page == nil)
      #expect(stored.price == order.price)
    }
    #expect(try log() == ["title"])
    let missing = try databaseError { try database.write { try $0.update(Order.self, id: 5, \.title, "x") } }
    #expect(missing.code == .notFound)
    #expect(throws: DatabaseError.self) { try database.write { try $0.update(Order.self, id: 1, \.id, 2) } }
    #expect(throws: DatabaseError.self) { try database.write { try $0.update(Order.self, id: 1, \.title.count, 2) } }
  }

  @Test func `only the columns that differ are written`() throws {
    try database.write { c in try c.insert(order) }
    var held = try #require(try database.read { try $0.entity(Order.self, id: 1) })
    // Somebody else changes another column in between.
    try database.write { c in try c.update(Order.self, id: 1, \.title, "Cake") }
    _ = try log()
    let before = held
    #expect(try database.write { c in try c.update(changing: &held) { $0.sent = Date(timeIntervalSince1970: 60) } })
    #expect(try log() == ["sent"])
    #expect(held.sent != nil)
    let stored = try database.read { try $0.entity(Order.self, id: 1) }
    #expect(stored?.title == "Cake" && stored?.sent == held.sent)
    // The same values again write nothing, even made anew.
    #expect(
      try !database.write { c in
        try c.update(changing: &held) {
          $0.title = Substring(String("Bread"))
          $0.price = Decimal(string: "12.30")!
          $0.sent = Date(timeIntervalSince1970: 60)
        }
      })
    #expect(try log() == [])
    held = before
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try database.write { c in
        try c.update(changing: &held) {
          $0.price = 1
          throw Stop()
        }
      }
    }
    #expect(held == before)
    #expect(throws: DatabaseError.self) { try database.write { c in try c.update(changing: &held) { $0.id = 3 } } }
    try database.write { _ = try $0.execute("DELETE FROM orders") }
    let missing = try databaseError { try database.write { c in try c.update(changing: &held) { $0.price = 5 } } }
    #expect(missing.code == .notFound && held == before)
  }

  @Test func `a row whose id is stored in another form is found and keeps it`() throws {
    let id = UUID()
    let stored = id.uuidString.lowercased()
    try database.write { c in try c.execute("INSERT INTO tagged VALUES (\(stored), 'a', 1)") }
    var held = try #require(try database.read { try $0.entity(Tagged.self, id: id) })
    try database.write { c in
      try c.update(changing: &held) { $0.count += 1 }
      try c.update(Tagged.self, id: id, \.name, "b")
    }
    let row = try #require(try database.read { try $0.row("SELECT * FROM tagged") })
    #expect(try row.values == [.text(stored), .text("b"), .integer(2)])
  }

  @Test func `a value that would be read back as another one is refused`() throws {
    try database.write { try $0.executeScript("CREATE TABLE texts(id INTEGER PRIMARY KEY, text INTEGER)") }
    struct Texts: MappedEntity {
      static let table = "texts"
      static let mapping = Mapping(Texts.init, ("id", \.id), ("text", \.text))
      var id: Int64
      var text: String
    }
    var held = Texts(id: 1, text: "a")
    try database.write { c in try c.insert(held) }
    #expect(throws: DatabaseError.self) { try database.write { c in try c.update(Texts.self, id: 1, \.text, "12") } }
    #expect(throws: DatabaseError.self) { try database.write { c in try c.update(changing: &held) { $0.text = "12" } } }
    #expect(held.text == "a")
  }

  @Test func `a NaN is no value of a property that is set`() throws {
    struct Weight: MappedEntity {
      static let table = "weight"
      static let mapping = Mapping(Weight.init, ("id", \.id), ("grams", \.grams))
      var id: Int64
      var grams: Double?
    }
    try database.write { c in
      try c.executeScript("CREATE TABLE weight(id INTEGER PRIMARY KEY, grams REAL)")
      try c.insert(Weight(id: 1, grams: 2.5))
      #expect(throws: DatabaseError.self) { try c.update(Weight.self, id: 1, \.grams, .nan) }
      #expect(try c.entity(Weight.self, id: 1)?.grams == 2.5)
    }
  }
}
