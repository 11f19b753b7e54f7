import DataSourcesTestSupport
import FetchedResults
import TestSupport

extension OracleSpec {
  private static func equality(_ collation: String) -> Equality {
    switch collation {
    case "NOCASE": .nocase
    case "RTRIM": .rtrim
    default: .binary
    }
  }

  /// A request for rows of `thing`.
  static func things(_ setup: OracleSchemaSetup, _ dice: inout SeededGenerator) -> OracleSpec {
    let kind = setup.kind.quotedName
    let extra = setup.extra.quotedName
    var from: String?
    var conditions = [
      "NOT thing.done", "thing.rank > 1", "thing.name IS NOT NULL", "thing.code = 'x'", "thing.id > 2",
      "thing.part <> 1", "thing.rank IN (SELECT value FROM json_each('[1,2,3,5,8]'))",
      "EXISTS (SELECT 1 FROM \(extra) AS e WHERE e.item = thing.id)",
      "NOT EXISTS (SELECT 1 FROM \(extra) AS e WHERE e.item = thing.id AND e.label = 'y')",
    ]
    var orders = ["thing.name", "thing.rank", "thing.code", "thing.amount", "thing.part"]
    let name = equality(setup.nameCollation)
    var sections: [(value: String, equality: Equality)] = [
      ("thing.name", name), ("thing.name", name), ("thing.name COLLATE NOCASE", .nocase),
      ("thing.name COLLATE RTRIM", .rtrim),
      ("thing.name COLLATE FOLDED", .folded), ("thing.grp", .binary), ("thing.rank", .binary), ("thing.done", .binary),
    ]
    var hasKind = false
    switch dice.below(9) {
    case 0, 1: from = nil
    case 2: from = "thing"
    case 3, 4: (from, hasKind) = ("thing LEFT JOIN \(kind) AS kind ON kind.id = thing.grp", true)
    case 5: (from, hasKind) = ("thing JOIN \(kind) AS kind ON kind.id = thing.grp", true)
    case 6:
      from = "thing LEFT JOIN \(kind) AS kind ON kind.id = thing.grp AND kind.pos > 0"
      hasKind = true
      conditions += ["kind.id IS NULL"]
    default: from = nil
    }
    if hasKind {
      conditions += ["kind.pos > 1", "kind.name IS NULL", "kind.id IS NOT NULL"]
      orders += ["kind.name", "kind.pos"]
      sections += [("kind.name", .binary), ("kind.pos", .binary)]
    }
    if setup.has(.texts) {
      for _ in 0..<3 {
        conditions += [
          "thing.name = '\u{e9}'", "thing.name = 'e\u{301}'", "thing.id <> 'e\u{301}1'", "thing.id <> '\u{e9}1'",
        ]
      }
    }
    if setup.has(.unseen) { conditions += unseenConditions + unseenConditions }
    var condition = dice.below(3) > 0 ? dice.pick(conditions) : nil
    if let first = condition, dice.once(in: 4) {
      condition = "(\(first)) \(dice.pick("AND", "OR")) (\(dice.pick(conditions)))"
    }
    var select: [(name: String, expression: String)] = []
    if setup.has(.unseen), setup.isThemed || dice.once(in: 2) { select = [("seen", dice.pick(unseenValues(setup)))] }
    var spec = OracleSpec(source: .pieces(from: from, alias: "thing", select: select, condition: condition))
    spec.order = terms(orders, &dice)
    if dice.below(4) > 0 || setup.has(.windows) {
      if hasKind, dice.once(in: 2) {
        spec.sections = kinds(setup, &dice)
      } else {
        let (value, equality) = dice.pick(sections)
        spec.sections = Sections(value: value, equality: equality)
        if dice.once(in: setup.has(.windows) ? 2 : 5) {
          spec.sections?.name = dice.pick("thing.name", "thing.code", "thing.id", "thing.name || thing.rank")
        }
      }
    }
    window(&spec, setup, &dice)
    return spec
  }

  private static func terms(_ orders: [String], _ dice: inout SeededGenerator) -> [Term] {
    (0..<dice.below(3)).map { _ in
      var term = Term(expression: dice.pick(orders))
      term.isDescending = dice.once(in: 2)
      if dice.once(in: 3) { term.nulls = dice.pick(.first, .last) }
      if dice.once(in: 4) {
        term.collation = dice.pick(.binary, .nocase, .rtrim, .named("FOLDED"), .named("BACKWARDS"))
      }
      return term
    }
  }

  private static func kinds(_ setup: OracleSchemaSetup, _ dice: inout SeededGenerator) -> Sections {
    var sections = Sections(value: "kind.id", equality: equality(setup.kind.idCollation))
    if dice.once(in: 2) { sections.orderedBy = [Term(expression: "kind.pos", isDescending: dice.once(in: 2))] }
    if dice.below(3) > 0 { sections.name = dice.pick("kind.name", "kind.name || kind.pos") }
    if dice.once(in: 2) {
      sections.includedColumns = 3
      sections.including = "SELECT id, name, pos FROM \(setup.kind.quotedName)"
      if sections.orderedBy.isEmpty { sections.includedColumns = 2 }
      if sections.includedColumns == 2 { sections.including = "SELECT id, name FROM \(setup.kind.quotedName)" }
    }
    return sections
  }

  /// Repeated ids are ordered too, so that it is certain which of the two a window contains.
  private static func window(_ spec: inout OracleSpec, _ setup: OracleSchemaSetup, _ dice: inout SeededGenerator) {
    guard setup.has(.windows) ? dice.below(4) > 0 : dice.once(in: 5) else { return }
    if setup.has(.ids) {
      guard case .pieces = spec.source else { return }
      let columns = ["name", "rank", "amount", "grp", "done", "code", "part"]
      spec.order += columns.map { Term(expression: "quote(thing.\($0))") }
    }
    spec.limit = dice.once(in: 5) ? nil : dice.below(setup.rows > 100 ? 60 : 8)
    spec.offset = dice.once(in: 2) ? 0 : dice.below(5)
  }

  private static let unseenConditions = [
    "thing.id IN (SELECT rowid FROM words WHERE words MATCH 'x')", "thing.id IN (SELECT id FROM area WHERE low > 1)",
    "thing.rank < (SELECT seq FROM sqlite_sequence WHERE name = 'counter')",
    "thing.rank < (SELECT count(*) FROM sqlite_schema WHERE name LIKE 'added%')",
  ]

  private static func unseenValues(_ setup: OracleSchemaSetup) -> [String] {
    let all = [
      "(SELECT count(*) FROM vocabulary)", "(SELECT count(*) FROM words_docsize)",
      "(SELECT sum(length(block)) FROM words_data)", "(SELECT count(*) FROM words_data)",
      "(SELECT hex(block) FROM words_data WHERE id = 1)",
      "(SELECT max(seq) FROM sqlite_sequence)", "(SELECT count(*) FROM sqlite_schema)",
      "(SELECT count(*) FROM words WHERE words MATCH 'y')",
      "(SELECT count(*) FROM area)", "(SELECT user_version FROM pragma_user_version)",
      "(SELECT count(*) FROM pragma_table_info('thing'))",
      "(SELECT count(*) FROM pragma_index_list('other'))",
    ]
    let words = setup.isThemed ? all.filter { $0.contains("words_data") || $0.contains("vocabulary") } : []
    return (all + words).filter { setup.hasWordLengths || !$0.contains("docsize") }
  }

  /// A request of a whole statement.
  static func thingStatement(_ setup: OracleSchemaSetup, _ dice: inout SeededGenerator) -> OracleSpec {
    var statements = [
      "SELECT id, name, rank FROM thing ORDER BY rank, id",
      "SELECT id, name, rank, row_number() OVER (ORDER BY id) AS n FROM thing",
      "SELECT id, name, rank, count(*) OVER () AS n FROM thing",
      "SELECT id, name, rank, first_value(name) OVER (ORDER BY id) AS n FROM thing",
      "SELECT id, name, rank, nth_value(rank, 2) OVER (ORDER BY id) AS n FROM thing",
      "SELECT thing.id, thing.name, thing.rank, kind.pos FROM thing LEFT JOIN \(setup.kind.quotedName) AS kind ON kind.id = thing.grp",
      "SELECT id, name, rank FROM thing WHERE done UNION SELECT id, name, rank FROM thing WHERE rank > 1",
      "SELECT id, name, rank FROM thing WHERE NOT done",
    ]
    if setup.has(.schema) {
      statements += ["SELECT id, name, rank FROM seen ORDER BY rank, id", "SELECT id, name, rank FROM seen"]
    }
    if setup.has(.unseen), setup.isThemed { statements = [] }
    if setup.has(.unseen) { statements += unseenValues(setup).map { "SELECT id, name, rank, \($0) AS n FROM thing" } }
    var spec = OracleSpec(source: .statement(dice.pick(statements)))
    if case .statement(let sql) = spec.source, sql.contains("ORDER BY rank, id") { return spec }
    spec.order = [Term(expression: dice.pick("name", "rank", "id"))]
    if case .statement(let sql) = spec.source, sql.hasSuffix("FROM seen") {
      spec.order = [Term(expression: dice.pick("rank", "id"))]
      return spec
    }
    if dice.once(in: 2) { spec.sections = Sections(value: "name", equality: equality(setup.nameCollation)) }
    if dice.once(in: 3) { spec.sections = Sections(value: "rank", equality: .binary) }
    window(&spec, setup, &dice)
    return spec
  }

  /// A request for rows of `kind`, of `extra` or of `counter`.
  static func rows(of table: OracleTable, _ dice: inout SeededGenerator) -> OracleSpec {
    let orders = table.columns.contains { $0.name == "pos" } ? ["name", "pos"] : ["item", "label"]
    var spec = OracleSpec(source: .pieces(from: nil, alias: table.quotedName, select: [], condition: nil))
    if dice.once(in: 2) { spec.order = [Term(expression: dice.pick(orders), isDescending: dice.once(in: 2))] }
    if dice.once(in: 2) { spec.sections = Sections(value: dice.pick(orders), equality: .binary) }
    if dice.once(in: 4) { spec.limit = dice.below(5) }
    return spec
  }
}
