import CFetchedResultsSQLite
import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import SQLiteStore
import TestSupport
import Testing

@testable import FetchedResultsCore
@testable import SQLiteEngine

/// The bytes of order keys must compare as SQLite sorts.
@Suite struct OrderKeyTests {
  private static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]
  private static let collations = ["BINARY", "NOCASE", "RTRIM", "FOLDED"]

  private struct Direction: Hashable, CustomStringConvertible {
    var isDescending: Bool
    var nulls: OrderTerm.NullPlacement?

    static let all = [false, true].flatMap { isDescending in
      [nil, .first, .last].map { Direction(isDescending: isDescending, nulls: $0) }
    }
    var description: String {
      (isDescending ? "DESC" : "ASC") + (nulls.map { $0 == .first ? " NULLS FIRST" : " NULLS LAST" } ?? "")
    }
  }

  private static func database(_ encoding: String) throws -> Database {
    let path = try TemporaryFolder.make() + "/keys.db"
    OracleWorld.makeFile(path, encoding: encoding)
    let database = try Database(path: path)
    #expect(try database.read { try $0.value("PRAGMA encoding", as: String.self) } == encoding)
    try database.addCollation("FOLDED") { OracleWorld.compare(OracleWorld.folded($0), OracleWorld.folded($1)) }
    try database.write { try $0.execute("CREATE TABLE p(n INTEGER PRIMARY KEY, v, w)") }
    return database
  }

  private static func part(_ collation: String, _ direction: Direction, _ encoding: String) -> KeyOrder.Part {
    let text: KeyOrder.Part.Text =
      switch collation {
      case "NOCASE": .nocase
      case "RTRIM": .rtrim
      case "BINARY": encoding == "UTF-8" ? .bytes : .utf16(isBigEndian: encoding == "UTF-16be")
      default: .asked(collation)
      }
    let isNullLast = direction.nulls.map { ($0 == .last) != direction.isDescending } ?? false
    return KeyOrder.Part(text: text, isDescending: direction.isDescending, isNullLast: isNullLast)
  }

  private static func values(_ dice: inout SeededGenerator) -> [Value] {
    var values: [Value] = [
      .null, .text(""), .text(" "), .text("\0"), .text("a\0"), .text("a\0\0"), .text("a\0b"), .blob([]), .blob([0]),
    ]
    values += [.blob([0, 0]), .blob([0, 1]), .blob([0, 255]), .blob([1]), .blob([255]), .blob(Array("a".utf8))]
    for base in [0, 1, 255, 1 << 31, 1 << 52, 1 << 53, 1 << 54, 1 << 60, 1 << 62] as [Int64] {
      for step in -3...3 as ClosedRange<Int64> {
        values += [
          .integer(base + step), .integer(-base + step), .real(Double(base + step)), .real(-Double(base + step)),
        ]
      }
    }
    for step in 0...1100 as ClosedRange<Int64> where step % 100 < 3 {
      values += [
        .integer(.max - step), .integer(.min + step), .real(Double(Int64.max - step)), .real(Double(Int64.min + step)),
      ]
    }
    values += [
      -0.0, 0.0, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.5,
      -0.5,
      9.3e18, 1e300, -9.3e18, 9_007_199_254_740_991.5, 4_503_599_627_370_497.5, .pi,
    ].map { Value.real($0) }
    let letters = [
      "a", "A", "b", "B", "\0", " ", "_", "z", "Z", "é", "e\u{301}", "É", "\u{FF5E}", "\u{1F600}", "\u{1}", "1",
    ]
    for _ in 0..<60 {
      values.append(.text((0..<dice.below(5)).map { _ in dice.pick(letters) }.joined()))
      values.append(.blob((0..<dice.below(4)).map { _ in dice.pick(0, 1, 97, 254, 255) }))
      values.append(.integer(Int64(bitPattern: dice.next()) >> Int64(dice.below(64))))
      let number = Double(bitPattern: dice.next())
      values.append(number.isNaN ? .null : .real(number))
    }
    return values
  }

  @Test(arguments: encodings) func `keys compare as SQLite sorts`(_ encoding: String) throws {
    var dice = SeededGenerator(seed: OracleRun.seed ?? 1)
    let database = try Self.database(encoding)
    let values = Self.values(&dice)
    try database.write { c in
      for (n, value) in values.enumerated() { try c.execute("INSERT INTO p(n, v) VALUES (\(n), \(value))") }
    }
    for collation in Self.collations {
      for direction in Direction.all {
        let part = Self.part(collation, direction, encoding)
        try database.read { c in
          let chosen = (0..<140).map { _ in dice.below(values.count) }
          let ranks = try c.values(
            "SELECT r FROM (SELECT n, dense_rank() OVER (ORDER BY v COLLATE \(raw: collation) \(raw: "\(direction)")) AS r FROM p) ORDER BY n",
            as: Int.self)
          let keys = try Self.keys("SELECT v FROM p ORDER BY n", [part], c)
          let order = KeyOrder(parts: [part], sectionOrderParts: 0, hasSections: false)
          let view = SQLiteView(connection: c)
          var failures = 0
          for left in chosen {
            // Asking SQLite takes longer.
            let rights = order.asksEngine ? Array((0..<6).map { _ in dice.below(values.count) }) : chosen
            for right in rights {
              let found =
                try order.asksEngine
                ? order.compare(keys.bytes(left), keys.bytes(right), parts: 1) { try view.compare($0, $1, $2) }
                : KeyBuffer.compare(keys, left, keys, right)
              if found.signum() != (ranks[left] - ranks[right]).signum() {
                failures += 1
                if failures < 5 {
                  Issue.record("\(encoding) \(collation) \(direction): \(values[left]) and \(values[right]): \(found)")
                }
              }
            }
            // What a section is called by follows from what its value is equal to.
            let equality: OracleSpec.Equality =
              switch collation {
              case "NOCASE": .nocase
              case "RTRIM": .rtrim
              case "BINARY": .binary
              default: .folded
              }
            var reader = KeyReader(keys.bytes(left))
            let id = reader.read(part)
            #expect(
              id == OracleAnswer.canonical(values[left], equality),
              "\(encoding) \(collation) \(direction): \(values[left])")
            #expect(reader.place == keys.bytes(left).count)
          }
        }
      }
    }
  }

  @Test(arguments: encodings) func `keys of several parts compare as SQLite sorts`(_ encoding: String) throws {
    var dice = SeededGenerator(seed: OracleRun.seed ?? 2)
    let database = try Self.database(encoding)
    let values = Self.values(&dice)
    let small = (0..<12).map { _ in dice.pick(values) } + [.null, .text("a"), .text("a\0"), .text("A"), .text("a ")]
    let rows = (0..<120).map { _ in (dice.pick(small), dice.pick(small)) }
    try database.write { c in
      for (n, (v, w)) in rows.enumerated() { try c.execute("INSERT INTO p VALUES (\(n), \(v), \(w))") }
    }
    for _ in 0..<8 {
      let (first, second) = (dice.pick(Self.collations), dice.pick(Self.collations.dropLast()))
      let (up, down) = (dice.pick(Direction.all), dice.pick(Direction.all))
      let parts = [Self.part(first, up, encoding), Self.part(second, down, encoding)]
      try database.read { c in
        let ranks = try c.values(
          """
          SELECT r FROM (SELECT n, dense_rank() OVER (
            ORDER BY v COLLATE \(raw: first) \(raw: "\(up)"), w COLLATE \(raw: second) \(raw: "\(down)")) AS r FROM p) ORDER BY n
          """, as: Int.self)
        let keys = try Self.keys("SELECT v, w FROM p ORDER BY n", parts, c)
        let order = KeyOrder(parts: parts, sectionOrderParts: 0, hasSections: true)
        let view = SQLiteView(connection: c)
        for left in rows.indices {
          for right in rows.indices.dropFirst(left) {
            let found =
              try order.asksEngine
              ? order.compare(keys.bytes(left), keys.bytes(right), parts: 2) { try view.compare($0, $1, $2) }
              : KeyBuffer.compare(keys, left, keys, right)
            guard found.signum() == (ranks[left] - ranks[right]).signum() else {
              Issue.record("\(encoding) \(first) \(up), \(second) \(down): \(rows[left]) and \(rows[right]): \(found)")
              return
            }
          }
        }
      }
    }
  }

  private static func keys(_ sql: String, _ parts: [KeyOrder.Part], _ c: Connection) throws -> KeyBuffer {
    let buffer = KeyBuffer()
    try c.withCursor(sql) { cursor in
      while try cursor.step() {
        let start = buffer.end
        buffer.beginEntry()
        for (index, part) in parts.enumerated() {
          Columns.encode(cursor.handle, Int32(index), part, into: buffer)
          if index == 0 { buffer.endSectionPart(of: start) }
        }
        buffer.endEntry(start)
      }
    }
    return buffer
  }

  @Test func `entries survive replacement and compaction`() throws {
    var dice = SeededGenerator(seed: OracleRun.seed ?? 3)
    let part = KeyOrder.Part(text: .bytes, isDescending: false, isNullLast: false)
    func entry(_ text: String) -> KeyBuffer {
      let buffer = KeyBuffer()
      buffer.beginEntry()
      var text = text
      text.withUTF8 { buffer.append(text: $0, part) }
      buffer.endSectionPart(of: 0)
      buffer.endEntry(0)
      return buffer
    }
    let buffer = KeyBuffer(capacity: 1)
    var texts: [String] = []
    for round in 0..<2000 {
      let text = String(repeating: "x", count: dice.below(40)) + "\(round)"
      if texts.isEmpty || dice.once(in: 10) {
        buffer.append(entry: 0, of: entry(text))
        texts.append(text)
      } else {
        let slot = dice.below(texts.count)
        buffer.replace(slot, with: 0, of: entry(text))
        texts[slot] = text
      }
      if dice.once(in: 50) {
        buffer.compact()
        #expect(buffer.end == buffer.liveSize)
      }
    }
    for (slot, text) in texts.enumerated() {
      var reader = KeyReader(buffer.bytes(slot))
      #expect(reader.read(part) == .text(text))
      #expect(buffer.sectionBytes(slot).count == buffer.bytes(slot).count)
    }
    #expect(buffer.liveSize == texts.indices.reduce(0) { $0 + buffer.size($1) })
  }
}
