import DataSourcesTestSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

/// What an entity's write accepts comes back equal, and what does not is refused: over types, declared types, STRICT or
/// not, values at the ends of what there is, and schemas that another connection changes between two writes.
@Suite struct RoundTripTests {
  struct Holder<T: ValueConvertible & Equatable>: MappedEntity {
    static var table: String { "holder" }
    static var mapping: Mapping<Holder<T>> { Mapping(Holder.init, ("id", \.id), ("v", \.value)) }
    var id: Int64
    var value: T
  }

  struct Label: RawRepresentable, ValueConvertible, Equatable { var rawValue: String }
  struct Ratio: RawRepresentable, ValueConvertible, Equatable { var rawValue: Double }
  enum Level: Int, ValueConvertible { case low = 1, high = 2 }

  /// Stores an empty text as NULL, and reads NULL as one.
  struct Loose: ValueConvertible, Equatable {
    var text: String
    init(_ text: String) { self.text = text }
    var databaseValue: Value { text.isEmpty ? .null : .text(text) }
    init(databaseValue: Value) throws { text = databaseValue.isNull ? "" : try String(databaseValue: databaseValue) }
  }

  /// Stores an empty text as NULL, and can't read that.
  struct Forgetful: ValueConvertible, Equatable {
    var text: String
    init(_ text: String) { self.text = text }
    var databaseValue: Value { text.isEmpty ? .null : .text(text) }
    init(databaseValue: Value) throws { text = try String(databaseValue: databaseValue) }
  }

  /// `SEED=n` replays the one that failed.
  private static let seeds: [UInt64] =
    Seeds.repeated.map { [$0] } ?? [1, 2, 3]

  private struct World {
    let scratch: Scratch
    let database: Database
    let other: Database
    let declarations: [(type: String, isStrict: Bool)]
    var random: SeededGenerator
    var accepted = 0
    var refused = 0

    init(seed: UInt64) throws {
      scratch = try Scratch()
      database = try scratch.database()
      other = try scratch.database()
      random = SeededGenerator(seed: seed)
      declarations =
        ["", "TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", "DATE", "BOOLEAN", "VARCHAR(9)", "DOUBLE", "STRING"]
        .map { ($0, false) } + ["TEXT", "INTEGER", "INT", "REAL", "BLOB", "ANY"].map { ($0, true) }
    }

    mutating func declare(_ declaration: (type: String, isStrict: Bool)) throws {
      let kinds = (declaration.isStrict ? ["STRICT"] : []) + (Bool.random(using: &random) ? ["WITHOUT ROWID"] : [])
      let table = "holder(id INTEGER PRIMARY KEY, v \(declaration.type)) \(kinds.joined(separator: ", "))"
      // By either connection: what one of them knows of the table may be out of date.
      try (Int.random(in: 0..<3, using: &random) == 0 ? database : other).write { c in
        try c.executeScript("DROP TABLE IF EXISTS holder; CREATE TABLE \(table)")
      }
    }

    mutating func check<T: ValueConvertible & Equatable>(_ values: [T]) throws {
      for _ in 0..<2 {
        let declaration = declarations[Int.random(in: 0..<declarations.count, using: &random)]
        try declare(declaration)
        for value in values + values.shuffled(using: &random).prefix(2) {
          let holder = Holder(id: 1, value: value)
          let way = Int.random(in: 0..<4, using: &random)
          // Not the value itself: Foundation stops the program at the description of a date that is not finite.
          var shown = "a value"
          do { shown = try value.databaseValue.description } catch { shown = "\(error)" }
          let place = "\(T.self) \(shown) in \(declaration), way \(way)"
          do {
            try database.write { c in
              try c.execute("DELETE FROM holder")
              switch way {
              case 0: try c.insert(holder)
              case 1: try c.upsert(holder)
              case 2: #expect(try c.inserted(holder).value == value, "\(place)")
              default:
                // There is one to be updated, whatever it holds.
                try c.execute("INSERT INTO holder VALUES (1, NULL)")
                try c.update(holder)
              }
            }
          } catch let error as DatabaseError {
            refused += 1
            #expect(error.message.contains("v"), "\(place): \(error)")
            continue
          }
          accepted += 1
          do {
            #expect(try database.read { try $0.entity(Holder<T>.self, id: 1) }?.value == value, "\(place)")
          } catch {
            Issue.record("\(place) was accepted and can't be read: \(error)")
          }
        }
      }
    }
  }

  @Test(arguments: seeds)
  func `accepted values come back equal, and all others are refused`(_ seed: UInt64) throws {
    var world = try World(seed: seed)
    let doubles = [0, -0.0, 1.5, 7, 1e300, -9.3e18, 9_007_199_254_740_994, .infinity, .leastNonzeroMagnitude, .nan]
    let texts = ["", "2024", "1.5", "007", " 7 ", "1e3", "a\u{0}b", "null", "9223372036854775808", "é"]
    let dates = [0, 1e9, 1.0 / 3, 1e12, -1e12, 7, .nan, .infinity].map { Date(timeIntervalSinceReferenceDate: $0) }
    try world.check(doubles)
    try world.check(doubles.map { $0 as Double? } + [nil])
    try world.check(doubles.map { Float($0) })
    try world.check(doubles.map { Ratio(rawValue: $0) })
    try world.check(texts)
    try world.check(texts.map { $0 as String? } + [nil])
    try world.check(texts.map { Label(rawValue: $0) })
    try world.check(texts.map { Loose($0) })
    try world.check(texts.map { Loose($0) as Loose? })
    try world.check(texts.map { Forgetful($0) })
    try world.check(dates)
    try world.check(dates.map { $0 as Date? } + [nil])
    try world.check([Int64.min, -1, 0, 1, 1 << 53 + 1, .max])
    try world.check([UInt64.min, 1, .max])
    try world.check([UInt8.min, 7, .max])
    try world.check([true, false, nil])
    try world.check([Level.low, .high])
    try world.check([UUID(), UUID(uuidString: "12345678-0000-0000-0000-000000000000")!])
    try world.check([Data(), Data("5".utf8)])
    try world.check([JSONColumn(5), JSONColumn(-1)])
    try world.check([JSONColumn(["a"]), JSONColumn([])] as [JSONColumn<[String]>?] + [nil])
    try world.check([.null, 5, 5.0, 5.5, "5", "a", .blob([53])] as [Value])
    #expect(world.accepted > 100 && world.refused > 10, "\(world.accepted) accepted, \(world.refused) refused")
  }

  /// Updates rows that anybody may have written, with the entities as they were read, and compares what is stored.
  private func checkUnchanged<T: ValueConvertible & Equatable>(
    _: T.Type, _ stored: [Value], in world: inout World
  ) throws -> Int {
    var readable = 0
    for declaration in world.declarations {
      try world.declare(declaration)
      for value in stored {
        let isUpserted = Bool.random(using: &world.random)
        let before: [Value]? = try world.database.write { c in
          try c.execute("DELETE FROM holder")
          do {
            try c.execute("INSERT INTO holder VALUES (1, \(value))")
          } catch is DatabaseError {
            return nil  // STRICT refuses it.
          }
          return try c.rows("SELECT typeof(v), quote(v) FROM holder").flatMap { try $0.values }
        }
        guard let before else { continue }
        let place = "\(T.self) \(before) in \(declaration), \(isUpserted ? "upsert" : "update")"
        let read: Holder<T>
        do {
          guard let found = try world.database.read({ try $0.entity(Holder<T>.self, id: 1) }) else { continue }
          read = found
        } catch is DatabaseError {
          continue  // It is no value of the type.
        }
        readable += 1
        do {
          try world.database.write { c in try isUpserted ? c.upsert(read) : c.update(read) }
        } catch {
          Issue.record("\(place): \(error)")
        }
        let after = try world.database.read { c in
          try c.rows("SELECT typeof(v), quote(v) FROM holder").flatMap { try $0.values }
        }
        #expect(after == before, "\(place)")
      }
    }
    return readable
  }

  @Test(arguments: seeds)
  func `an update of an entity as it was read leaves the row as it is stored`(_ seed: UInt64) throws {
    var world = try World(seed: seed)
    var random = SeededGenerator(seed: seed)
    let uuid = UUID(
      uuid: withUnsafeBytes(of: (random.next(), random.next())) { $0.loadUnaligned(as: uuid_t.self) })
    let uuids: [Value] = [
      .text(uuid.uuidString), .text(uuid.uuidString.lowercased()), .null,
      .text(String(uuid.uuidString.map { Bool.random(using: &random) ? $0 : Character($0.lowercased()) })),
      .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }),
    ]
    let second = Int64.random(in: -1_000_000_000...4_000_000_000, using: &random)
    let dates: [Value] = [
      .integer(second), .real(Double(second)), .real(Double(second) + 0.1), .real(1e12), .text("2031-01-02"), .null,
      .text("9999-12-31T23:59:59-23:59"), .text("2031-01-02T03:04Z"), .text("2031-01-02 03:04:05.678+01:00"),
      .text("2031-01-02 03:04:05"), .integer(0),
    ]
    let numbers: [Value] = [
      .integer(0), .integer(1), .integer(second), .real(0.1), .real(-0.0), .real(3), .real(1e300), .null, .text("7"),
    ]
    let jsons: [Value] = [
      .text("[1,2]"), .text(" [ 1 , 2 ]"), .blob(Array("[2,1]".utf8)), .text("null"), .null, .text("[]"),
    ]
    var counts = [
      try checkUnchanged(UUID.self, uuids, in: &world), try checkUnchanged(UUID?.self, uuids, in: &world),
      try checkUnchanged(Date.self, dates, in: &world), try checkUnchanged(Date?.self, dates, in: &world),
      try checkUnchanged(StoredFormTests.Moment?.self, dates, in: &world),
    ]
    counts += [
      try checkUnchanged(Bool.self, numbers, in: &world), try checkUnchanged(Bool?.self, numbers, in: &world),
      try checkUnchanged(Float.self, numbers, in: &world), try checkUnchanged(Double.self, numbers, in: &world),
      try checkUnchanged(Double?.self, numbers, in: &world), try checkUnchanged(Ratio.self, numbers, in: &world),
      try checkUnchanged(Ratio?.self, numbers, in: &world), try checkUnchanged(Int.self, numbers, in: &world),
      try checkUnchanged(Value.self, numbers, in: &world),
    ]
    counts += [
      try checkUnchanged(JSONColumn<[Int]>.self, jsons, in: &world),
      try checkUnchanged(JSONColumn<[Int]>?.self, jsons, in: &world),
      try checkUnchanged(
        JSONColumn<Int>.self, [.blob(Array("5".utf8)), .text(" 5"), .blob(Array(" 5".utf8))], in: &world),
      try checkUnchanged(StoredFormTests.Grade.self, [.text("A"), .text("a"), .text("d")], in: &world),
      try checkUnchanged(String.self, [.text("a"), .text("7"), .text("")], in: &world),
    ]
    #expect(counts.allSatisfy { $0 >= 8 }, "\(counts)")
  }

  @Test func `a NaN is an error at the write that names the table, the id and the column`() throws {
    struct Weighed: MappedEntity, Equatable {
      static let table = "weighed"
      static let mapping = Mapping(Weighed.init, ("id", \.id), ("x", \.x), ("y", \.y))
      var id: Int64
      var x: Double
      var y: Double?
    }
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE weighed(id INTEGER PRIMARY KEY, x REAL, y)")
      try c.insert(Weighed(id: 1, x: 1))
      let writes: [(Weighed) throws -> Void] = [
        { _ = try c.insert($0) }, { _ = try c.inserted($0) }, c.upsert, c.update,
      ]
      for write in writes {
        let x = try databaseError { try write(Weighed(id: 1, x: .nan)) }
        #expect(x.columns == ["weighed.x"] && x.message.contains("id = 1") && x.message.contains("NaN"), "\(x)")
        #expect(try databaseError { try write(Weighed(id: 1, x: 1, y: .nan)) }.columns == ["weighed.y"])
      }
      #expect(try c.all(Weighed.self) == [Weighed(id: 1, x: 1)])
    }
  }

  @Test func `a schema that was undone is not remembered`() throws {
    struct Text: MappedEntity, Equatable {
      static let table = "holder"
      static let mapping = Mapping(Text.init, ("id", \.id), ("v", \.value))
      var id: Int64
      var value: String
    }
    let database = try Database.inMemory()
    try database.write { c in
      try c.execute("CREATE TABLE holder(id INTEGER PRIMARY KEY, v DATE)")
      struct Undone: Error {}
      #expect(throws: Undone.self) {
        try c.savepoint {
          try c.executeScript("DROP TABLE holder; CREATE TABLE holder(id INTEGER PRIMARY KEY, v TEXT)")
          try c.insert(Text(id: 1, value: "2024"))
          throw Undone()
        }
      }
      #expect(throws: DatabaseError.self) { try c.insert(Text(id: 1, value: "2024")) }
    }
    #expect(throws: CancellationError.self) {
      try database.write { c in
        try c.executeScript("DROP TABLE holder; CREATE TABLE holder(id INTEGER PRIMARY KEY, v TEXT)")
        try c.insert(Text(id: 1, value: "2024"))
        throw CancellationError()
      }
    }
    #expect(throws: DatabaseError.self) { try database.write { try $0.insert(Text(id: 1, value: "2024")) } }
  }
}
