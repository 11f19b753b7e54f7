import Foundation
import SQLiteStore
import Testing

@Suite struct MappingProofTests {
  struct Person: Equatable {
    var id: Int64
    var first: String
    var last: String
  }

  struct Transposed: MappedEntity {
    static let table = "person"
    static var mapping: Mapping<Transposed> { shared }
    nonisolated(unsafe) static var shared = fresh()  // because the tests that use it run one after another
    static func fresh() -> Mapping<Transposed> {
      Mapping(Transposed.init, ("id", \.id), ("last", \.last), ("first", \.first))
    }
    var id: Int64
    var first: String
    var last: String
  }

  /// Its ends are put in order, and its name loses its blanks.
  struct Span: MappedEntity, Equatable {
    static let table = "span"
    static let mapping = Mapping(Span.init, ("id", \.id), ("low", \.low), ("high", \.high), ("a", \.a), ("b", \.b))
    var id: Int64
    var low, high: Int
    var a, b: String
    init(id: Int64, low: Int, high: Int, a: String, b: String) {
      (self.id, self.low, self.high) = (id, min(low, high), max(low, high))
      (self.a, self.b) = (a.lowercased(), b.lowercased())
    }
  }

  @Test func `a mapping that swaps two columns is an error that names them, before anything is written`()
    throws
  {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE person(id INTEGER PRIMARY KEY, first TEXT, last TEXT)")
      try c.execute("INSERT INTO person VALUES (1, 'x', 'x'), (2, 'Ada', 'Lovelace')")
      let uses: [() throws -> Any?] = [
        { try c.all(Transposed.self) }, { try c.entity(Transposed.self, id: 2) },
        { try c.rows("SELECT * FROM person").map { try Transposed(row: $0) } },
        { try c.entities("SELECT last, first, id FROM person", of: Transposed.self) },
      ]
      for use in uses {
        Transposed.shared = Transposed.fresh()
        let error = try databaseError { try use() }
        #expect(error.message.contains("exchanges the columns \"last\" and \"first\""), "\(error)")
      }
      #expect(try c.entity(Transposed.self, id: 1)?.first == "x")
      #expect(throws: DatabaseError.self) { try c.entity(Transposed.self, id: 2) }
    }
  }

  @Test func `a swap shows also after many rows in which the two columns hold the same`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE person(id INTEGER PRIMARY KEY, first TEXT, last TEXT)")
      try c.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO person SELECT i, '', '' FROM n"
      )
      Transposed.shared = Transposed.fresh()
      #expect(try c.all(Transposed.self).count == 3000)
      try c.execute("UPDATE person SET first = 'Ada', last = 'Lovelace' WHERE id = 1")
      #expect(throws: DatabaseError.self) { try c.all(Transposed.self) }
      // Nor is a row that comes late in one run accepted.
      Transposed.shared = Transposed.fresh()
      try c.execute("UPDATE person SET first = '', last = ''")
      try c.execute("UPDATE person SET first = 'Ada', last = 'Lovelace' WHERE id = 2000")
      #expect(throws: DatabaseError.self) { try c.all(Transposed.self) }
    }
  }

  @Test func `an entity that puts its values in order or changes them is no mistake`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE span(id INTEGER PRIMARY KEY, low INTEGER, high INTEGER, a TEXT, b TEXT)")
      try c.execute("INSERT INTO span VALUES (1, 5, 3, 'B', 'a'), (2, 9, 1, 'X', 'Y'), (3, 1, 2, 'a', 'b')")
      for _ in 0..<3 { #expect(try c.all(Span.self).map(\.low) == [3, 1, 1]) }
    }
  }

  /// Tidies its names in two ways, and its mapping exchanges them.
  struct Tidied: MappedEntity {
    static let table = "person"
    static let mapping = Mapping(Tidied.init, ("id", \.id), ("last", \.last), ("first", \.first))
    let id: Int64
    let first, last: String
    init(id: Int64, first: String, last: String) {
      (self.id, self.first, self.last) = (id, first.capitalized, last.uppercased())
    }
  }

  struct Shouted: MappedEntity {
    static let table = "person"
    static let mapping = Mapping(Shouted.init, ("id", \.id), ("last", \.last), ("first", \.first))
    let id: Int64
    let first, last: String
    init(id: Int64, first: String, last: String) {
      (self.id, self.first, self.last) = (id, first.uppercased(), last.uppercased())
    }
  }

  @Test func `swapped columns are found even if the entity changes its values in its initializer`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE person(id INTEGER PRIMARY KEY, first TEXT, last TEXT)")
      try c.execute("INSERT INTO person VALUES (1, 'Ada', 'ADA'), (2, 'Ada', 'Lovelace')")
      #expect(try databaseError { try c.entity(Tidied.self, id: 2) }.message.contains("exchanges the columns"))
      #expect(try databaseError { try c.all(Shouted.self) }.message.contains("exchanges the columns"))
    }
  }

  @Test func `three columns swapped in a circle are found too`() throws {
    struct Circle: MappedEntity {
      static let table = "circle"
      static let mapping = Mapping(Circle.init, ("id", \.id), ("b", \.b), ("c", \.c), ("a", \.a))
      var id: Int64
      var a, b, c: Date
    }
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE circle(id INTEGER PRIMARY KEY, a, b, c)")
      try c.execute("INSERT INTO circle VALUES (1, '2024-01-01', '2024-01-02', '2024-01-03')")
      #expect(try databaseError { try c.all(Circle.self) }.message.contains("exchanges the columns"))
    }
  }
}
