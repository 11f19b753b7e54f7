import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport

/// A row with a property of every type that may be stored in several forms, in columns whose names are such as the
/// library makes up.
struct Specimen: MappedEntity, Equatable {
  enum Level: Int, ValueConvertible, CaseIterable, Codable { case low = 5, high = 1, middle = 3 }

  /// Stored by a letter, and read from a small one too.
  enum Grade: Int, ValueConvertible, CaseIterable, Codable {
    case a, b, c

    var databaseValue: Value { .text(["A", "B", "C"][rawValue]) }

    init(databaseValue: Value) throws {
      guard case .text(let text) = databaseValue, let index = ["A", "B", "C"].firstIndex(of: text.uppercased()) else {
        throw DatabaseError.mismatch(expected: "a grade from A to C", found: databaseValue)
      }
      self = Self.allCases[index]
    }

    static var storedForms: StoredForms { .several }
  }

  struct Tag: RawRepresentable, ValueConvertible, Hashable, Codable { var rawValue: UUID }

  struct Place: Equatable, Codable { var city: String }

  static let table = "frc_rows"
  static let mapping = Mapping(
    Specimen.init, ("frc_k0", \.id), ("frc_o0", \.text), ("frc_name", \.note), ("FRC_O1", \.number),
    ("frc1_o0", \.date),
    ("due", \.due), ("flag", \.flag), ("maybe", \.maybe), ("single", \.single), ("real", \.real), ("owner", \.owner),
    ("level", \.level), ("grade", \.grade), ("tag", \.tag), ("bytes", \.bytes), ("city", \.place?.city))

  var id: UUID
  var text: String
  var note: String?
  var number: Int
  var date: Date
  var due: Date?
  var flag: Bool
  var maybe: Bool?
  var single: Float
  var real: Double
  var owner: UUID?
  var level: Level
  var grade: Grade
  var tag: Tag
  var bytes: Data
  var place: Place?

  init(
    id: UUID, text: String, note: String?, number: Int, date: Date, due: Date?, flag: Bool, maybe: Bool?, single: Float,
    real: Double, owner: UUID?, level: Level, grade: Grade, tag: Tag, bytes: Data, city: String?
  ) {
    (self.id, self.text, self.note, self.number, self.date, self.due) = (id, text, note, number, date, due)
    (self.flag, self.maybe, self.single, self.real, self.owner) = (flag, maybe, single, real, owner)
    (self.level, self.grade, self.tag, self.bytes) = (level, grade, tag, bytes)
    place = city.map { Place(city: $0) }
  }
}

/// A database of specimens: of any encoding and any affinity, in which other programs have written too.
struct SpecimenWorld {
  static let uuids = (0..<12).map { number in
    UUID(
      uuidString: (number % 2 == 0 ? "3F2504E0-4F89-11D3-9A0C-0305E82C33" : "ABCDEF12-4F89-11D3-9A0C-0305E82C33")
        + String(format: "%02X", number * 19))!
  }
  static let texts = [
    "", " ", "a", "b", "B", "ab", "a ", "Ā", "é", "日", "😀", "\u{FFFD}", "it's", "2024-05-01", "1999-12-31x", "x2024",
    "-", "e",
    "a\u{0}b", "\u{10FFFF}",
  ]
  /// Texts that look like numbers, which a column of numeric affinity can't hold.
  static let numbers = ["2024", "1999", "-5", " 7", "1e3", "0", ".5", "12345678901234567890"]
  static let dates = [0, 1, 86_399.5, 86_400, 1e9, -1e9, 4e9].map { Date(timeIntervalSinceReferenceDate: $0) }
  static let singles: [Float] = [0, 0.1, -0.1, 1, 16_777_216, 3.4e38, -2.5, 0.3]

  let database: Database
  /// The ids that are in the table, in whichever form.
  let hasNumericTexts: Bool
  var random: SeededGenerator

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &+ 1_000_003)
    let database = try Database.inMemory()
    let textType = random.pick(["TEXT", "", "DATE", "STRING", "TEXT COLLATE NOCASE", "VARCHAR(5) COLLATE RTRIM"])
    hasNumericTexts = textType != "DATE" && textType != "STRING"
    // In each run one whose texts are ordered by the program.
    let idType =
      seed % 3 == 1
      ? "TEXT COLLATE REVERSED" : random.pick(["TEXT", "", "DATETIME", "TEXT COLLATE NOCASE", "BLOB"])
    let types = [
      "frc_k0 \(idType) PRIMARY KEY",
      "frc_o0 \(textType)",
      "frc_name TEXT", "FRC_O1 \(random.pick( ["INTEGER", "", "NUMERIC"]))",
      "frc1_o0 \(random.pick( ["TEXT", "", "DATETIME", "INTEGER"]))", "due \(random.pick( ["TEXT", "", "DATE"]))",
      "flag \(random.pick( ["INTEGER", "BOOLEAN", ""]))", "maybe",
      "single \(random.pick( ["REAL", "", "NUMERIC"]))",
      "real \(random.pick( ["REAL", "", "NUMERIC"]))", "owner \(random.pick( ["TEXT", "", "NUMERIC"]))",
      "level INTEGER",
      "grade \(random.pick( ["TEXT", "TEXT COLLATE NOCASE", ""]))",
      "tag \(random.pick( ["TEXT", "BLOB", "NUMERIC"]))",
      "bytes", "city TEXT",
    ]
    try database.addCollation("REVERSED") { $0 == $1 ? 0 : $0 < $1 ? 1 : -1 }
    let encoding = random.pick(["UTF-8", "UTF-16le", "UTF-16be"])
    let indices = ["frc1_o0", "owner", "frc_o0", "single"].filter { _ in random.below(2) == 0 }
    try database.write { c in
      try c.execute("PRAGMA encoding = \(raw: "'\(encoding)'")")
      try c.execute("CREATE TABLE frc_rows(\(raw: types.joined(separator: ", ")))")
      for name in indices { try c.execute("CREATE INDEX \(identifier: "by_" + name) ON frc_rows(\(identifier: name))") }
    }
    self.database = database
    self.random = random
  }

  mutating func specimen(_ id: UUID) -> Specimen {
    let texts = hasNumericTexts ? Self.texts + Self.numbers : Self.texts
    return Specimen(
      id: id, text: random.pick(texts), note: random.maybe(Self.texts + Self.numbers), number: random.below(9) - 4,
      date: random.pick(Self.dates), due: random.maybe(Self.dates), flag: random.below(2) == 0,
      maybe: random.maybe([true, false]), single: random.pick(Self.singles),
      real: random.pick([0, 0.1, 3, -2.5, 1e300]),
      owner: random.maybe(Self.uuids), level: random.pick(Specimen.Level.allCases),
      grade: random.pick(Specimen.Grade.allCases), tag: .init(rawValue: random.pick(Self.uuids)),
      bytes: random.pick([Data(), Data([0]), Data("a".utf8)]), city: random.maybe(Self.texts))
  }

  /// Stores some of a row's values in other forms that mean the same, as other programs do.
  mutating func respell(_ id: Value, _ specimen: Specimen, _ c: Connection) throws {
    var changes: [(String, Value)] = []
    if random.below(3) == 0 { changes.append(("frc1_o0", form(of: specimen.date))) }
    if let due = specimen.due, random.below(3) == 0 { changes.append(("due", form(of: due))) }
    if random.below(3) == 0 { changes.append(("flag", specimen.flag ? .integer(Int64(random.below(5)) + 1) : 0)) }
    if specimen.maybe == true, random.below(3) == 0 { changes.append(("maybe", -1)) }
    if random.below(3) == 0 { changes.append(("single", near(specimen.single))) }
    if let owner = specimen.owner, random.below(2) == 0 { changes.append(("owner", form(of: owner))) }
    if random.below(2) == 0 { changes.append(("tag", form(of: specimen.tag.rawValue))) }
    if random.below(2) == 0 { changes.append(("grade", .text(["a", "b", "c"][specimen.grade.rawValue]))) }
    if random.below(2) == 0 { changes.append(("frc_k0", form(of: specimen.id))) }
    for (column, value) in changes {
      try c.execute(
        "UPDATE frc_rows SET \(identifier: column) = \(value) WHERE frc_k0 = \(id) AND frc_k0 = \(id) COLLATE BINARY")
      if column == "frc_k0" { break }
    }
  }

  mutating func form(of uuid: UUID) -> Value {
    let text = uuid.uuidString
    return random.pick([
      .text(text.lowercased()),
      .text(String(text.enumerated().map { $0.offset % 2 == 0 ? Character($0.element.lowercased()) : $0.element })),
      .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }), .text(text),
    ])
  }

  /// A date as others write it. Numbers are left to columns that keep them.
  mutating func form(of date: Date) -> Value {
    guard case .text(let text) = date.databaseValue else { return date.databaseValue }
    return random.pick([.text(text), .text(text.replacing(" ", with: "T") + "Z"), .text(text + "+00:00")])
  }

  /// A double that rounds to the same float.
  private mutating func near(_ single: Float) -> Value {
    let value = Double(single)
    let near = random.pick([value, value.nextUp, value.nextDown, value * (1 + 1e-9)])
    return Float(near) == single ? .real(near) : .real(value)
  }

  /// Fills the table, and returns what a program reads there.
  mutating func fill() throws -> [Specimen] {
    var made: [Specimen] = []
    for id in Self.uuids { made.append(specimen(id)) }
    let database = database
    var copy = self
    let all = try database.write { c in
      for specimen in made {
        try c.insert(specimen)
        try copy.respell(.text(specimen.id.uuidString), specimen, c)
      }
      return try c.entities("SELECT * FROM frc_rows", of: Specimen.self)
    }
    self = copy
    return all
  }
}
