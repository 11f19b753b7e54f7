import Foundation
import SQLiteStore
import Testing

/// How values are stored, found again and compared, whichever way they go in.
@Suite struct StoredFormTests {
  /// A raw value, and a stored value of its own.
  enum Grade: Int, ValueConvertible, CaseIterable {
    case a = 1
    case b, c

    var databaseValue: Value { .text("ABC".map(String.init)[rawValue - 1]) }

    init(databaseValue: Value) throws {
      guard case .text(let text) = databaseValue, let index = ["A", "B", "C"].firstIndex(of: text.uppercased()),
        let grade = Grade(rawValue: index + 1)
      else { throw DatabaseError.mismatch(expected: "a grade from A to C", found: databaseValue) }
      self = grade
    }

    static var storedForms: StoredForms { .several }
  }

  struct Pupil: MappedEntity, Equatable {
    static let table = "pupil"
    static let mapping = Mapping(Pupil.init, ("id", \.id), ("grade", \.grade))
    var id: Int64
    var grade: Grade
  }

  @Test func `a raw-valued type with its own databaseValue is always stored by that`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE pupil(id INTEGER PRIMARY KEY, grade)")
      try c.insert(Pupil(id: 1, grade: .a))
      try c.execute("INSERT INTO pupil VALUES (2, \(Grade.a))")
      let insert = try c.prepare("INSERT INTO pupil VALUES (?, ?)")
      try insert.run(3, Grade.a)
      #expect(try c.values("SELECT grade FROM pupil", as: String.self) == ["A", "A", "A"])
      #expect(try c.all(Pupil.self).map(\.grade) == [.a, .a, .a])
      #expect(try c.rows("SELECT grade FROM pupil").map { try $0[0] as Grade } == [.a, .a, .a])
      try c.execute("UPDATE pupil SET grade = 7 WHERE id = 3")
      let error = try databaseError { try c.all(Pupil.self) }
      #expect(error.message == "column \"grade\": expected a grade from A to C, found INTEGER 7")
    }
  }

  // MARK: Ids

  /// Its id is in another column than the one that is usual.
  struct Coded: MappedEntity, Equatable {
    static let table = "coded"
    static let mapping = Mapping(Coded.init, ("code", \.id), ("id", \.number))
    var id: Int64
    var number: Int64
  }

  struct Contradiction: MappedEntity {
    static let table = "coded"
    static let idColumn = "id"
    static let mapping = Mapping(Contradiction.init, ("code", \.id), ("id", \.number))
    var id: Int64
    var number: Int64
  }

  struct Decoded: Entity, Decodable {
    enum CodingKeys: String, CodingKey { case id = "code", number = "id" }
    static let table = "coded"
    var id: Int64
    var number: Int64
  }

  struct ByHand: Entity {
    static let table = "coded"
    var id: Int64
    init(row: Row) throws { id = try row["code"] }
  }

  struct Computed: MappedEntity {
    static let table = "coded"
    static let mapping = Mapping(Computed.init, ("code", \.code), ("id", \.number))
    var code: Int64
    var number: Int64
    var id: Int64 { code }
  }

  private func coded<T>(_ body: (Connection) throws -> T) throws -> T {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE coded(id INTEGER PRIMARY KEY, code INTEGER)")
      try c.execute("INSERT INTO coded VALUES (1, 2), (2, 1)")
      return try body(c)
    }
  }

  @Test func `an entity is found and deleted by the column that its id is mapped to`() throws {
    try coded { c in
      let first = try #require(try c.all(Coded.self).first { $0.number == 1 })
      #expect(Coded.idColumn == "code" && first.id == 2)
      #expect(try c.entity(Coded.self, id: 2) == first)
      #expect(try c.delete(first))
      #expect(try c.values("SELECT id FROM coded", as: Int.self) == [2])
    }
  }

  @Test func `an id column that contradicts the mapping is an error at the first use`() throws {
    try coded { c in
      let uses: [() throws -> Any?] = [
        { try c.entity(Contradiction.self, id: 1) }, { try c.all(Contradiction.self) },
        { try c.delete(Contradiction(id: 1, number: 2)) }, { try c.insert(Contradiction(id: 3, number: 3)) },
        { try c.update(Contradiction(id: 1, number: 2)) }, { try c.upsert(Contradiction(id: 1, number: 2)) },
      ]
      for use in uses {
        let message = try databaseError { try use() }.message
        #expect(message.contains("mapped to the column \"code\", and its idColumn is \"id\""), "\(message)")
      }
      #expect(try c.values("SELECT id FROM coded ORDER BY id", as: Int.self) == [1, 2])
    }
  }

  @Test func `an id that is read from another column than its id column is an error`() throws {
    try coded { c in
      #expect(try databaseError { try c.all(Decoded.self) }.message.contains("its id is 2"))
      #expect(try databaseError { try c.entity(Decoded.self, id: 1) }.message.contains("idColumn"))
      let byHand = try #require(try c.all(ByHand.self).first)
      #expect(try databaseError { try c.delete(byHand) }.message.contains("has the id"))
      let computed = Computed(code: 2, number: 1)
      #expect(try databaseError { try c.delete(computed) }.message.contains("its id is 2"))
      #expect(try c.count(Decoded.self) == 2)
    }
  }

  // MARK: Several forms

  struct Owned: MappedEntity, Equatable {
    static let table = "owned"
    static let mapping = Mapping(Owned.init, ("id", \.id), ("name", \.name))
    var id: UUID
    var name: String
  }

  struct OwnID: RawRepresentable, ValueConvertible, Hashable, Codable {
    var rawValue: UUID
  }

  struct OwnOwned: MappedEntity, Equatable {
    static let table = "owned"
    static let mapping = Mapping(OwnOwned.init, ("id", \.id), ("name", \.name))
    var id: OwnID
    var name: String
  }

  private static let uuid = UUID(uuidString: "3F2504E0-4F89-11D3-9A0C-0305E82C3301")!
  private static let forms: [Value] = [
    .text(uuid.uuidString), .text(uuid.uuidString.lowercased()), .text("3f2504E0-4f89-11D3-9A0C-0305e82C3301"),
    .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }),
  ]

  @Test(arguments: forms, ["TEXT PRIMARY KEY", "DATETIME PRIMARY KEY", "TEXT PRIMARY KEY COLLATE NOCASE", ""])
  func `a UUID is one id, whatever form others stored it in`(_ form: Value, _ declaration: String) throws {
    let id = Self.uuid
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE owned(id \(raw: declaration), name TEXT)")
      for _ in 0..<20 { try c.insert(Owned(id: UUID(), name: "other")) }
      try c.execute("INSERT INTO owned VALUES (\(form), 'a')")
      #expect(try c.entity(Owned.self, id: id)?.name == "a")
      #expect(try c.entity(OwnOwned.self, id: OwnID(rawValue: id))?.name == "a")
      try c.update(Owned(id: id, name: "b"))
      if declaration.isEmpty {
        // There is nothing that an upsert could run into.
        try c.update(OwnOwned(id: OwnID(rawValue: id), name: "d"))
      } else {
        try c.upsert(Owned(id: id, name: "c"))
        try c.upsert(OwnOwned(id: OwnID(rawValue: id), name: "d"))
      }
      #expect(try c.values("SELECT name FROM owned WHERE name <> 'other'", as: String.self) == ["d"])
      #expect(try c.value("SELECT id FROM owned WHERE name = 'd'", as: Value.self) == form)
      if !declaration.isEmpty {
        #expect(try databaseError { try c.insert(Owned(id: id, name: "e")) }.code == .constraint)
        #expect(try databaseError { try c.inserted(Owned(id: id, name: "e")) }.code == .constraint)
      }
      #expect(try c.delete(Owned(id: id, name: "d")))
      #expect(try c.entity(Owned.self, id: id) == nil && c.count(Owned.self) == 20)
      #expect(try databaseError { try c.update(Owned(id: id, name: "f")) }.code == .notFound)
    }
  }

  @Test func `an index is used to search for a UUID in any form`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE owned(id TEXT PRIMARY KEY, name TEXT)")
      let insert = try c.prepare("INSERT INTO owned VALUES (?, '')")
      for _ in 0..<500 { try insert.run(UUID()) }
      for _ in 0..<50 { _ = try c.entity(Owned.self, id: UUID()) }
      let costs = c.statementStatistics.filter { $0.sql.hasPrefix("SELECT * FROM \"owned\"") }
      #expect(!costs.isEmpty && costs.allSatisfy { $0.statistics.fullScanSteps == 0 })
    }
  }

  // MARK: What is written can be read

  struct Dated: MappedEntity, Equatable {
    static let table = "dated"
    static let mapping = Mapping(Dated.init, ("id", \.id), ("day", \.day), ("text", \.text))
    var id: Int64
    var day: Date
    var text: String
  }

  @Test func `a value that could not be read again from its column is an error at the write`() throws {
    let far = Date(timeIntervalSince1970: 1e12)
    let now = Date(timeIntervalSince1970: 1e9)
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE dated(id INTEGER PRIMARY KEY, day TEXT, text DATE)")
      for write in [c.upsert, { _ = try c.insert($0) }, { _ = try c.inserted($0) }] as [(Dated) throws -> Void] {
        let error = try databaseError { try write(Dated(id: 1, day: far, text: "x")) }
        #expect(error.code == .mismatch && error.message.contains("\"day\" of dated, declared TEXT"), "\(error)")
        #expect(error.message.contains("years 0 to 9999"))
        let other = try databaseError { try write(Dated(id: 1, day: now, text: " 2024 ")) }
        #expect(other.message.contains("INTEGER 2024") && other.message.contains("declare the column TEXT"), "\(other)")
      }
      try c.insert(Dated(id: 1, day: now, text: "2024-01"))
      #expect(try databaseError { try c.update(Dated(id: 1, day: far, text: "x")) }.code == .mismatch)
      #expect(try c.all(Dated.self) == [Dated(id: 1, day: now, text: "2024-01")])
      try c.execute("DROP TABLE dated")
      try c.execute("CREATE TABLE dated(id INTEGER PRIMARY KEY, day, text)")
      try c.insert(Dated(id: 1, day: far, text: "2024"))
      #expect(try c.all(Dated.self) == [Dated(id: 1, day: far, text: "2024")])
    }
  }

  @Test func `the first and the last second that are stored as text come back from a text column`() throws {
    for text in ["0000-01-01 00:00:00", "9999-12-31 23:59:59"] {
      let date = try Date(databaseValue: .text(text))
      try Database.inMemory().write { c in
        try c.execute("CREATE TABLE dated(id INTEGER PRIMARY KEY, day TEXT, text TEXT)")
        try c.insert(Dated(id: 1, day: date, text: ""))
        #expect(try c.all(Dated.self).map(\.day) == [date])
        let outside = date.addingTimeInterval(text.hasPrefix("0") ? -1 : 1)
        #expect(throws: DatabaseError.self) { try c.insert(Dated(id: 2, day: outside, text: "")) }
      }
    }
  }

  struct Moment: RawRepresentable, ValueConvertible, Equatable {
    var rawValue: Date
  }

  @Test func `a date without a text form is an error in any statement`() throws {
    let far = Date(timeIntervalSince1970: 1e12)
    let early = Date(timeIntervalSince1970: -1e12)
    let last = try Date(databaseValue: .text("9999-12-31 23:59:59"))
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE dated(id INTEGER PRIMARY KEY, day TEXT, text TEXT)")
      try c.execute("INSERT INTO dated VALUES(1, \(last), '')")
      for sql in [
        "UPDATE dated SET day = \(far)", "UPDATE dated SET day = \(early)", "UPDATE dated SET day = \(far as Date?)",
        "UPDATE dated SET day = \(Moment(rawValue: far))", "DELETE FROM dated WHERE day < \(far)",
        "DELETE FROM dated WHERE day NOT IN \([last, far])",
        "DELETE FROM dated WHERE id = 1 AND \("day < \(far)" as SQL)",
      ] as [SQL] {
        let error = try databaseError { try c.execute(sql) }
        #expect(error.code == .mismatch && error.message.contains("years 0 to 9999"), "\(error)")
      }
      #expect(try c.all(Dated.self).map(\.day) == [last])
      let none = Date(timeIntervalSince1970: .nan)
      for sql in ["UPDATE dated SET day = \(none)", "DELETE FROM dated WHERE day IN \([none])"] as [SQL] {
        #expect(try databaseError { try c.execute(sql) }.message.contains("a date that is not a number"))
      }
      // If a number is meant, bind a number.
      try c.execute("CREATE TABLE times(seconds)")
      try c.execute("INSERT INTO times VALUES(\(far.timeIntervalSince1970)), (\(Float(1e12)))")
      #expect(
        try c.value("SELECT min(seconds) FROM times", as: Date.self) == Date(timeIntervalSince1970: Double(Float(1e12)))
      )
    }
  }

  @Test func `nil is stored as NULL, and a DEFAULT applies to columns that are left out`() throws {
    struct Short: MappedEntity {
      static let table = "item"
      static let mapping = Mapping(Short.init, ("id", \.id), ("title", \.title))
      var id: Int64?
      var title: String
    }
    try Database.inMemory().write { c in
      try c.execute(
        "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, done DEFAULT 1, weight DEFAULT 2, note DEFAULT 'd')")
      let inserted = try c.inserted(Item(id: nil, title: "a", done: true, weight: 0, note: nil))
      #expect(inserted.id == 1 && inserted.note == nil)
      try c.insert(Short(id: nil, title: "b"))
      #expect(try c.values("SELECT note FROM item ORDER BY id", as: String?.self) == [nil, "d"])
    }
  }

  // MARK: What another program stored

  struct Reference: MappedEntity, Equatable {
    static let table = "reference"
    static let mapping = Mapping(
      Reference.init, ("id", \.id), ("parent", \.parent), ("due", \.due), ("count", \.count))
    var id: Int64
    var parent: UUID?
    var due: Date?
    var count: Int
  }

  @Test func `a changed value takes the form of the one that it replaces, where that can hold it exactly`() throws {
    let (old, new) = (UUID(), UUID())
    func bytes(_ id: UUID) -> Value { .blob(withUnsafeBytes(of: id.uuid) { [UInt8]($0) }) }
    func lower(_ id: UUID) -> Value { .text(id.uuidString.lowercased()) }
    let day = Date(timeIntervalSince1970: 86_400)
    let half = Date(timeIntervalSince1970: 86_400.5)
    let instant = Date(timeIntervalSinceReferenceDate: 1e-9)
    let far = Date(timeIntervalSince1970: 1e12)
    let ids: [(stored: Value, id: UUID?, expected: Value)] = [
      (bytes(old), old, bytes(old)), (bytes(old), new, bytes(new)), (lower(old), new, lower(new)),
      (.text(old.uuidString), new, .text(new.uuidString)), (bytes(old), nil, .null),
      (.null, new, .text(new.uuidString)),
      (.text("none"), new, .text(new.uuidString)), (.blob([1]), new, .text(new.uuidString)),
    ]
    let dates: [(stored: Value, due: Date?, expected: Value)] = [
      (5, day, 86_400), (5.5, day, 86_400.0), (5, half, 86_400.5), (5, instant, instant.databaseValue), (5, nil, .null),
      (.null, day, "1970-01-02 00:00:00"), ("1970-01-01", day, "1970-01-02 00:00:00"), (5, far, 1e12),
    ]
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE reference(id INTEGER PRIMARY KEY, parent, due, count INTEGER)")
      for write in [c.update, c.upsert] as [(Reference) throws -> Void] {
        for (stored, id, expected) in ids {
          try c.execute("REPLACE INTO reference VALUES (1, \(stored), NULL, 1)")
          try write(Reference(id: 1, parent: id, due: nil, count: 2))
          #expect(
            try c.rows("SELECT parent, count FROM reference").map { try $0.values } == [[expected, 2]], "\(stored)")
        }
        for (stored, due, expected) in dates {
          try c.execute("REPLACE INTO reference VALUES (1, NULL, \(stored), 1)")
          try write(Reference(id: 1, parent: nil, due: due, count: 2))
          #expect(try c.rows("SELECT due, count FROM reference").map { try $0.values } == [[expected, 2]], "\(stored)")
          #expect(try c.entity(Reference.self, id: 1)?.due == due)
        }
      }
    }
  }

  @Test func `nil is refused where the table would store its DEFAULT in place of NULL`() throws {
    struct Numbered: MappedEntity, Equatable {
      static let table = "numbered"
      static let mapping = Mapping(Numbered.init, ("id", \.id), ("number", \.number))
      var id: Int64
      var number: Int?
    }
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE numbered(id INTEGER PRIMARY KEY, number INT NOT NULL ON CONFLICT REPLACE DEFAULT 7)")
      try c.insert(Numbered(id: 1, number: 5))
      for write in [c.upsert, c.update, { _ = try c.insert($0) }, { _ = try c.inserted($0) }]
        as [(Numbered) throws -> Void]
      {
        let error = try databaseError { try write(Numbered(id: 1, number: nil)) }
        #expect(error.extendedCode == .constraintNotNull && error.columns == ["numbered.number"], "\(error)")
      }
      #expect(try c.all(Numbered.self) == [Numbered(id: 1, number: 5)])
    }
  }

  // MARK: Lists

  @Test func `long lists of texts, bytes and UUIDs find the same rows as short ones`() throws {
    try Database.inMemory().write { c in
      try c.execute("CREATE TABLE t(x)")
      let texts = ["", "a", "\"\\/\u{1}\n\u{1F}", "a\u{0}b", "日本 é 😀", "null", "1"]
      for text in texts { try c.execute("INSERT INTO t VALUES (\(text)), (\(Array(text.utf8)))") }
      let filler = (0..<40_000).map { "filler \($0)" }
      let withoutNUL = texts.filter { !$0.utf8.contains(0) }
      #expect(try c.values("SELECT x FROM t WHERE x IN \(filler + withoutNUL)", as: String.self) == withoutNUL)
      #expect(try c.values("SELECT x FROM t WHERE x IN \(filler + texts)", as: String.self) == texts)
      let bytes = (filler + texts).map { Data($0.utf8) }
      #expect(try c.values("SELECT x FROM t WHERE x IN \(bytes)", as: Data.self) == texts.map { Data($0.utf8) })
      let error = try databaseError { try c.rows("SELECT x FROM t WHERE x IN \(filler.map { Double($0.utf8.count) })") }
      #expect(error.code == .tooBig && error.message.contains("40000") && error.message.contains("32766"))
    }
  }
}
