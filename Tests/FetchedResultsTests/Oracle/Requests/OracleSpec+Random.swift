import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport

extension OracleSpec {
  /// What a FROM clause has to offer.
  private struct Scope {
    var from: String?
    var alias = "item"
    var conditions: [String] = []
    var orders: [String] = []
    var sections: [(value: String, equality: Equality)] = []
    /// Whether a row of the entity may occur twice.
    var repeats = false
  }

  private static func equality(_ collation: String) -> Equality {
    switch collation {
    case "NOCASE": .nocase
    case "RTRIM": .rtrim
    case "FOLDED", "B", "de,ci", "-x", "N.x": .folded
    default: .binary
    }
  }

  /// Conditions about rows of `item` alone, whatever they are joined to.
  static let itemConditions = [
    "NOT item.done", "item.rank > 1", "item.due IS NOT NULL", "item.list = 2 OR item.done = 1", "item.code IS NULL",
    "EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)",
    "NOT EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id)",
    "NOT EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id AND t.name = 'y')",
    "(SELECT count(*) FROM tag AS t WHERE t.item = item.id) <> 1",
    "(SELECT count(*) FROM item AS child WHERE child.parent = item.id) > 0",
    "NOT EXISTS (SELECT 1 FROM item AS child WHERE child.parent = item.id AND NOT child.done)",
    "EXISTS (SELECT 1 FROM note AS n WHERE n.item = item.id)",
    "item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.position > 1)",
    "EXISTS (SELECT 1 FROM tag AS t LEFT JOIN person AS p ON p.name = t.name WHERE t.item = item.id AND p.id IS NULL)",
    "EXISTS (SELECT 1 FROM list AS l2 LEFT JOIN person AS p ON p.id = l2.owner WHERE l2.id = item.list AND p.id IS NULL)",
    "(SELECT max(p.team) FROM list AS l2, person AS p WHERE l2.id = item.list AND p.id = l2.owner) > 0",
    "item.id IN (SELECT t.item FROM tag AS t WHERE t.name = 'x')",
    "item.id NOT IN (SELECT t.item FROM tag AS t WHERE t.name = 'x')",
    "item.id IN (SELECT item FROM tag AS t WHERE name = 'x')",
    "item.list IN (SELECT id FROM list AS l2 WHERE position > 1)",
    "item.list NOT IN (SELECT l2.id FROM list AS l2 WHERE l2.name > 'b')",
    "item.code IN (SELECT DISTINCT p.id FROM person AS p JOIN list AS l2 ON l2.owner = p.id)",
    "item.title IN (SELECT l2.name FROM list AS l2)",
    "item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.position > 1 ORDER BY l2.name)",
    "(item.id, item.list) IN (SELECT c.parent, c.list FROM item AS c WHERE c.rank > 1)",
    "(item.id, item.code) IN (SELECT t.item, p.id FROM tag AS t JOIN person AS p ON p.team = 1)",
    "item.rank > 1 OR (item.list) IN (SELECT l2.id FROM list AS l2 WHERE l2.owner > 1)",
    "(item.id, item.done) NOT IN (SELECT t.item, 0 FROM tag AS t WHERE t.name = 'x')",
    "NOT (item.id, item.done) IN (SELECT n.item, c.done FROM note AS n JOIN item AS c ON c.id = n.item)",
    "(item.id, item.done) NOT IN (SELECT c.parent, c.done FROM item AS c)",
    "item.rank IN (SELECT p.team FROM person AS p WHERE p.name <> 'a')",
    "item.id IN (SELECT t.item FROM tag AS t ORDER BY t.id LIMIT 2)",
    "item.done IS NOT item.id IN (SELECT p.id FROM person AS p WHERE p.team > 0)",
    "NOT item.id IN (SELECT p.id FROM person AS p WHERE p.team > 0)",
    "item.rank BETWEEN 1 AND item.id IN (SELECT p.id FROM person AS p)",
    "item.rank BETWEEN 0 AND 3 AND item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.position > 1)",
    "item.done BETWEEN CASE WHEN item.rank AND item.done THEN 0 ELSE 1 END AND item.list IN (SELECT l2.id FROM list AS l2)",
    "item.rank > 1 OR item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.owner > 1)",
    "NOT item.id IN (SELECT t.item FROM tag AS t WHERE t.name = 'x')",
    "item.rank > 1 OR NOT item.code IN (SELECT p.team FROM person AS p)",
    // Of the same table, under its own name.
    "item.id IN (SELECT parent FROM item WHERE done)", "item.id NOT IN (SELECT item.parent FROM item WHERE rank > 1)",
    "item.rank > 2 OR item.parent IN (SELECT item.id FROM item JOIN tag AS t ON t.item = item.id WHERE t.name = 'x')",
    "item.list IN (SELECT list FROM item WHERE item.due IS NOT NULL) AND item.id IN (SELECT parent FROM item)",
    // Only a part of their conditions is about the row of the query.
    "(SELECT count(*) FROM list AS l2 WHERE l2.position > 2 AND length(l2.name) > item.rank) > 0",
    "item.title IN (SELECT p.name FROM person AS p WHERE p.team > 1)",
    // Subqueries in subqueries.
    "item.id IN (SELECT t.item FROM tag AS t WHERE t.name IN (SELECT p.name FROM person AS p WHERE p.team > 1))",
    "EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id AND t.name IN (SELECT l2.name FROM list AS l2 WHERE l2.position > 1))",
    "item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.owner IN (SELECT p.id FROM person AS p WHERE p.name > 'a'))",
    "item.list NOT IN (SELECT l2.id FROM list AS l2 WHERE NOT EXISTS (SELECT 1 FROM person AS p WHERE p.id = l2.owner AND p.team = item.rank))",
    "EXISTS (SELECT 1 FROM list AS l2 WHERE l2.id = item.list AND (l2.position > 1 OR l2.owner IN (SELECT p.id FROM person AS p WHERE p.team > 0)))",
    "EXISTS (SELECT 1 FROM list AS l2 WHERE l2.position > 3 AND l2.id = item.list OR l2.owner IN (SELECT p.id FROM person AS p WHERE p.team > 0) AND l2.id = item.list)",
    "(SELECT max((SELECT count(*) FROM item AS c WHERE c.parent = t.item)) FROM tag AS t WHERE t.item = item.id) > 0",
    "item.rank > (SELECT count(*) FROM tag AS t WHERE t.name = (SELECT max(p.name) FROM person AS p WHERE p.team > 1))",
    "EXISTS (SELECT 1 FROM tag AS t LEFT JOIN list AS l2 ON l2.name = t.name WHERE t.item = item.id AND l2.id NOT IN (SELECT c.list FROM item AS c WHERE c.done))",
    "item.list IN (SELECT id FROM list AS l2 WHERE owner IN (SELECT id FROM person AS p WHERE name IN (SELECT name FROM tag AS t WHERE t.item > 1)))",
    "item.id IN (SELECT t.item FROM tag AS t WHERE t.name IN (SELECT l2.name FROM list AS l2 JOIN person AS p USING (name)))",
    "item.id IN (SELECT t.item FROM tag AS t WHERE EXISTS (SELECT 1 FROM tag AS t WHERE t.name = 'x'))",
    "item.parent IN (SELECT c.id FROM item AS c WHERE c.rank BETWEEN 1 AND 3 AND NOT EXISTS (SELECT 1 FROM tag AS t WHERE t.item = c.id AND t.name = 'x'))",
    "EXISTS (SELECT 1 FROM list AS l2 WHERE l2.id = item.list AND CASE WHEN item.rank > 1 AND item.done THEN l2.position ELSE l2.owner IN (SELECT p.id FROM person AS p WHERE p.team > 0) END)",
    "ifnull((SELECT t.name AS rank FROM tag AS t WHERE t.item = item.id ORDER BY (SELECT count(*) FROM person AS p WHERE p.name = rank), t.id LIMIT 1), 'x') <> 'x'",
    // Subqueries beside an aggregate, which has a result even without rows.
    "(SELECT count(t.id) < (SELECT count(*) FROM item AS c WHERE c.parent = item.id) FROM tag AS t WHERE t.item = item.id AND t.name = 'x')",
    "EXISTS (SELECT count(*) FROM tag AS t WHERE t.item = item.id AND t.name = 'x' HAVING EXISTS (SELECT 1 FROM item AS c WHERE c.parent = item.id))",
    "item.rank IN (SELECT count(*) + (SELECT count(*) FROM tag AS t2 WHERE t2.item = item.id) FROM list AS l2 WHERE l2.id = item.list AND l2.position > 3)",
    // What a subquery finds is the same for all rows, or only seems to be.
    "item.rank > (SELECT count(*) FROM person AS p WHERE p.team > 1)",
    "item.title <> (SELECT max(l2.name) FROM list AS l2 WHERE l2.owner = 2)",
    "EXISTS (SELECT 1 FROM tag AS t JOIN person AS p ON p.name = t.name WHERE p.team = 2 AND t.name <> 'a')",
    "(SELECT count(*) FROM person AS p WHERE \"team\" = item.\"rank\") > 0",
    "item.rank NOT IN (SELECT p.team FROM person AS p WHERE p.name > 'a')",
    "item.id NOT IN (SELECT c.parent FROM item AS c WHERE c.done)",
    "item.rank > 2 OR item.id NOT IN (SELECT t.item FROM tag AS t WHERE t.name <> 'x')",
    "NOT (item.rank > 1 OR item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.position > 1))",
    "ifnull(item.rank > 1 OR item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.owner > 1), 1)",
    "item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.position > 1) IS NOT item.done",
    "NOT (item.rank > 1 OR item.code IN (SELECT p.team FROM person AS p))",
    "item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.position > 0) AND item.code IN (SELECT p.team FROM person AS p)",
    "item.id IN (SELECT c.parent FROM item AS c WHERE c.rank > 1)",
    "CASE WHEN item.id IN (SELECT t.item FROM tag AS t) THEN item.rank > 1 ELSE item.code IS NULL END",
    "(item.list IN (SELECT l2.id FROM list AS l2 WHERE l2.owner > 1)) IS NOT TRUE AND item.rank > 0",
    "item.rank IN (1, 2, 3) OR item.rank IS NULL",
    "(SELECT p.name FROM person AS p ORDER BY p.id LIMIT 1) <> 'a'",
    "EXISTS (SELECT 1 FROM tag AS t JOIN person AS p USING (id) WHERE t.item = item.id)",
    "EXISTS (SELECT 1 FROM tag AS t JOIN person AS p USING (id) WHERE t.item = item.id AND p.team > 0)",
    "EXISTS (SELECT 1 FROM tag AS t LEFT JOIN person AS p USING (id) WHERE t.item = item.id AND p.team IS NULL)",
    "EXISTS (SELECT 1 FROM list AS l2 JOIN person AS p USING (name) WHERE l2.id = item.list AND p.team < 2)",
    "NOT EXISTS (SELECT 1 FROM tag AS t NATURAL JOIN (SELECT 1 AS id) WHERE t.item = item.id)",
    "item.id IN (SELECT t.item FROM tag AS t JOIN note AS n USING (item))",
    "(SELECT count(*) FROM tag AS t NATURAL LEFT JOIN person AS p WHERE t.item = item.id AND p.id > 0) > 0",
    // Keywords where SQLite takes them for names.
    "EXISTS (SELECT 1 FROM tag window WHERE window.item = item.id AND window.name = 'x')",
    "NOT EXISTS (SELECT filter.name window FROM person AS filter, tag \"left\" WHERE \"left\".item = item.id AND filter.id = item.list)",
    // The results of subqueries have names of the outer query's columns.
    "EXISTS (SELECT t.name AS rank FROM tag AS t WHERE t.item = item.id AND rank = 'x')",
    "EXISTS (SELECT p.id code FROM tag AS t LEFT JOIN person AS p ON p.name = t.name WHERE t.item = item.id AND code IS NULL)",
  ]

  /// A request for rows of `item` in pieces.
  static func items(_ setup: OracleSetup, _ dice: inout SeededGenerator) -> OracleSpec {
    let scope = itemScope(setup, &dice)
    return pieces(scope, setup, &dice)
  }

  private static func itemScope(_ setup: OracleSetup, _ dice: inout SeededGenerator) -> Scope {
    var scope = Scope()
    let name = equality(setup.nameCollation)
    let listConditions = [
      "list.position > 1", "list.id IS NULL", "list.name IS NOT NULL", "list.name = 'errands' OR item.done",
      "ifnull(list.position, 2) < 3", "list.owner = 1", "NOT (list.position = 2)",
      "'list'.name IS NULL",
    ]
    let personConditions = [
      "person.id IS NULL", "person.team > 0", "person.name LIKE 'p%'", "ifnull(person.team, 0) = 0",
    ]
    func addList() {
      scope.conditions += listConditions
      scope.orders += ["list.name", "list.position", "list.owner"]
      scope.sections += [
        ("list.name", name), ("list.position", .binary), ("list.owner", .binary),
        ("coalesce(list.name, 'none')", .binary),
      ]
    }
    func addPerson() {
      scope.conditions += personConditions
      scope.orders += ["person.name", "person.team"]
      scope.sections += [("person.name", .binary), ("person.team", .binary)]
    }
    switch dice.below(30) {
    case 0: scope.from = nil
    case 1: scope.from = "item"
    case 2, 3:
      scope.from = "item JOIN list ON list.id = item.list"
      addList()
    case 4, 5, 6:
      scope.from = "item LEFT JOIN list ON list.id = item.list"
      addList()
    case 7, 8:
      scope.from = "item LEFT JOIN list ON list.id = item.list LEFT JOIN person ON person.id = list.owner"
      addList()
      addPerson()
    case 9:
      scope.from = "item JOIN list ON list.id = item.list JOIN person ON person.id = list.owner"
      addList()
      addPerson()
    case 10:
      scope.from = "item LEFT JOIN list ON list.id = item.list JOIN person ON person.id = ifnull(list.owner, 2)"
      addList()
      addPerson()
    case 11:
      scope.from = "item LEFT OUTER JOIN list ON list.id = item.list AND list.position > 1"
      addList()
    case 12:
      let join = dice.pick("JOIN", "LEFT JOIN")
      scope.from = "item \(join) item AS parent ON parent.id = item.parent"
      scope.conditions += ["parent.done", "parent.id IS NULL", "parent.title = item.title", "parent.rank IS NOT NULL"]
      scope.orders += ["parent.title", "parent.rank"]
      scope.sections += [("parent.title", equality(setup.titleCollation)), ("parent.done", .binary)]
    case 13:
      scope.from = "item LEFT JOIN item AS parent ON parent.id = item.parent LEFT JOIN list ON list.id = parent.list"
      scope.conditions += ["parent.done", "parent.id IS NULL"]
      scope.orders += ["parent.title", "parent.rank"]
      addList()
    case 14:
      scope.from = "item, list, person WHERE_AND list.id = item.list AND person.id = list.owner"
      addList()
      addPerson()
    case 15:
      scope.from = "item LEFT JOIN note ON note.item = item.id AND note.kind = 'k'"
      scope.conditions += ["note.body IS NULL", "note.id > 50", "typeof(note.body) = 'text'"]
      scope.orders += ["note.body", "note.id"]
      scope.sections += [("note.body", .binary), ("typeof(note.body)", .binary)]
    case 16:
      scope.from = "item LEFT JOIN tag ON tag.item = item.id AND tag.name = 'x' LEFT JOIN list USING (id)"
      scope.conditions += ["tag.id IS NULL", "tag.name = 'x'", "list.name IS NULL"]
      scope.orders += ["tag.id", "tag.name", "list.position"]
      scope.sections += [("tag.name", .binary)]
    case 17:
      scope.from = "item JOIN tag ON tag.item = item.id" + dice.pick("", " AND tag.name < 'y'")
      scope.conditions += ["tag.name <> 'x'", "tag.name = 'y'"]
      scope.orders += ["tag.name"]
      scope.sections += [("tag.name", .binary)]
      scope.repeats = true
    case 18:
      scope.from =
        "item LEFT JOIN list ON list.id = item.list AND "
        + dice.pick(
          "NOT EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)",
          "EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)")
      addList()
    case 19:
      scope.from = "item AS i LEFT JOIN list l ON l.id = i.list"
      scope.alias = "i"
      scope.conditions = ["l.id IS NULL", "l.position > 1", "NOT i.done"]
      scope.orders = ["i.title", "i.rank", "l.name", "i.due"]
      scope.sections = [("l.name", name), ("i.title", equality(setup.titleCollation)), ("i.done", .binary)]
      return scope
    case 20:
      scope.from =
        "item LEFT JOIN list ON list.id = item.list LEFT JOIN item AS head ON head.id = \(dice.pick("item.parent", "list.owner"))"
      addList()
      scope.conditions += ["head.id IS NULL", "head.done"]
      scope.orders += ["head.rank"]
    case 21:
      // No other column of the joined table need be named.
      scope.from = "item \(dice.pick("JOIN", "LEFT JOIN", "CROSS JOIN")) person USING (id)"
      addPerson()
    case 22:
      scope.from = "item NATURAL \(dice.pick("JOIN", "LEFT JOIN")) person"
      addPerson()
    case 23:
      scope.from =
        "item LEFT JOIN list ON list.id = item.list \(dice.pick("JOIN person USING (id)", "LEFT JOIN person USING (name)"))"
      scope.conditions += listConditions
      scope.repeats = true
    case 24, 25:
      // SQLite lets the condition of a join name a table further right.
      let condition = dice.pick("person.id IS NULL", "ifnull(person.team, 0) = 0", "'person'.name IS NULL")
      scope.from =
        "item JOIN list ON list.id = item.list AND \(condition) LEFT JOIN person ON person.id = list.owner"
      addList()
      addPerson()
    default:
      // Without a foreign key, so that no row of items changes with the person that it refers to.
      let person = dice.pick("item.code", "1", "item.rank", "item.done + 1")
      scope.from =
        "item JOIN person ON person.id = \(person) LEFT JOIN list ON list.owner = person.id AND list.id = item.list"
      addList()
      addPerson()
    }
    scope.conditions += itemConditions
    scope.orders += [
      "item.title", "item.rank", "item.due", "item.done", "item.code", "lower(item.title)", "length(item.title)",
      "(SELECT max(t.name) FROM tag AS t WHERE t.item = item.id)", "-item.rank", "item.title || item.due", "item.list",
    ]
    scope.sections += [
      ("item.title", equality(setup.titleCollation)), ("item.title COLLATE NOCASE", .nocase),
      ("item.title COLLATE RTRIM", .rtrim),
      ("item.title COLLATE FOLDED", .folded), ("item.rank", .binary), ("item.due", .binary), ("item.done", .binary),
      ("upper(substr(item.title, 1, 1))", .binary), ("typeof(item.rank)", .binary),
      ("(SELECT min(t.name) FROM tag AS t WHERE t.item = item.id)", .binary),
    ]
    return scope
  }

  private static func pieces(_ scope: Scope, _ setup: OracleSetup, _ dice: inout SeededGenerator) -> OracleSpec {
    var scope = scope
    var condition: String?
    if dice.below(4) > 0 {
      condition = dice.pick(scope.conditions)
      if dice.once(in: 4) {
        condition = "(\(condition ?? "1")) \(dice.pick("AND", "OR")) (\(dice.pick(scope.conditions)))"
      }
      // Where NULL and false are not the same.
      if dice.once(in: 4) {
        let (one, other) = ("(\(condition ?? "1"))", "(\(dice.pick(scope.conditions)))")
        condition = dice.pick(
          "NOT \(one)", "ifnull(\(one), \(other))", "\(one) IS NOT \(other)", "NOT (\(one) AND \(other))",
          "NOT (\(one) OR \(other))")
      }
    }
    if let from = scope.from, let range = from.range(of: " WHERE_AND ") {
      let join = String(from[range.upperBound...])
      scope.from = String(from[..<range.lowerBound])
      condition = condition.map { "(\($0)) AND \(join)" } ?? join
    }
    var spec = OracleSpec(source: .pieces(from: scope.from, alias: scope.alias, select: [], condition: condition))
    spec.order = terms(scope.orders, &dice)
    if dice.below(5) > 1 { spec.sections = sections(scope, setup, &dice) }
    if dice.once(in: 8) { spec.sections?.comment = dice.pick(comments) }
    let select: [(name: String, expression: String)] =
      dice.once(in: 6)
      ? [
        dice.pick([
          ("size", "length(\(scope.alias).title)"),
          ("tags", "(SELECT count(*) FROM tag AS t WHERE t.item = \(scope.alias).id)"),
        ])
      ] : []
    spec.source = .pieces(from: scope.from, alias: scope.alias, select: select, condition: condition)
    if let name = select.first?.name, dice.once(in: 2) {
      spec.order.insert(Term(expression: name, isDescending: dice.once(in: 2)), at: 0)
    }
    if !scope.repeats { window(&spec, &dice) }
    return spec
  }

  private static func window(_ spec: inout OracleSpec, _ dice: inout SeededGenerator) {
    guard dice.once(in: 4) else { return }
    spec.limit = dice.once(in: 4) ? nil : dice.below(7)
    spec.offset = dice.once(in: 2) ? 0 : dice.below(6)
  }

  private static let comments = [" -- the newest, first", "/* ) */", " /* ' */ -- \"", "\n--"]

  private static func terms(_ orders: [String], _ dice: inout SeededGenerator) -> [Term] {
    (0..<dice.below(3)).map { _ in
      var term = Term(expression: dice.pick(orders))
      if dice.once(in: 3) { term.comment = dice.pick(comments) }
      term.isDescending = dice.once(in: 2)
      if dice.once(in: 3) { term.nulls = dice.pick(.first, .last) }
      if dice.once(in: 3) {
        term.collation = dice.pick(.binary, .nocase, .rtrim, .named("FOLDED"), .named("BACKWARDS"))
      }
      return term
    }
  }

  private static func sections(_ scope: Scope, _ setup: OracleSetup, _ dice: inout SeededGenerator) -> Sections {
    let hasList =
      scope.from?.contains(" list") == true && scope.alias == "item" && scope.from?.contains("USING") != true
    if hasList, dice.once(in: 2) {
      // A section for each list, in its order, with its name.
      var sections = Sections(value: "list.id", equality: setup.list.isNocase ? .nocase : .binary)
      if dice.below(3) > 0 {
        sections.orderedBy = [Term(expression: "list.position", isDescending: dice.once(in: 2))]
        if dice.once(in: 3) { sections.orderedBy[0].nulls = dice.pick(.first, .last) }
      }
      if dice.below(3) > 0 { sections.name = dice.pick("list.name", "list.name || list.position") }
      if dice.once(in: 2) {
        sections.includedColumns = dice.pick(1, 2, sections.orderedBy.isEmpty ? 2 : 3)
        sections.including =
          [
            "SELECT id FROM list", "SELECT id, name FROM list", "SELECT id, name, position FROM list",
          ][sections.includedColumns - 1]
        if sections.includedColumns == 1, dice.once(in: 3) {
          sections.including =
            "SELECT list.id FROM list \(dice.pick("JOIN person USING (id)", "JOIN person USING (name)"))"
        } else if sections.includedColumns < 3, let all = sections.including {
          // The last two list some ids several times, with others between.
          sections.including =
            all
            + dice.pick(
              "", " ORDER BY position, id", " WHERE position > 1 ORDER BY id DESC",
              " WHERE position < 3 UNION ALL \(all)", " WHERE position > 1 UNION ALL \(all)")
        }
      }
      return sections
    }
    let (value, equality) = dice.pick(scope.sections)
    var sections = Sections(value: value, equality: equality)
    if dice.once(in: 5), scope.alias == "item" {
      sections.value = dice.pick("item.title", "item.rank")
      sections.equality = .binary
      sections.isThrough = true
    }
    if dice.once(in: 6) { sections.name = "\(scope.alias).title" }
    // What all rows of a section agree on, or nearly so.
    if dice.once(in: 6) {
      var term = Term(expression: "\(scope.alias).done", isDescending: dice.once(in: 2))
      if dice.once(in: 2) { (term.expression, term.equality) = (value, equality) }
      sections.orderedBy = [term]
    }
    if dice.once(in: 6), !sections.isThrough, sections.orderedBy.isEmpty {
      sections.including = "VALUES ('a'), (NULL), (1), (2.0), ('Errands'), ('B')"
      sections.includedColumns = 1
    }
    return sections
  }

  /// A request for rows of `list`.
  static func lists(_ setup: OracleSetup, _ dice: inout SeededGenerator) -> OracleSpec {
    var scope = Scope(alias: "list")
    scope.from = dice.pick(
      nil, "list LEFT JOIN person ON person.id = list.owner", "list JOIN person ON person.id = list.owner")
    scope.conditions = [
      "list.position > 1", "EXISTS (SELECT 1 FROM item WHERE item.list = list.id)",
      "NOT EXISTS (SELECT 1 FROM item WHERE item.list = list.id AND NOT item.done)",
      "(SELECT sum(rank) FROM item WHERE item.list = list.id AND typeof(rank) = 'integer' AND abs(rank / 2) < 10) > 2",
    ]
    scope.orders = ["list.name", "list.position", "(SELECT count(*) FROM item WHERE item.list = list.id)"]
    scope.sections = [
      ("list.name", equality(setup.nameCollation)), ("list.position", .binary), ("list.owner", .binary),
    ]
    if scope.from != nil {
      scope.conditions += ["person.id IS NULL", "person.team > 0"]
      scope.sections += [("person.team", .binary)]
    }
    var spec = pieces(scope, setup, &dice)
    if case .pieces(let from, let alias, _, let condition) = spec.source {
      spec.source = .pieces(from: from, alias: alias, select: [], condition: condition)
      spec.order.removeAll { ["size", "tags"].contains($0.expression) }
    }
    if spec.sections?.name == "list.title" { spec.sections?.name = "list.name" }
    if let sections = spec.sections, sections.orderedBy.first?.expression == "list.done" {
      spec.sections?.orderedBy = [Term(expression: sections.value, equality: sections.equality)]
    }
    return spec
  }

  /// A request for rows of a view.
  static func view(_ view: String, _ setup: OracleSetup, _ dice: inout SeededGenerator) -> OracleSpec {
    let title = equality(setup.titleCollation)
    let name = equality(setup.nameCollation)
    var scope = Scope(alias: view)
    switch view {
    case "item_view":
      scope.conditions = [
        "list_name IS NULL", "list_position > 1", "title = 'a'", "item_view.rank IS NULL",
        "list_name = 'Home' OR rank > 1",
      ]
      scope.orders = ["title", "rank", "list_name", "list_position", "item_view.list"]
      scope.sections = [("list_name", name), ("title", title), ("list_position", .binary)]
    case "open_item":
      scope.conditions = ["rank > 1", "title > 'a'", "list IS NULL", "due IS NOT NULL"]
      scope.orders = ["title", "rank", "due"]
      scope.sections = [("title", title), ("list", setup.list == .number ? .binary : .binary), ("rank", .binary)]
    case "nested_view":
      scope.conditions = ["list_name IS NULL", "title > 'a'"]
      scope.orders = ["title", "list_name"]
      scope.sections = [("list_name", name), ("title", title)]
    case "joined_view", "distinct_view":
      scope.conditions = ["title > 'a'", "rank IS NULL"]
      scope.orders = ["title", "rank"]
      scope.sections = [("title", title), ("rank", .binary)]
    case "old_view":
      scope.conditions = ["title > 'a'", "list_name IS NULL", "old_view.id > 3"]
      scope.orders = ["title", "list_name"]
      scope.sections = [("title", .binary), ("list_name", .binary)]
    default:
      scope.conditions = ["n > 0", "t IS NULL"]
      scope.orders = ["t", "n"]
      scope.sections = [("n", .binary), ("t", title)]
    }
    scope.from = dice.once(in: 3) ? (view == "old_view" ? "archive.old_view" : view) : nil
    var spec = pieces(scope, setup, &dice)
    if case .pieces(let from, let alias, _, let condition) = spec.source {
      spec.source = .pieces(from: from, alias: alias, select: [], condition: condition)
      spec.order.removeAll { ["size", "tags"].contains($0.expression) }
    }
    if spec.sections?.name != nil { spec.sections?.name = view == "odd_view" ? "t" : "title" }
    if spec.sections?.orderedBy.isEmpty == false { spec.sections?.orderedBy = [] }
    if spec.sections?.isThrough == true {
      spec.sections?.isThrough = false; spec.sections?.value = scope.sections[0].value;
      spec.sections?.equality = scope.sections[0].equality
    }
    return spec
  }

  /// A request that reads a table which is in an attached file, and at times in the main file too; or tables of one
  /// name in both files.
  static func later(_ dice: inout SeededGenerator) -> OracleSpec {
    let conditions = [
      "EXISTS (SELECT 1 FROM tag AS t WHERE t.item = item.id) OR item.title IN (SELECT o.name FROM archive.tag AS o)",
      "item.list IN (SELECT l2.id FROM list AS l2 JOIN archive.list AS o ON o.name = l2.name)",
      "item.rank > (SELECT count(*) FROM archive.item) OR item.rank < (SELECT count(*) FROM main.tag)",
      "item.done IN (SELECT o.list - 1 FROM archive.item AS o WHERE o.title = item.title)",
      "EXISTS (SELECT 1 FROM later WHERE later.title = item.title)",
      "item.rank > (SELECT count(*) FROM later AS l WHERE l.title > 'a')",
      "item.title NOT IN (SELECT title FROM later)", "item.done + 1 NOT IN (SELECT o.list FROM archive.item AS o)",
      "item.done NOT IN (SELECT o.list FROM archive.item AS o)",
      "item.id NOT IN (SELECT o.title FROM archive.item AS o)",
      "NOT item.done IN (SELECT o.list FROM archive.item AS o WHERE o.title > 'a')",
    ]
    let statement = dice.pick(
      "SELECT * FROM later", "SELECT l.id, l.title FROM later AS l WHERE title > 'A'",
      "SELECT i.id, max(o.title) AS title FROM main.item AS i JOIN archive.item AS o ON o.title = i.title GROUP BY i.id",
      "SELECT o.id, o.title FROM archive.item AS o WHERE EXISTS (SELECT 1 FROM item WHERE item.title = o.title)")
    var spec = OracleSpec(
      source: dice.once(in: 2)
        ? .statement(statement)
        : .pieces(from: nil, alias: "item", select: [], condition: dice.pick(conditions)))
    spec.order = terms(["title", "id"], &dice) + [Term(expression: "id")]
    return spec
  }

  /// A request of a whole statement for rows with the id of an item.
  static func statement(_ setup: OracleSetup, _ dice: inout SeededGenerator) -> OracleSpec {
    let own = [
      "SELECT id, title FROM item ORDER BY rank, id",
      "SELECT item.*, list.name AS list_name FROM item LEFT JOIN list ON list.id = item.list ORDER BY list.position, item.id LIMIT 5",
      "SELECT item.id, item.title, count(tag.id) AS n FROM item LEFT JOIN tag ON tag.item = item.id GROUP BY item.id ORDER BY item.id",
      "SELECT DISTINCT item.id, item.title FROM item JOIN tag ON tag.item = item.id ORDER BY item.id DESC",
      "WITH RECURSIVE up(id, title, depth) AS (SELECT id, title, 0 FROM item WHERE parent IS NULL UNION SELECT item.id, item.title, depth + 1 FROM item JOIN up ON item.parent = up.id WHERE depth < 5) SELECT id, title, depth FROM up ORDER BY id, depth",
      "SELECT id, title, row_number() OVER (ORDER BY rank, id) AS n FROM item ORDER BY id",
      "SELECT id, name FROM list RIGHT JOIN (SELECT 3 AS three) ON three = position WHERE id IS NOT NULL ORDER BY id",
      "SELECT DISTINCT id, title FROM item JOIN person USING (id) ORDER BY id",
      "SELECT id, title FROM item WHERE id IN (SELECT t.item FROM tag AS t JOIN note AS n USING (item)) ORDER BY id LIMIT 9",
      "SELECT item.*, list.* FROM item JOIN list ON list.id = item.list ORDER BY item.id",
      "SELECT id, title FROM item EXCEPT SELECT id, title FROM item NATURAL JOIN person ORDER BY id",
    ]
    let wrapped: [(sql: String, orders: [String], sections: [(value: String, equality: Equality)])] = [
      (
        "SELECT id, title, rank FROM item", ["title", "rank"],
        [("title", equality(setup.titleCollation)), ("rank", .binary)]
      ),
      ("SELECT id, title, rank AS r FROM item WHERE NOT done -- a comment", ["r", "title"], [("r", .binary)]),
      (
        "SELECT item.*, list.name AS list_name, list.position AS list_position FROM item LEFT JOIN list ON list.id = item.list WHERE list.owner IS NOT DISTINCT FROM list.owner",
        ["title", "list_name"], [("list_name", equality(setup.nameCollation)), ("list_position", .binary)]
      ),
      (
        "SELECT item.id, item.title, list.name AS n FROM list JOIN item ON item.list = list.id WHERE list.position < 4 ORDER BY 1",
        ["n", "title"], [("n", equality(setup.nameCollation))]
      ),
      (
        "SELECT item.id AS id, person.name AS n, person.team FROM item LEFT JOIN list ON list.id = item.list LEFT JOIN person ON person.id = list.owner WHERE person.id IS NULL OR person.team > 0",
        ["n", "team"], [("n", .binary), ("team", .binary)]
      ),
      (
        "SELECT item.id, count(tag.id) AS n FROM item LEFT JOIN tag ON tag.item = item.id GROUP BY item.id", ["n"],
        [("n", .binary)]
      ),
      (
        "SELECT id, title AS t, rank FROM item WHERE done UNION SELECT id, title, rank FROM item WHERE rank > 1",
        ["t", "rank"], [("t", equality(setup.titleCollation)), ("rank", .binary)]
      ),
      (
        "SELECT DISTINCT id, list FROM item WHERE EXISTS (SELECT 1 FROM tag WHERE tag.item = item.id)", ["list"],
        [("list", .binary)]
      ),
      ("SELECT id, (SELECT count(*) FROM tag WHERE tag.item = item.id) AS n FROM item", ["n"], [("n", .binary)]),
      (
        "SELECT a.id, b.title AS other FROM item AS a LEFT JOIN item AS b ON b.id = a.parent", ["other"],
        [("other", equality(setup.titleCollation))]
      ),
      ("SELECT id, sum(done) OVER (ORDER BY id) AS n FROM item", ["n"], [("n", .binary)]),
      ("SELECT DISTINCT id, rank FROM item NATURAL JOIN person", ["rank"], [("rank", .binary)]),
      ("SELECT id, title FROM item JOIN person USING (id)", ["title"], [("title", equality(setup.titleCollation))]),
      ("SELECT id, count(*) AS n FROM item JOIN person USING (id) GROUP BY id", ["n"], [("n", .binary)]),
    ]
    if dice.once(in: 3) {
      var spec = OracleSpec(source: .statement(dice.pick(own)))
      window(&spec, &dice)
      return spec
    }
    let choice = dice.pick(wrapped)
    var spec = OracleSpec(source: .statement(choice.sql))
    spec.order = terms(choice.orders + ["id"], &dice)
    if dice.once(in: 2) || spec.order.isEmpty {
      let (value, equality) = dice.pick(choice.sections)
      spec.sections = Sections(value: value, equality: equality)
    }
    window(&spec, &dice)
    return spec
  }
}
