import FetchedResults
import Foundation
import Testing

/// Where SQL and Swift part ways, as the documentation of `SQL.init(_:alias:)` says.
@Suite struct TypedRequestDifferenceTests {
  private struct Text: MappedEntity {
    static let table = "text"
    static let mapping = Mapping(Text.init, ("id", \.id), ("text", \.text), ("real", \.real), ("number", \.number))
    var id: Int64
    var text: String
    var real: Double
    var number: Int?

    init(id: Int64, text: String, real: Double, number: Int?) {
      (self.id, self.text, self.real, self.number) = (id, text, real, number)
    }
  }

  private func answers(_ text: Text, _ predicate: Predicate<Text>) throws -> (swift: Bool?, sql: Bool?) {
    let database = try Database.inMemory()
    return try database.write { connection in
      try connection.execute("CREATE TABLE text(id INTEGER PRIMARY KEY, text, real, number)")
      try connection.insert(text)
      let stored = try #require(try connection.all(Text.self).first)
      let sql = try connection.value("SELECT \(SQL(predicate)) FROM text", as: Bool.self)
      do { return (try predicate.evaluate(stored), sql) } catch { return (nil, sql) }
    }
  }

  private func text(_ text: String) -> Text { Text(id: 1, text: text, real: 0, number: nil) }

  @Test func `texts are equal by their bytes, and in Swift also if a letter is composed differently`() throws {
    let composed = "\u{E9}"
    #expect(try answers(text("e\u{301}"), #Predicate { $0.text == composed }) == (true, false))
    #expect(try answers(text("\u{E9}"), #Predicate { $0.text == composed }) == (true, true))
  }

  @Test func `texts sort by their bytes, and Swift's by their composed form`() throws {
    let word = "f"
    #expect(try answers(text("e\u{301}"), #Predicate { $0.text < word }) == (false, true))
    #expect(try answers(text("\u{E9}"), #Predicate { $0.text < word }) == (false, false))
  }

  @Test func `bytes are found where Swift finds whole characters`() throws {
    let line = "\n"
    let letter = "e"
    #expect(try answers(text("a\r\nb"), #Predicate { $0.text.contains(line) }) == (false, true))
    #expect(try answers(text("e\u{301}"), #Predicate { $0.text.contains(letter) }) == (false, true))
    #expect(try answers(text("e\u{301}"), #Predicate { $0.text.starts(with: letter) }) == (false, true))
  }

  @Test func `a division by negative zero is a division by zero`() throws {
    let number = Text(id: 1, text: "", real: -.infinity, number: nil)
    #expect(try answers(number, #Predicate { 1 / (1 / $0.real) < 0 }) == (true, false))
  }

  @Test func `where Swift would stop the program, SQL gives true or false`() throws {
    try Database.inMemory().write { connection in
      try connection.execute("CREATE TABLE text(id INTEGER PRIMARY KEY, text, real, number)")
      try connection.execute("INSERT INTO text VALUES (0, '', 0, 0), (9223372036854775807, '', 0, NULL)")
      func isSettled(_ predicate: Predicate<Text>) throws -> Bool {
        try connection.values("SELECT \(SQL(predicate)) IS NULL FROM text", as: Bool.self) == [false, false]
      }
      #expect(try isSettled(#Predicate { 1 / $0.id == 1 }))
      #expect(try isSettled(#Predicate { !(1 % $0.id == 1) }))
      #expect(try isSettled(#Predicate { $0.id + 1 > $0.id }))
      #expect(try isSettled(#Predicate { thing in thing.number.flatMap { $0 / $0 == 1 } ?? true }))
    }
  }

  @Test func `where Swift fails, the row may or may not be in the list`() throws {
    #expect(try answers(text(""), #Predicate { $0.number! > 1 }) == (nil, false))
    #expect(try answers(text(""), #Predicate { !($0.number! > 1) }) == (nil, true))
  }
}
