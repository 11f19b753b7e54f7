import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport

/// A row with a column of every kind, in a table that is declared as awkwardly as can be.
struct Thing: MappedEntity {
  enum Level: Int, CaseIterable, Comparable, ValueConvertible, Codable {
    case low = 1
    case middle = 5
    case high = 3

    // Not the order of the raw values.
    static func < (left: Level, right: Level) -> Bool {
      allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
  }

  enum Mark: String, CaseIterable, ValueConvertible, Codable { case red, blue }

  struct Place: Codable, Equatable {
    var city: String
    var floor: Int
  }

  static let table = "thing \"x\""
  static let mapping = Mapping(
    Thing.init, ("id", \.id), ("title", \.title), ("note", \.note), ("number", \.number), ("rank", \.rank),
    ("big", \.big), ("weight", \.weight), ("ratio", \.ratio), ("done", \.done), ("flag", \.flag), ("made", \.made),
    ("due", \.due), ("owner", \.owner), ("other", \.other), ("level", \.level), ("mark", \.mark), ("bytes", \.bytes),
    ("small", \.small), ("single", \.single), ("city", \.place.city), ("floor", \.place.floor))
  static let schema = #"""
    CREATE TABLE "thing ""x""" (
      id INTEGER PRIMARY KEY, title TEXT COLLATE NOCASE, note TEXT COLLATE RTRIM, number INTEGER, rank, big INTEGER,
      weight, ratio REAL, done INTEGER, flag, made DATETIME, due, owner TEXT COLLATE NOCASE, other, level INTEGER,
      mark TEXT COLLATE NOCASE, bytes BLOB, small INTEGER, single REAL, city TEXT, floor INTEGER)
    """#

  var id: Int64
  var title: String
  var note: String?
  var number: Int
  var rank: Int?
  var big: Int64
  var weight: Double
  var ratio: Double?
  var done: Bool
  var flag: Bool?
  var made: Date
  var due: Date?
  var owner: UUID?
  var other: UUID
  var level: Level
  var mark: Mark?
  var bytes: [UInt8]
  var small: UInt8
  var single: Float
  var place: Place

  /// Not in the mapping, like the next.
  var extra = 0
  var headline: String { title.uppercased() }

  init(
    id: Int64, title: String, note: String?, number: Int, rank: Int?, big: Int64, weight: Double, ratio: Double?,
    done: Bool, flag: Bool?, made: Date, due: Date?, owner: UUID?, other: UUID, level: Level, mark: Mark?,
    bytes: [UInt8], small: UInt8, single: Float, city: String, floor: Int
  ) {
    self.id = id
    self.title = title
    self.note = note
    self.number = number
    self.rank = rank
    self.big = big
    self.weight = weight
    self.ratio = ratio
    self.done = done
    self.flag = flag
    self.made = made
    self.due = due
    self.owner = owner
    self.other = other
    self.level = level
    self.mark = mark
    self.bytes = bytes
    self.small = small
    self.single = single
    place = Place(city: city, floor: floor)
  }
}

/// What rows and captured values are made of: whatever lies at an edge.
enum Edge {
  /// Composed, and without combinations that Swift takes for one character.
  static let texts = [
    "", " ", "a", "A", "ab", "aB", "abc", "a ", "a  ", "b", "z", "Z", "%", "_", "a%b", "a_b", "it's", "''", "\"q\"",
    "?",
    "\u{0}", "a\u{0}b", "a\u{0}c", "a\u{0}", "é", "É", "ß", "日本", "日", "😀", "\u{FFFD}", "--", "1", "01", "1.0", "NULL",
    "'); DROP TABLE thing; --",
  ]
  static let numbers = Array(-4...4) + [7, -9, 10]
  static let bigs: [Int64] = [
    0, 1, -1, 1 << 53, 1 << 53 + 1, 1 << 53 - 1, -(1 << 53), -(1 << 53) - 1, .max, .max - 1, .min, .min + 1,
  ]
  static let doubles = [
    0, 1, -1, 0.5, -0.5, 2, 3, 0.1, 0.2, 0.3, 1e300, -1e300, 2.3e-308, 9_007_199_254_740_992, .infinity, -.infinity,
  ]
  static let dates =
    [
      "2031-01-02 14:00:00", "2031-01-02 14:00:00.500", "2031-01-02 14:00:00.512", "2031-01-02 13:59:59.999999",
      "2031-01-02 00:00:00", "2001-01-01 00:00:00", "0000-01-01 00:00:00", "9999-12-31 23:59:59", "1969-12-31 23:59:59",
    ].map(date) + [
      Date(timeIntervalSinceReferenceDate: 1e-9), Date(timeIntervalSince1970: -1e11), Date(timeIntervalSince1970: 1e12),
      Date(timeIntervalSinceReferenceDate: 947_000_000.123456789), .distantPast, .distantFuture,
    ]
  private static func date(_ text: String) -> Date {
    do { return try Date(databaseValue: .text(text)) } catch { preconditionFailure("\(error)") }
  }

  /// Dates as others write them.
  static let dateForms: [Value] = [
    "2031-01-02", "2031-01-02T14:00:00Z", "2031-01-02T14:00:00", "2031-01-02 14:00", "2031-01-02T16:00:00+02:00",
    "2031-01-01T23:00:00.5-15:00", "2031-01-06T17:59:00+99:59", "2030-12-29T10:00:00-99:59", "2031-01-02 14:00:00.5",
    "2031-01-02 14:00:00.5000", 1_925_042_400, 1_925_042_400.25,
    0, -1,
  ]
  static let owners = ["3F2504E0-4F89-11D3-9A0C-0305E82C3301", "3F2504E0-4F89-11D3-9A0C-0305E82C3302"].map {
    UUID(uuidString: $0)!
  }
}

extension Thing {
  static func random(_ id: Int64, using random: inout SeededGenerator) -> Thing {
    Thing(
      id: id, title: random.pick(Edge.texts), note: random.maybe(Edge.texts), number: random.pick(Edge.numbers),
      rank: random.maybe(Edge.numbers), big: random.pick(Edge.bigs), weight: random.pick(Edge.doubles),
      ratio: random.maybe(Edge.doubles), done: random.pick([true, false]), flag: random.maybe([true, false]),
      made: random.pick(Edge.dates), due: random.maybe(Edge.dates), owner: random.maybe(Edge.owners),
      other: random.pick(Edge.owners), level: random.pick(Level.allCases), mark: random.maybe([.red, .blue]),
      bytes: random.pick([[], [0], [1, 2], [0, 0, 0]]), small: random.pick([0, 1, 200, 255]),
      single: random.pick([0, 1, 0.1, -3.5]), city: random.pick(Edge.texts), floor: random.pick(Edge.numbers))
  }

  /// Rows that hold whatever may be held, also as other programs write it.
  static func fill(_ connection: Connection, _ count: Int64, using random: inout SeededGenerator) throws {
    try connection.execute(SQL(raw: schema))
    for id in 1...count {
      try connection.insert(Thing.random(id, using: &random))
      let update: SQL = "UPDATE \(identifier: table) SET"
      if random.below(4) == 0 {
        try connection.execute("\(update) due = \(random.pick( Edge.dateForms)) WHERE id = \(id)")
      }
      if random.below(4) == 0 {
        let forms: [Value] = Edge.owners.flatMap { [.text($0.uuidString.lowercased()), .blob(bytes(of: $0))] }
        try connection.execute("\(update) owner = \(random.pick( forms)) WHERE id = \(id)")
      }
      if random.below(6) == 0 { try connection.execute("\(update) done = 2 WHERE id = \(id)") }
      if random.below(6) == 0 { try connection.execute("\(update) flag = -1 WHERE id = \(id)") }
      if random.below(6) == 0 { try connection.execute("\(update) weight = 3 WHERE id = \(id)") }
    }
  }

  private static func bytes(of uuid: UUID) -> [UInt8] { withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) } }
}
