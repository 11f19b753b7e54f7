import DataSourcesTestSupport
import FetchedResults
import TestSupport

/// How a database of a random schema is made.
struct OracleSchemaSetup: CustomStringConvertible {
  var dimensions: Set<OracleDimension>
  /// Whether most of what happens is about its dimensions, which are few.
  var isThemed: Bool
  var isFile: Bool
  var capture: Database.Options.Capture
  var encoding: String
  var journal = Database.Options.Journal.wal
  /// How many pages the writers keep in memory; nil for SQLite's default.
  var cachePages: Int?
  var isIndexed: Bool
  /// Whether the full-text index keeps how long its rows are, in a table of its own.
  var hasWordLengths: Bool
  var nameCollation: String
  var hasRaw = false
  var hasHandle = false
  var hasHistory = false
  /// The settings of the connection that is none of ours.
  var rawSettings = ""
  var kindName = "kind"
  var extraName = "extra"
  /// How long a connection waits for another; nil for the usual time.
  var busyTimeout: Duration?
  /// How many rows there are at first, about.
  var rows: Int
  var thing: OracleTable
  var kind: OracleTable
  var extra: OracleTable

  init(_ dice: inout SeededGenerator) {
    let isThemed = OracleDimension.fixed == nil && dice.once(in: 3)
    let dimensions = isThemed ? dice.pick(OracleDimension.themes) : OracleDimension.draw(&dice)
    self.init(dimensions, &dice, isThemed: isThemed)
    // If readers block writers, the timeout must be short.
    if dimensions.contains(.journals) { busyTimeout = .milliseconds(200) }
  }

  init(_ dimensions: Set<OracleDimension>, _ dice: inout SeededGenerator, isThemed: Bool = false) {
    self.dimensions = dimensions
    self.isThemed = isThemed
    let drawn = dimensions
    func has(_ dimension: OracleDimension) -> Bool { drawn.contains(dimension) }
    let isShared = has(.others) || has(.recording) || has(.journals)
    isFile = isShared || dice.below(3) > 0
    capture = dice.pick(.preupdateHook, .preupdateHook, .triggers)
    encoding = dice.pick("UTF-8", "UTF-8", "UTF-8", "UTF-8", "UTF-16le", "UTF-16be")
    if has(.journals) {
      journal = dice.pick(.wal, .delete, .delete)
      cachePages = dice.once(in: 4) ? nil : dice.pick(1, 3, 10)
    }
    isIndexed = dice.below(8) > 0
    hasWordLengths = dice.once(in: isThemed ? 4 : 2)
    nameCollation = dice.pick("BINARY", "BINARY", "NOCASE", "RTRIM")
    if has(.others) {
      hasRaw = isThemed || dice.below(4) > 0
      hasHandle = !hasRaw || !isThemed && dice.once(in: 3)
      hasHistory = isThemed || dice.below(3) > 0
    }
    if has(.recording) {
      hasHandle = hasHandle || dice.once(in: 2)
      hasHistory = hasHistory || dice.once(in: 2)
    }
    rawSettings = "PRAGMA foreign_keys = \(dice.below(2)); PRAGMA recursive_triggers = \(dice.below(4) / 3);"
    if has(.texts), dice.once(in: 2) {
      kindName = "caf\u{e9}"
      extraName = "cafe\u{301}"
    }
    rows = has(.sections) ? 150 + dice.below(150) : dice.once(in: 8) ? 0 : dice.below(14)
    func form() -> OracleTable.Form {
      guard has(.keys) || has(.ids) else { return .alias }
      let form = dice.pick(OracleTable.Form.often)
      // Where ids are NULL or occur more than once, such a key.
      return has(.ids) && form.needsIntegers ? dice.pick(.none, .composite, .text, .int, .descending) : form
    }
    kind = OracleTable(
      kindName, has(.keys) ? dice.pick(.alias, .text, .descending, .withoutRowID, .strict) : .alias,
      own: [.init(name: "name", type: "TEXT"), .init(name: "pos", type: "INTEGER")], isOrdered: true, &dice)
    // Only a column of the same affinity is searched for by its index.
    let group = dice.once(in: 4) ? "" : kind.idType
    let type = form()
    thing = Self.thing(type, nameCollation, group, isOrdered: dice.once(in: 3) || !has(.keys), &dice)
    if has(.evictions) {
      for _ in 0..<dice.pick(1, 1, 2) { thing.addEviction(byDefault: isThemed, &dice) }
    }
    extra = OracleTable(
      extraName,
      has(.keys) ? dice.pick(.alias, .hiddenDescending, .withoutRowID, .withoutRowIDComposite, .autoincrement) : .alias,
      own: [.init(name: "item", type: dice.once(in: 4) ? "" : thing.idType), .init(name: "label")],
      isOrdered: !has(.keys), &dice)
  }

  private static func thing(
    _ form: OracleTable.Form, _ collation: String, _ group: String, isOrdered: Bool, _ dice: inout SeededGenerator
  ) -> OracleTable {
    let own: [OracleTable.Column] = [
      .init(name: "name", constraints: collation == "BINARY" ? "" : "COLLATE \(collation)"), .init(name: "rank"),
      .init(name: "amount", type: dice.pick("REAL", "REAL", "TEXT", "INTEGER")), .init(name: "grp", type: group),
      .init(name: "done", type: "INTEGER", constraints: "NOT NULL DEFAULT 0"), .init(name: "code"),
    ]
    return OracleTable("thing", form, own: own, isOrdered: isOrdered, &dice)
  }

  func has(_ dimension: OracleDimension) -> Bool { dimensions.contains(dimension) }

  var description: String {
    let kinds = dimensions.map(\.rawValue).sorted().joined(separator: ",")
    return "ORACLE=\(kinds.isEmpty ? "none" : kinds) \(isFile ? "file" : "memory") \(capture) \(encoding) \(journal)"
      + (cachePages.map { " cache: \($0)" } ?? "") + (isIndexed ? " indexed" : "")
      + (hasRaw ? " raw: \(rawSettings)" : "")
      + (hasHandle ? " handle" : "") + (hasHistory ? " history" : "")
      + "\n\((thing.statements + kind.statements + extra.statements).joined(separator: "\n"))"
  }
}
