import FetchedResultsCore
import RowModel
import SQLiteStore

extension QueryPlanner {
  /// The sources of the query's FROM clause.
  struct Sources {
    var clause: FromClause
    /// In the order of the clause; nil for a table-valued function.
    var tables: [SourceTable?]
    /// The one from which the entity's rows come.
    var anchor: Int
    var entity: SourceTable
    /// Those of the clause and of the subqueries.
    var all: [SourceTable?] = []
    /// The aliases of tables that may be scanned, here and in the subqueries.
    var tiny: Set<String> = []
  }

  /// Plans to follow the query row by row; throws a reason if that can't be done.
  func follow(_ composition: inout Composition, _ plan: inout QueryPlan) throws {
    let clause = try FromClause(composition.from)
    try checkIsNoAggregate(composition)
    var tables: [SourceTable?] = []
    for source in clause.sources { tables.append(try table(source)) }
    try checkJoins(tables, clause)
    let (anchor, idColumn) = try anchor(composition, clause, tables)
    guard let entityTable = tables[anchor], clause.sources[anchor].join == .inner else {
      throw NotUnderstood("an entity that is joined and may be missing")
    }
    composition.entityKey = entityTable.key
    plan.isEntityKeyRowID = entityTable.isRowID
    for (index, table) in tables.enumerated() where index != anchor {
      guard let table else { continue }
      composition.partnerKeys.append(table.key)
      plan.partnerKeys.append((places: [], isRowID: table.isRowID))
    }
    let sources = Sources(clause: clause, tables: tables, anchor: anchor, entity: entityTable)
    let statements = try keyedStatements(composition, sources)
    plan.dependencies = statements.dependencies
    plan.restricted = statements.restricted
    // UNIQUE does not notice an id that is stored in another form.
    plan.isIDUnique = try (composition.wrapper != nil || isIDUnique(entityTable)) && !entity.hasSeveralIDForms
    plan.isIDKey = isKey(idColumn, of: entityTable)
    try checkNothingElseIsRead(composition, plan)
    plan.condition = condition(composition, plan, entityTable)
  }

  /// The statements that read the rows with some key.
  private struct KeyedStatements {
    var restricted: Composition.Keyed
    var dependencies: [QueryPlan.Dependency]

    /// What changes cost: 2 for each table whose changes run the whole query, 1 if only some of its changes do.
    var cost: Int {
      dependencies.reduce(0) { sum, dependency in
        switch dependency.role {
        case .whole: sum + 2
        case .common: sum + 1
        default: sum
        }
      }
    }
  }

  private func keyedStatements(_ composition: Composition, _ sources: Sources) throws -> KeyedStatements {
    var best: KeyedStatements?
    let count = composition.condition.map { InSubqueries($0).all.count } ?? 0
    if count <= Self.mostLists,
      let compared = try comparingLists(composition, sources.clause, sources.tables, where: { _ in true })
    {
      best = try ifUnderstood { try keyedStatements(compared, sources, ignoringConstants: false) }
      if let best, best.cost == 0 { return best }
    }
    // For some comparison there is no index. Keep those that let the changes of one more table be followed. SQLite then
    // computes the list of another IN for one row, which costs no more than for all rows. `SQLiteQuery` runs the whole
    // query if many rows are read, and each of them computes the list again.
    if let statements = try ifUnderstood({ try keyedStatements(composition, sources, ignoringConstants: true) }),
      best.map({ statements.cost < $0.cost }) ?? true
    {
      best = statements
    }
    var wanted: Set<Int> = []
    for number in 0..<min(count, Self.mostTries) {
      guard
        let compared = try comparingLists(
          composition, sources.clause, sources.tables, where: { wanted.contains($0) || $0 == number }),
        let statements = try ifUnderstood({ try keyedStatements(compared, sources, ignoringConstants: true) })
      else { continue }
      if let best, best.cost <= statements.cost { continue }
      best = statements
      wanted.insert(number)
    }
    return try best ?? keyedStatements(composition, sources, ignoringConstants: true)
  }

  /// How many lists are compared at most, and how many of them are tried one by one. Each try makes statements that
  /// contain all lists, so more of them would take long.
  private static let (mostLists, mostTries) = (64, 8)

  /// The statements; nil if the query is not understood, or nested too deeply for SQLite with what is added to it.
  private func ifUnderstood(_ statements: () throws -> KeyedStatements) throws -> KeyedStatements? {
    do {
      return try statements()
    } catch is NotUnderstood {
      return nil
    } catch let error as DatabaseError where error.code == .error {
      return nil
    }
  }

  private func keyedStatements(
    _ composition: Composition, _ sources: Sources, ignoringConstants: Bool
  ) throws -> KeyedStatements {
    var sources = sources
    let subqueries = try subqueries(of: composition).map { ($0, try $0.from.sources.map { try table($0) }) }
    sources.all = sources.tables + subqueries.flatMap(\.1)
    sources.tiny = Self.tinyNames(sources.all)
    var dependencies = [QueryPlan.Dependency(table: sources.entity.observed, role: .entity)]
    var partner = 0
    for (index, table) in sources.tables.enumerated() where index != sources.anchor {
      guard let table else { continue }
      dependencies.append(try dependency(on: table, index, partner, sources, composition))
      partner += 1
    }
    for (subquery, own) in subqueries {
      try checkJoins(own, subquery.from)
      for (index, table) in own.enumerated() {
        guard let table else { continue }
        dependencies.append(try dependency(on: table, index, of: subquery, own, sources, composition))
      }
    }
    let restricted = composition.keyed(by: sources.entity.key)
    let scanned: String?
    do {
      scanned = try probe.scan(in: restricted.sql, ignoringConstants: ignoringConstants, tiny: sources.tiny)
    } catch let error as DatabaseError where error.code == .error {
      // The error is better one of the request than of a statement that was made from it.
      _ = try probe.reading(composition.whole(ordered: true))
      throw NotUnderstood("a condition to which nothing can be added (\(error.message))")
    }
    if let scanned {
      throw NotUnderstood(
        "one row of \(sources.entity.source.table) could only be found by scanning \(scanned)"
          + advice(for: restricted.sql, of: sources.all, ignoringConstants: ignoringConstants))
    }
    return KeyedStatements(restricted: restricted, dependencies: dependencies)
  }

  /// The condition of a query of one table, if it can be part of another statement, together with those of other lists.
  private func condition(_ composition: Composition, _ plan: QueryPlan, _ table: SourceTable) -> RowCondition? {
    guard plan.dependencies.count == 1, composition.wrapper == nil, request.sectionBy?.including == nil,
      let condition = composition.condition, isSharable(condition), isSharable(composition.from)
    else { return nil }
    return RowCondition(table: table.observed, from: composition.from, key: table.key, condition: condition)
  }

  /// Whether values are found by their places, and no function of the program's is called, which may take long: other
  /// lists would wait for it.
  ///
  /// The names of selected expressions mean nothing in a statement of other lists.
  private func isSharable(_ sql: SQL) -> Bool {
    let tokens = SQLTokens(sql).tokens
    if case .pieces(_, let select, _) = request.source {
      let names = select.map(\.name.asciiUppercased)
      for token in tokens {
        switch token.kind {
        case .word(let name): if names.contains(name) { return false }
        case .quoted(let name): if names.contains(name.asciiUppercased) { return false }
        default: break
        }
      }
    }
    for (index, token) in tokens.enumerated() {
      if token.kind == .namedParameter { return false }
      // These call functions of the program's, or compare by its collations.
      if token.isWord("REGEXP") || token.isWord("MATCH") || token.isWord("COLLATE") { return false }
      guard index + 1 < tokens.count, tokens[index + 1].isMark("(") else { continue }
      switch token.kind {
      case .word(let word): if !Self.quickWords.contains(word) { return false }
      case .quoted: return false
      default: break
      }
    }
    return true
  }

  /// The words that may precede a parenthesis: operators, and functions that take hardly any time.
  private static let quickWords: Set<String> = [
    "AND", "OR", "NOT", "IN", "IS", "BETWEEN", "LIKE", "GLOB", "CASE", "WHEN", "THEN", "ELSE", "ESCAPE", "CAST", "ON",
    "ABS", "COALESCE", "HEX", "IFNULL", "IIF", "INSTR", "LENGTH", "LOWER", "LTRIM", "MAX", "MIN", "NULLIF",
    "ROUND", "RTRIM", "SUBSTR", "SUBSTRING", "TRIM", "TYPEOF", "UNICODE", "UPPER", "FRC_DATE", "FRC_FORM", "FRC_UTF8",
    "FRC_UNHEX",
  ]

  private func subqueries(of composition: Composition) throws -> [Subquery] {
    if let wrapper = composition.wrapper {
      let around = composition.terms.map(\.expression) + [wrapper.condition, composition.name].compactMap { $0 }
      for sql in around where try !Subquery.all(in: sql).isEmpty { throw NotUnderstood("a subquery around a SELECT") }
    }
    var pieces = [composition.columns] + [composition.condition].compactMap { $0 }
    if composition.wrapper == nil {
      pieces += composition.terms.map(\.expression) + [composition.name].compactMap { $0 }
    }
    // What decides whether rows are joined can't be determined from rows that are joined.
    let inJoins = try Subquery.all(in: composition.from).map { subquery in
      var subquery = subquery
      subquery.isInJoin = true
      return subquery
    }
    return try pieces.flatMap { try Subquery.all(in: $0) } + inJoins
  }

  private func checkIsNoAggregate(_ composition: Composition) throws {
    var hollow = composition
    hollow.columns = try Subquery.hollow(composition.columns)
    hollow.from = try Subquery.hollow(composition.from)
    hollow.condition = try composition.condition.map { try Subquery.hollow($0) }
    hollow.name = try composition.name.map { try Subquery.hollow($0) }
    for index in hollow.terms.indices {
      hollow.terms[index].expression = try Subquery.hollow(hollow.terms[index].expression)
    }
    let sql = hollow.whole(ordered: true)
    guard probe.compiles(sql) else { throw NotUnderstood("a subquery that can't be taken out") }
    if try SQLTokens(sql).contains(word: "OVER") || probe.isAggregate(sql) {
      throw NotUnderstood("an aggregate or a window function")
    }
  }

  /// The table from which the entity's rows come, and its column that is their id.
  private func anchor(
    _ composition: Composition, _ clause: FromClause, _ tables: [SourceTable?]
  ) throws -> (index: Int, idColumn: String) {
    guard let wrapper = composition.wrapper else { return (0, entity.idColumn) }
    let sql =
      SQL(raw: "SELECT \(SQL.quoted(wrapper.alias)).\(SQL.quoted(entity.idColumn)) FROM ") + scope(of: composition)
    guard let origin = try probe.reading(sql).origins.first, let origin else {
      throw NotUnderstood("an id that is computed")
    }
    let matches = tables.indices.filter { index in
      tables[index]?.source.table.isSameName(as: origin.table.name) == true
    }
    guard let first = matches.first, matches.count == 1 else {
      throw NotUnderstood("a table that is joined to itself in a statement or a view")
    }
    guard let table = tables[first], try isUnique(origin.column, in: table) else {
      throw NotUnderstood("an id that is not unique in its table")
    }
    return (first, origin.column)
  }

  /// Checks that SQLite reads no other tables than those that were understood.
  private func checkNothingElseIsRead(_ composition: Composition, _ plan: QueryPlan) throws {
    let known = Set(plan.dependencies.map { ByteString($0.table.asciiUppercased) })
    let sql = composition.whole(ordered: true)
    let reading = try probe.reading(sql)
    if let name = try Determinism(probe: probe).undeterministic(reading.functions) {
      throw NotUnderstood("the function \(name), which was added without `isDeterministic`")
    }
    for table in try probe.tables(readBy: sql, reading) {
      let name = table.schema.lowercased() == "main" ? table.name : "\(table.schema).\(table.name)"
      if try !known.contains(ByteString(name.asciiUppercased)) && !isFunctionOrView(table) {
        throw NotUnderstood("\(table.name), which is read in a way that can't be followed")
      }
    }
  }

  func isFunctionOrView(_ table: PlanProbe.Table) throws -> Bool {
    let rows = try probe.connection.copiedRows(
      "SELECT type FROM pragma_table_list WHERE schema = ? AND name = ? COLLATE NOCASE",
      [.text(table.schema), .text(table.name)])
    guard let row = rows.first else { return Self.pureTableFunctions.contains(table.name.lowercased()) }
    return try row[0] as String == "view"
  }
}
