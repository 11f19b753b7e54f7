import FetchedResultsCore
import RowModel
import SQLiteStore

/// Finds out how a request can be followed.
///
/// A plain selection from tables and joins is followed row by row, if SQLite can search for the rows that depend on one
/// key. Everything else is run again as a whole, and the plan says why.
struct QueryPlanner {
  typealias NotUnderstood = FromClause.NotUnderstood

  let probe: PlanProbe
  let request: RequestDescription
  let encoding: String
  let isInMemory: Bool
  /// The name of a section's function in SQL.
  let sectionFunction: String
  let known = KnownTables()

  var entity: EntityShape { request.entity }

  func plan() throws -> QueryPlan {
    do {
      return try makePlan()
    } catch var error as DatabaseError where error.message.contains("parser stack overflow") {
      error.message +=
        "; the request nests its subqueries or parentheses too deeply for SQLite: define a part of it as a view"
      throw error
    } catch var error as DatabaseError where error.message.contains("no such column: ") {
      if case .pieces(_, let select, _) = request.source,
        let selection = select.first(where: { isMissing($0.name, error.message) })
      {
        error.message +=
          "; \(selection.name) is selected by this request, and a subquery or a predicate can't use that name: write its "
          + "expression"
      } else if let alias = aliasInsteadOfTable(error.message) {
        error.message += "; the table \(entity.table) is called \(alias) in this request"
      } else if let column = entity.columns?.first(where: { isMissing($0, error.message) }) {
        error.message += "; the mapping of \(entity.typeName) has a column \(column), which must be in \(entity.table)"
      } else if isMissingInQuotes(error) {
        error.message += "; a name is in double quotes, and a text in single ones"
      }
      throw error
    }
  }

  /// The entity's alias, if a column is looked for by the name of its table.
  private func aliasInsteadOfTable(_ message: String) -> String? {
    guard case .pieces(let from?, _, _) = request.source, let alias = FromClause.firstAlias(from),
      !alias.isSameName(as: SQL.unqualified(entity.table)),
      let missing = message.firstRange(of: "no such column: ").map({ message[$0.upperBound...].prefix { $0 != " " } }),
      let table = missing.split(separator: ".").dropLast().last
    else { return nil }
    return String(table).isSameName(as: SQL.unqualified(entity.table)) ? alias : nil
  }

  /// Whether the missing column is written in double quotes, as a text is in other languages.
  private func isMissingInQuotes(_ error: DatabaseError) -> Bool {
    SQLTokens(SQL(raw: error.sql ?? "")).tokens.contains { token in
      if case .quoted(let name) = token.kind { isMissing(name, error.message) } else { false }
    }
  }

  private func isMissing(_ name: String, _ message: String) -> Bool {
    guard let column = message.firstRange(of: "no such column: ").map({ message[$0.upperBound...] }) else {
      return false
    }
    let missing = column.prefix { $0 != " " }.split(separator: ".").last ?? ""
    return String(missing).isSameName(as: name)
  }

  private func makePlan() throws -> QueryPlan {
    try PieceCheck.check(request)
    try Determinism(probe: probe).check(request)
    var composition: Composition
    var reason: String?
    var values: SQL?
    switch request.source {
    case .pieces(let from, let select, let condition):
      (composition, reason) = try pieces(from: from, select: select, condition: condition?.sql)
    case .statement(let text):
      let sql = SQLTokens(text).withoutEnd
      (composition, reason) = try statement(sql)
      if request.sectionBy == nil, request.orderBy.isEmpty {
        // Its own order is used.
        return try plain(sql)
      }
      if reason != nil { values = sql }
    }
    composition.prefix = freePrefix(composition)
    var plan = QueryPlan(full: .empty, idName: entity.idColumn)
    plan.window = request.window
    plan.including = request.sectionBy?.including
    do {
      try order(&composition, &plan)
    } catch let notUnderstood as NotUnderstood {
      reason = reason ?? notUnderstood.reason
    }
    try checkAggregates(composition)
    if reason == nil {
      do {
        try follow(&composition, &plan)
      } catch let notUnderstood as NotUnderstood {
        reason = notUnderstood.reason
        composition.entityKey = []
        composition.partnerKeys = []
        plan.isEntityKeyRowID = true
        plan.partnerKeys = []
      }
    }
    plan.full = composition.whole(ordered: true)
    let reading = try probe.reading(plan.full)
    try Determinism(probe: probe).checkViews(reading)
    if let reason {
      plan.reason = reason
      plan.restricted = nil
      plan.dependencies = try dependencies(of: plan.full, reading, because: reason)
      if let values, needsValuesApart(values) { plan.values = values }
    }
    try places(composition, &plan, reading)
    if let including = plan.including { try headers(including, &plan) }
    return plan
  }

  /// Refuses expressions that aggregate: the list would be one row, any of those that there are.
  private func checkAggregates(_ composition: Composition) throws {
    let scope = scope(of: composition)
    var expressions = (composition.terms.map(\.expression) + [composition.name].compactMap { $0 }).map { ($0, scope) }
    if case .pieces(_, let select, _) = request.source {
      expressions += select.map { ($0.expression, composition.from) }
    }
    for (sql, from) in expressions where probe.aggregates(sql, from: from) {
      throw DatabaseError(
        code: .misuse,
        message: "\"\(sql)\" aggregates all rows into one; write a subquery, such as (SELECT count(*) FROM …), or a "
          + "request with `sql:` and GROUP BY", sql: sql.text)
    }
  }

  /// A prefix for generated names that no name in the request has, and no column of its tables.
  ///
  /// ORDER BY and WHERE would otherwise confuse a column of such a name with a generated one.
  private func freePrefix(_ composition: Composition) -> String {
    var names = request.pieces.flatMap { sql in
      SQLTokens(sql).tokens.compactMap { token in
        switch token.kind {
        case .word(let word): word
        case .quoted(let name): name.asciiUppercased
        default: nil as String?
        }
      }
    }
    let selection = SQL(raw: "SELECT ") + composition.columns + SQL(raw: " FROM ") + composition.from
    do {
      names += try probe.reading(selection).columnNames.map(\.asciiUppercased)
    } catch {
      // The whole statement fails for the same reason, and reports it.
    }
    names.removeAll { !$0.hasPrefix("FRC") }
    var prefix = "frc_"
    var number = 0
    while names.contains(where: { $0.hasPrefix(prefix.asciiUppercased) && !Self.functions.contains($0) }) {
      number += 1
      prefix = "frc\(number)_"
    }
    return prefix
  }

  /// The library's own functions, which typed requests call.
  private static let functions: Set<String> = ["FRC_DATE", "FRC_FORM", "FRC_UTF8", "FRC_UNHEX", "FRC_SECTION"]

  // MARK: The parts

  private func pieces(
    from: SQL?, select: [RequestSource.Selection], condition: SQL?
  ) throws -> (Composition, String?) {
    let from = from ?? SQL(raw: probe.connection.quotedTable(entity.table))
    let clause: FromClause
    do {
      clause = try FromClause(from)
    } catch {
      let alias = FromClause.firstAlias(from) ?? SQL.unqualified(entity.table)
      return (try whole(from: from, alias: alias, select, condition), error.reason)
    }
    try checkIsEntity(clause.sources[0], from)
    var composition = try whole(from: from, alias: clause.sources[0].alias, select, condition)
    if clause.sources.count == 1, let body = try viewBody(clause.sources[0]) {
      try Determinism(probe: probe).check(body)
      // Check it as part of a schema, which calls none of the program's functions: its parts are put into the statement
      // below.
      let tables = try baseTables(SQL(raw: "SELECT * FROM ") + from)
      guard select.isEmpty else { return (composition, "named expressions over a view") }
      let inner: SelectPieces
      do {
        inner = try SelectPieces(body, ignoringOrder: true)
      } catch {
        return (composition, "a view of \(error.reason)")
      }
      // In a view, names mean tables of its own file.
      guard probe.compiles(inner.sql), try baseTables(inner.sql) == tables else {
        return (composition, "a view whose names mean other tables outside it")
      }
      composition = Composition(
        columns: inner.columns, from: inner.from, condition: inner.condition,
        wrapper: .init(alias: clause.sources[0].alias, condition: condition))
    }
    return (composition, nil)
  }

  /// The tables that a statement reads, also through views.
  private func baseTables(_ sql: SQL) throws -> Set<ByteString> {
    let tables = try probe.tables(readBy: sql, probe.reading(sql)).filter { try !isFunctionOrView($0) }
    return Set(tables.map { ByteString("\($0.schema).\($0.name)".asciiUppercased) })
  }

  func checkIsEntity(_ source: FromClause.Source?, _ from: SQL) throws {
    if let source, isEntity(source) { return }
    throw DatabaseError(
      code: .misuse,
      message: "a request for \(entity.typeName) selects from \"\(from.text)\", which must begin with the entity's "
        + "table, \(entity.table)")
  }

  /// Whether a source is the entity's table, which may be named with its file.
  private func isEntity(_ source: FromClause.Source) -> Bool {
    if source.table.isSameName(as: entity.table) { return true }
    guard source.table.isSameName(as: SQL.unqualified(entity.table)) else { return false }
    return source.schema.map { entity.table.isSameName(as: "\($0).\(source.table)") } ?? true
  }

  func whole(
    from: SQL, alias: String, _ select: [RequestSource.Selection], _ condition: SQL?
  ) throws -> Composition {
    let name = SQL.quoted(alias)
    func selected(_ selection: RequestSource.Selection) -> SQL {
      selection.expression + SQL(raw: "\n AS \(SQL.quoted(selection.name))")
    }
    var rest = select
    var columns: [SQL] = []
    for column in entity.columns ?? [] {
      // What is selected by a mapped name is the property's value, whether or not the table has such a column.
      if column != entity.idColumn, let index = rest.firstIndex(where: { $0.name.isSameName(as: column) }) {
        columns.append(selected(rest.remove(at: index)))
      } else {
        columns.append(SQL(raw: "\(name).\(SQL.quoted(column))"))
      }
    }
    if entity.columns == nil { columns.append(SQL(raw: "\(name).*")) }
    columns += rest.map(selected)
    if let columns = entity.columns, !columns.contains(entity.idColumn) {
      throw DatabaseError(
        code: .misuse,
        message: "the mapping of \(entity.typeName) has no column \(entity.idColumn), which is its id; map it, or say "
          + "which column is with `idColumn`")
    }
    let list = columns.dropFirst().reduce(columns.first ?? .empty) { $0 + SQL(raw: ", ") + $1 }
    return Composition(columns: list, from: from, condition: condition)
  }

  /// The SELECT of a view; nil if it is not a view.
  private func viewBody(_ source: FromClause.Source) throws -> SQL? {
    let schema = try source.schema ?? schema(of: source.table)
    let rows = try probe.connection.copiedRows(
      "SELECT sql FROM \(SQL.quoted(schema)).sqlite_schema WHERE type = 'view' AND name = ? COLLATE NOCASE",
      [.text(source.table)])
    guard let row = rows.first else { return nil }
    let sql = SQL(raw: try row[0])
    let tokens = SQLTokens(sql).tokens
    guard let start = tokens.firstIndex(where: { $0.isWord("AS") && $0.depth == 0 }), start > 0,
      !tokens[start - 1].isMark(")")
    else { return SQL(raw: "") }
    return SQL(raw: String(decoding: Array(sql.text.utf8)[tokens[start].range.upperBound...], as: UTF8.self))
  }

  /// The alias of a statement in the surrounding one.
  static let wholeAlias = "frc_rows"

  private func statement(_ sql: SQL) throws -> (Composition, String?) {
    let wrapper = Composition.Wrapper(alias: Self.wholeAlias, condition: nil)
    do {
      let pieces = try SelectPieces(sql, ignoringOrder: true)
      return (
        Composition(columns: pieces.columns, from: pieces.from, condition: pieces.condition, wrapper: wrapper), nil
      )
    } catch {
      let whole = Composition(
        columns: SQL(raw: "*"), from: SQL(raw: "(") + sql + SQL(raw: "\n) AS \(SQL.quoted(Self.wholeAlias))"),
        condition: nil)
      return (whole, error.reason)
    }
  }

  /// A whole statement in its own order.
  private func plain(_ sql: SQL) throws -> QueryPlan {
    var plan = QueryPlan(full: sql, idName: entity.idColumn)
    plan.window = request.window
    let reason = "a statement in an order of its own"
    plan.reason = reason
    let reading = try probe.reading(sql)
    try Determinism(probe: probe).checkViews(reading)
    plan.dependencies = try dependencies(of: sql, reading, because: reason)
    plan.contentNames = reading.columnNames
    plan.contentOrigins = try probe.origins(reading, of: sql)
    return plan
  }

  /// Wrapping a compound changes what it computes: numbers may get another column's affinity.
  private func needsValuesApart(_ sql: SQL) -> Bool {
    let tokens = SQLTokens(sql)
    return ["UNION", "INTERSECT", "EXCEPT", "WITH", "VALUES"].contains { tokens.contains(word: $0) }
  }
}
