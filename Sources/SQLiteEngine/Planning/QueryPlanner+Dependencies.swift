import FetchedResultsCore
import RowModel
import SQLiteStore

/// How changes of each table that a query reads concern its result.
extension QueryPlanner {
  func dependency(
    on table: SourceTable, _ index: Int, _ partner: Int, _ sources: Sources, _ composition: Composition
  ) throws -> QueryPlan.Dependency {
    let clause = sources.clause
    var dependency = QueryPlan.Dependency(table: table.observed, role: .partner(partner))
    var condition = composition.condition
    var from = composition.from
    if table.source.join == .left {
      from = try clause.joiningInner(index)
      // If the condition or another join uses its columns, rows also enter and leave the result when it has no match
      // any more.
      let isMentioned =
        index < clause.sources.count - 1 || mentions(table, composition.condition)
        || composition.wrapper?.condition != nil
      dependency.needsOldState = isMentioned
      if isMentioned { condition = nil }
    }
    let affected = composition.affected(from: from, condition: condition, key: table.key)
    return try checked(dependency, affected, table, sources)
  }

  func dependency(
    on table: SourceTable, _ index: Int, of subquery: Subquery, _ own: [SourceTable?], _ sources: Sources,
    _ composition: Composition
  ) throws -> QueryPlan.Dependency {
    var names = sources.clause.sources.map(\.alias)
    for source in subquery.around.flatMap(\.from.sources) + subquery.from.sources {
      if names.contains(where: { $0.isSameName(as: source.alias) }) {
        return .init(
          table: table.observed, role: .whole("a subquery whose \(source.alias) has the name of an outer table"))
      }
      names.append(source.alias)
    }
    if subquery.isInJoin {
      return .init(table: table.observed, role: .whole("a subquery in the condition of a join"))
    }
    var inner = subquery.from.sql
    if table.source.join == .left {
      // The restricted query joins only rows with a match, so it would miss what the subquery finds without one.
      if index < subquery.from.sources.count - 1 || mentions(table, subquery.condition) {
        return .init(
          table: table.observed, role: .whole("a subquery that asks whether \(table.source.alias) has a match"))
      }
      inner = try subquery.from.joiningInner(index)
    }
    guard let subquery = try withoutEmptyLevels(subquery) else {
      let reason = "a subquery beside an aggregate of a subquery whose columns it uses"
      return common(table, of: subquery, inner, reason) ?? .init(table: table.observed, role: .whole(reason))
    }
    var outer = composition.from
    for around in subquery.around { outer += SQL(raw: "\n, ") + around.from.sql }
    var from = (outer, inner)
    if subquery.from.joinsByName || subquery.around.contains(where: \.from.joinsByName) {
      // USING and NATURAL look for a column from the left, so the subquery's own tables must come first.
      if sources.clause.joinsByName || !subquery.around.isEmpty {
        return .init(table: table.observed, role: .whole("USING or NATURAL in a subquery and around it"))
      }
      swap(&from.0, &from.1)
    }
    let affected = composition.affected(
      from: from.0 + SQL(raw: "\n, ") + from.1, condition: try condition(of: subquery, own, sources), key: table.key)
    let dependency = QueryPlan.Dependency(table: table.observed, role: .bystander, needsOldState: true)
    let checked = try checked(dependency, affected, table, sources)
    guard case .whole(let reason) = checked.role, !isInMemory else { return checked }
    return common(table, of: subquery, inner, reason) ?? checked
  }

  /// The subquery without those around it that may have no rows; nil if it, or one between, uses their columns.
  private func withoutEmptyLevels(_ subquery: Subquery) throws -> Subquery? {
    var result = subquery
    for (index, level) in subquery.around.enumerated().reversed() where level.mayBeEmpty {
      let inside = subquery.around[(index + 1)...]
      let conditions = inside.flatMap(\.conditions) + [subquery.condition].compactMap { $0 }
      let sql = (inside.map(\.from) + [subquery.from]).flatMap(\.expressions) + conditions
      for source in level.from.sources {
        // Without the table, a name of its columns could mean another one's.
        guard let table = try table(source), !sql.contains(where: { mentions(table, $0) }) else { return nil }
      }
      result.around.remove(at: index)
    }
    return result
  }

  /// What a subquery's rows must meet together with rows of the query and of the subqueries around it.
  private func condition(of subquery: Subquery, _ own: [SourceTable?], _ sources: Sources) throws -> SQL? {
    let around = try subquery.around.map { try $0.from.sources.map { try table($0) } }
    let outer = sources.tables + around.flatMap { $0 }
    var parts = [try qualified(subquery.condition, own: own, outer: outer)].compactMap { $0 }
    for (index, level) in subquery.around.enumerated() {
      var others = around
      others.remove(at: index)
      for condition in level.conditions {
        let outer = sources.tables + others.flatMap { $0 } + own
        parts += [try qualified(condition, own: around[index], outer: outer)].compactMap { $0 }
      }
    }
    return conjunction(parts)
  }

  /// One condition that is met where all of these are; nil if there are none.
  private func conjunction(_ conditions: [SQL]) -> SQL? {
    guard let first = conditions.first, conditions.count > 1 else { return conditions.first }
    return conditions.dropFirst().reduce(SQL(raw: "(") + first + SQL(raw: "\n)")) {
      $0 + SQL(raw: " AND (") + $1 + SQL(raw: "\n)")
    }
  }

  /// The dependency on a table of a subquery where a change may concern all rows of the query: it runs the query only
  /// if the changed row meets the parts of the subquery's condition that do not mention the outer query. If none does,
  /// what the subquery finds is the same for all rows.
  private func common(
    _ table: SourceTable, of subquery: Subquery, _ from: SQL, _ reason: String
  ) -> QueryPlan.Dependency? {
    let composition = Composition(columns: .empty, from: from, entityKey: ["1"])
    func found(_ condition: SQL) -> Composition.Keyed? {
      let statement = composition.affected(from: from, condition: condition, key: table.key)
      // By itself it compiles only if each name is of the subquery's own tables: double quotes never make a text here.
      return probe.compiles(statement.sql) ? statement : nil
    }
    var affected = subquery.condition.flatMap(found)
    if affected == nil {
      let parts = subquery.plainConditions.filter { found($0) != nil }
      affected = conjunction(parts).flatMap(found)
    }
    return affected.map { .init(table: table.observed, role: .common(reason), affected: $0, needsOldState: true) }
  }

  /// Checks that no join before a LEFT JOIN asks about its table. SQLite lets a condition name tables further right.
  /// It then tests the condition after it has looked for a match.
  func checkJoins(_ tables: [SourceTable?], _ clause: FromClause) throws {
    for (index, table) in tables.enumerated() {
      guard let table, table.source.join == .left else { continue }
      for earlier in clause.sources[..<index] where mentions(table, earlier.condition) {
        throw NotUnderstood("a join that asks about \(table.source.alias), which is further right")
      }
    }
  }

  private func checked(
    _ dependency: QueryPlan.Dependency, _ affected: Composition.Keyed, _ table: SourceTable, _ sources: Sources
  ) throws -> QueryPlan.Dependency {
    var dependency = dependency
    dependency.affected = affected
    guard probe.compiles(affected.sql) else {
      dependency.role = .whole("changes of \(table.source.table), which can't be asked about alone")
      return dependency
    }
    if let scanned = try probe.scan(in: affected.sql, tiny: sources.tiny) {
      dependency.role = .whole(
        "changes of \(table.source.table): what belongs to them is found only by scanning \(scanned), because the "
          + "condition compares no indexed columns of the two"
          + advice(for: affected.sql, of: sources.all))
    } else if dependency.needsOldState, isInMemory {
      dependency.role = .whole(
        "changes of \(table.source.table): a database in memory can't be read as it was before a commit")
    }
    return dependency
  }

  private func mentions(_ table: SourceTable, _ sql: SQL?) -> Bool {
    guard let sql else { return false }
    let tokens = SQLTokens(sql).tokens
    for (index, token) in tokens.enumerated() {
      let name: String
      switch token.kind {
      case .word(let word): name = word
      case .quoted(let quoted): name = quoted.asciiUppercased
      // SQLite takes a text for a name before a dot.
      case .text(let text) where index + 1 < tokens.count && tokens[index + 1].isMark("."):
        name = text.asciiUppercased
      default: continue
      }
      if name == table.source.alias.asciiUppercased { return true }
      // Beside a dot it is no column without a table.
      if index > 0, tokens[index - 1].isMark(".") { continue }
      if index + 1 < tokens.count, tokens[index + 1].isMark(".") { continue }
      if table.columns.contains(name) || SourceTable.rowIDNames.contains(name) { return true }
    }
    return false
  }
}
