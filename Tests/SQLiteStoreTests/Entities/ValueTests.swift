import DataSourcesTestSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

@Suite struct ValueTests {
  let database: Database

  init() throws { database = try Database.inMemory() }

  func roundTrip<T: ValueConvertible>(_ value: T) throws -> T? {
    try database.read { try $0.value("SELECT \(value)", as: T.self) }
  }

  @Test func `an integer that does not fit is an error that names the column, what was expected and what was found`()
    throws
  {
    let error = try databaseError { try database.read { _ = try $0.value("SELECT 300 AS small", as: Int8.self) } }
    #expect(error.code == .mismatch && error.columns == ["small"])
    #expect(error.message == "column \"small\": expected an INTEGER that fits Int8, found INTEGER 300")
    let negative = try databaseError { try database.read { _ = try $0.value("SELECT -1", as: UInt64.self) } }
    #expect(negative.code == .mismatch)
    let large = try databaseError { try database.read { _ = try $0.value("SELECT \(UInt64.max)", as: UInt64.self) } }
    #expect(large.code == .mismatch && large.message.contains("18446744073709551615"))
  }

  @Test func `bytes that are not UTF-8 are an error and not question marks`() throws {
    for sql in ["SELECT CAST(x'ff41' AS TEXT) AS t", "SELECT CAST(x'c3' AS TEXT) AS t"] as [SQL] {
      let error = try databaseError { try database.read { _ = try $0.value(sql, as: String.self) } }
      #expect(error.code == .mismatch && error.message.contains("valid UTF-8"))
      #expect(throws: DatabaseError.self) { try database.read { try $0.row(sql) } }
    }
    #expect(try database.read { try $0.value("SELECT CAST(x'efbfbd' AS TEXT)", as: String.self) } == "\u{FFFD}")
  }

  @Test func `texts are compared as SQLite does by their bytes`() throws {
    let composed = Value.text("caf\u{E9}")
    let decomposed = Value.text("cafe\u{301}")
    #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
    #expect(try database.read { try $0.value("SELECT \(composed) = \(decomposed)", as: Bool.self) } == false)
  }

  @Test func `a date is text that sorts and comes back equal`() throws {
    let dates = [
      Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 1_924_956_000),
      Date(timeIntervalSince1970: 0.5), Date(timeIntervalSinceReferenceDate: 812_345_678.123456),
      Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: 951_782_399.999),
      Date(timeIntervalSinceReferenceDate: 1e-7),
    ]
    for date in dates { #expect(try roundTrip(date) == date) }
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -2e9...4e9, using: &generator))
      #expect(try Date(databaseValue: date.databaseValue) == date)
    }
    #expect(Date(timeIntervalSince1970: 1_924_956_000).databaseValue == .text("2030-12-31 14:00:00"))
    #expect(Date(timeIntervalSince1970: 1_924_956_000.25).databaseValue == .text("2030-12-31 14:00:00.250"))
    let sorted = dates.sorted().map { $0.databaseValue.description }
    #expect(sorted == sorted.sorted())
    let far = Date(timeIntervalSince1970: 1e12)
    #expect(try Date(databaseValue: far.databaseValue) == far)
  }

  @Test(arguments: [
    ("2031-01-02", 1_925_078_400), ("2031-01-02 14:00", 1_925_128_800), ("2031-01-02T14:00:00Z", 1_925_128_800),
    ("2031-01-02T14:00:00.000+02:00", 1_925_121_600), ("2000-02-29", 951_782_400),
  ])
  func `a date is read in the usual spellings`(_ text: String, _ seconds: Int) throws {
    #expect(try Date(databaseValue: .text(text)) == Date(timeIntervalSince1970: Double(seconds)))
  }

  @Test(arguments: [
    "", "yesterday", "2031-13-01", "2031-02-29", "2031-01-02 25:00", "2031-01-02 10:00:00 and more", "31-1-2",
  ])
  func `a text that is not a date is refused`(_ text: String) {
    #expect(throws: DatabaseError.self) { try Date(databaseValue: .text(text)) }
  }

  enum Priority: String, ValueConvertible { case low, high }

  @Test func `a raw representable is its raw value`() throws {
    #expect(try roundTrip(Priority.high) == .high)
    let error = try databaseError { try database.read { _ = try $0.value("SELECT 'medium' AS p", as: Priority.self) } }
    #expect(error.message == "column \"p\": expected a raw value of Priority, found TEXT 'medium'")
  }

  @Test func `a JSON column holds any codable`() throws {
    let column = JSONColumn(["b": [1, 2], "a": []])
    #expect(try roundTrip(column) == column)
    #expect(try column.databaseValue == .text(#"{"a":[],"b":[1,2]}"#))
    #expect(throws: DatabaseError.self) { try database.read { try $0.value("SELECT '{'", as: JSONColumn<[Int]>.self) } }
  }

  @Test func `a type is never converted silently`() {
    for (sql, read) in [
      ("SELECT '12'", { try $0.value("SELECT '12'", as: Int.self) }),
      ("SELECT 12", { try $0.value("SELECT 12", as: String.self) }),
      ("SELECT 1.0", { try $0.value("SELECT 1.0", as: Int.self) }),
      ("SELECT 'x'", { try $0.value("SELECT 'x'", as: [UInt8].self) }),
      ("SELECT x'00'", { try $0.value("SELECT x'00'", as: String.self) }),
    ] as [(String, (Connection) throws -> Any?)] {
      #expect(throws: DatabaseError.self, "\(sql)") { try database.read { _ = try read($0) } }
    }
  }
}
