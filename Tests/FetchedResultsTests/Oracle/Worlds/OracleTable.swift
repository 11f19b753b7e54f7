import DataSourcesTestSupport
import FetchedResults
import TestSupport

/// A table of a random schema: how its rows are keyed, and what may evict them.
struct OracleTable {
  /// How a table tells its rows apart.
  enum Form: String, CaseIterable {
    /// The id is the row id; the second one by a constraint of the table, where DESC makes no difference.
    case alias, aliasByConstraint, autoincrement
    /// INTEGER PRIMARY KEY DESC, which is no row id.
    case descending
    /// A primary key beside the row id.
    case text, int, composite
    /// No key at all.
    case none
    /// Columns take the names of the row id, and the id may be an alias or not.
    case hidden, hiddenAlias, hiddenDescending
    case strict
    /// WITHOUT ROWID, by the id, by two columns, and in any order.
    case withoutRowID, withoutRowIDComposite, withoutRowIDReversed

    /// All of them, and those more than once whose rows SQLite reports in ways of their own.
    static let often =
      allCases + [
        .descending, .hiddenDescending, .hiddenDescending, .withoutRowID, .withoutRowIDComposite, .withoutRowIDReversed,
      ]

    var isWithoutRowID: Bool { rawValue.hasPrefix("withoutRowID") }
    /// Whether only integers can be ids.
    var needsIntegers: Bool {
      switch self {
      case .alias, .aliasByConstraint, .autoincrement, .hiddenAlias: true
      default: false
      }
    }
    /// Whether the schema lets an id occur once only, NULL apart.
    var isUnique: Bool {
      switch self {
      case .composite, .none, .hidden, .withoutRowIDComposite, .withoutRowIDReversed: false
      default: true
      }
    }
  }

  struct Column {
    var name: String
    var type = ""
    var constraints = ""

    var declaration: String { [name, type, constraints].filter { !$0.isEmpty }.joined(separator: " ") }
  }

  var name: String
  var form: Form
  var columns: [Column] = []
  var idCollation = "BINARY"
  var idType = ""
  var constraints: [String] = []
  var indices: [String] = []
  private var evictions: Set<Int> = []
  var quotedName: String { "\"\(name)\"" }

  init(_ name: String, _ form: Form, own: [Column], isOrdered: Bool, _ dice: inout SeededGenerator) {
    self.name = name
    self.form = form
    columns = own
    columns.append(Column(name: "part", type: dice.pick("", "INTEGER", "REAL", "TEXT", "NUMERIC")))
    columns.insert(Column(name: "id"), at: 0)
    if !isOrdered { columns.shuffle(using: &dice) }
    switch form {
    case .hidden, .hiddenAlias, .hiddenDescending:
      for name in ["rowid", "oid", "_rowid_"] {
        columns.insert(Column(name: name, type: dice.pick("", "INTEGER", "TEXT")), at: dice.below(columns.count + 1))
      }
    default: break
    }
    declareKey(&dice)
  }

  private mutating func declareKey(_ dice: inout SeededGenerator) {
    let id = columns.firstIndex { $0.name == "id" } ?? 0
    let part = columns.firstIndex { $0.name == "part" } ?? 0
    let mixed = ["INTEGER", "INTEGER", "REAL", "TEXT", "NUMERIC", "", "INT"]
    if form.needsIntegers || form == .descending || form == .hiddenDescending {
      idType = dice.pick("INTEGER", "INTEGER", "integer", "\"INTEGER\"")
    } else {
      idType =
        form == .text ? "TEXT" : form == .int ? "INT" : form == .strict ? dice.pick("ANY", "INT") : dice.pick(mixed)
    }
    if !form.needsIntegers, dice.once(in: 4) { idCollation = dice.pick("NOCASE", "RTRIM") }
    let collation = idCollation == "BINARY" ? "" : "COLLATE \(idCollation)"
    columns[id].type = idType
    switch form {
    case .alias, .hiddenAlias: columns[id].constraints = "PRIMARY KEY" + dice.pick("", " ASC")
    case .autoincrement: columns[id].constraints = "PRIMARY KEY AUTOINCREMENT"
    case .aliasByConstraint: constraints.append("PRIMARY KEY (id\(dice.pick("", " DESC")))")
    case .descending, .hiddenDescending: columns[id].constraints = "\(collation) PRIMARY KEY DESC"
    case .text, .int: columns[id].constraints = "\(collation) PRIMARY KEY\(dice.pick("", " DESC"))"
    case .strict:
      columns[id].constraints = "\(collation) PRIMARY KEY"
      for index in columns.indices where index != id { columns[index].type = "ANY" }
    case .none, .hidden: columns[id].constraints = collation
    case .composite:
      columns[id].constraints = collation
      constraints.append("PRIMARY KEY (\(dice.pick("id, part", "part, id")))")
    case .withoutRowID:
      columns[id].constraints = "NOT NULL \(collation)"
      constraints.append("PRIMARY KEY (id\(dice.pick("", " DESC")))")
    case .withoutRowIDComposite, .withoutRowIDReversed:
      columns[id].constraints = "NOT NULL \(collation)"
      columns[part].constraints = "NOT NULL DEFAULT 1"
      let descending = dice.pick("", " DESC")
      constraints.append(
        "PRIMARY KEY (\(form == .withoutRowIDReversed ? "part\(descending), id" : "id\(descending), part"))")
    }
  }

  /// Has a REPLACE evict rows by something else than the key.
  ///
  /// - Parameter byDefault: whether mostly by the default of a column that is given no value.
  mutating func addEviction(byDefault: Bool = false, _ dice: inout SeededGenerator) {
    guard let code = columns.firstIndex(where: { $0.name == "code" }) else { return }
    let type = form == .strict ? "ANY" : dice.pick("TEXT", "TEXT", "", "REAL", "INTEGER")
    columns[code].type = type
    let stored = form == .strict ? "ANY" : ""
    // The one column that is computed, and each index, is made once.
    let choice = (byDefault ? dice.below(3) > 0 : dice.once(in: 3)) ? dice.below(2) : dice.below(9)
    guard evictions.insert(choice == 3 ? 2 : choice).inserted else { return }
    switch choice {
    case 0: columns[code].constraints = "NOT NULL DEFAULT \(dice.pick("'x'", "1", "(lower('X'))")) UNIQUE"
    case 1:
      columns[code].constraints =
        "NOT NULL ON CONFLICT REPLACE DEFAULT 'x' UNIQUE\(dice.pick("", " ON CONFLICT REPLACE"))"
    case 2:
      columns.append(
        Column(
          name: "low", type: stored,
          constraints:
            "AS (\(dice.pick("lower(code)", "code || '-' || done"))) \(dice.pick("STORED", "VIRTUAL")) UNIQUE"))
    case 3:
      // Before the others, so that a virtual column shifts the places of the stored ones.
      columns.insert(
        Column(
          name: "low", type: stored, constraints: "AS (lower(code)) \(dice.pick("STORED", "VIRTUAL", "VIRTUAL")) UNIQUE"
        ), at: 0)
    case 4:
      indices.append(
        "CREATE UNIQUE INDEX \(name)_expression ON \(quotedName)(\(dice.pick("lower(code)", "code || '-' || done", "ifnull(code, 'x')")))"
      )
    case 5:
      indices.append(
        "CREATE UNIQUE INDEX \(name)_partial ON \(quotedName)(code) WHERE \(dice.pick("done = 0", "code > 'b'", "done"))"
      )
    case 6: columns[code].constraints = "COLLATE \(dice.pick("NOCASE", "RTRIM")) UNIQUE"
    case 7:
      indices.append(
        "CREATE UNIQUE INDEX \(name)_folded ON \(quotedName)(code COLLATE \(dice.pick("NOCASE", "RTRIM")))")
    default:
      constraints.append("UNIQUE (\(dice.pick("code, done", "done, code")))\(dice.pick("", " ON CONFLICT REPLACE"))")
    }
  }

  var declaration: String {
    let parts = columns.map(\.declaration) + constraints
    var options: [String] = []
    if form.isWithoutRowID { options.append("WITHOUT ROWID") }
    if form == .strict { options.append("STRICT") }
    return "CREATE TABLE \(quotedName)(\(parts.joined(separator: ", "))) \(options.joined(separator: ", "))"
  }

  /// What makes the table.
  var statements: [String] { [declaration] + indices }

  /// What tells its rows apart in SQL; empty when nothing does that could be named.
  var key: [String] {
    switch form {
    case .withoutRowID: ["id"]
    case .withoutRowIDComposite: ["id", "part"]
    case .withoutRowIDReversed: ["part", "id"]
    case .hiddenAlias: ["id"]
    case .hidden, .hiddenDescending: []
    default: ["rowid"]
    }
  }

  /// A literal of an id. `number` is from 1.
  func id(_ number: Int, _ hasTexts: Bool, _ dice: inout SeededGenerator) -> String {
    if form.needsIntegers || ["INT", "integer", "\"INTEGER\"", "INTEGER"].contains(idType) { return "\(number)" }
    if idType == "REAL" { return number % 3 == 0 ? "\(number).5" : "\(number)" }
    if hasTexts, number % 2 == 0 { return number % 4 == 0 ? "'\u{e9}\(number / 4)'" : "'e\u{301}\(number / 4 + 1)'" }
    switch number % 5 {
    case 0 where idType != "TEXT": return "x'0\(number % 10)'"
    case 1:
      if idCollation == "NOCASE", dice.once(in: 2) { return "'K\(number)'" }
      return idCollation == "RTRIM" && dice.once(in: 2) ? "'k\(number) '" : "'k\(number)'"
    case 2 where idType != "TEXT": return "\(number).5"
    case 3: return "'t\(number)'"
    default: return "\(number)"
    }
  }
}
