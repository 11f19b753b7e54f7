import FetchedResultsCore
import RowModel
import SQLiteStore

/// A request as statements that are run once, without being followed.
struct RequestCommand {
  /// A term of the order, with what decides where a row comes.
  struct Term {
    /// The expression with its collation.
    var expression: SQL
    /// The same with its direction.
    var ordering: SQL
    var isDescending: Bool
    var isNullLast: Bool
  }

  private let request: RequestDescription
  private let columns: SQL
  private let from: SQL
  private let condition: SQL?
  /// The entity's id, in the scope of `from`.
  private let id: SQL
  /// Empty for a statement in its own order.
  let terms: [Term]

  /// Composes a request; throws if it is wrong. Without a window, counting and changing its rows needs no order.
  init(_ request: RequestDescription, on connection: Connection, isOrdered: Bool) throws {
    let request = try request.translated(by: ConditionTranslator())
    if let failure = request.failure { throw failure }
    try PieceCheck.check(request)
    if request.sectionBy?.function != nil { try SectionFunctions.add(to: connection) }
    let needsOrder = !request.hasOwnOrder && (isOrdered || request.window != 0..<Int.max)
    let encoding: String = try needsOrder ? connection.copiedRows("PRAGMA encoding")[0][0] : ""
    let planner = QueryPlanner(
      probe: PlanProbe(connection: connection), request: request, encoding: encoding, isInMemory: false,
      sectionFunction: SectionFunctions.name)
    var composition = try planner.compositionOfWhole()
    var plan = QueryPlan(full: .empty, idName: request.entity.idColumn)
    id = SQL(raw: planner.outerAlias(composition) + SQL.quoted(request.entity.idColumn))
    if !needsOrder {
      terms = []
    } else {
      // A collation that is not understood can only not be followed: SQLite sorts by it all the same.
      do { try planner.order(&composition, &plan) } catch is QueryPlanner.NotUnderstood {}
      terms = zip(composition.terms, plan.order.parts).map { term, part in
        // A new line ends a comment.
        let expression = SQL(raw: "(") + term.expression + SQL(raw: "\n)" + term.collation)
        let ordering = expression + SQL(raw: String(term.suffix.dropFirst(term.collation.count)))
        return Term(
          expression: expression, ordering: ordering, isDescending: part.isDescending, isNullLast: part.isNullLast)
      }
    }
    self.request = request
    (columns, from, condition) = (composition.columns, composition.from, composition.condition)
  }

  /// The rows in order, at most `most` of them.
  func rows(atMost most: Int? = nil) -> SQL {
    if request.hasOwnOrder, case .statement(let sql) = request.source { return window(SQLTokens(sql).withoutEnd, most) }
    return window(select(columns) + order, most)
  }

  /// The number of rows.
  var count: SQL {
    if request.window == 0..<Int.max, !hasSelected { return select("count(*)") }
    return "SELECT count(*) FROM (" + window(select(hasSelected ? columns : "1"), nil) + ")"
  }

  /// The ids of the rows.
  private var ids: SQL {
    let order = request.window == 0..<Int.max ? .empty : order
    if !hasSelected { return window(select(id) + order, nil) }
    return "SELECT frc_id FROM (" + window(select(columns + ", " + id + " AS frc_id") + order, nil) + ")"
  }

  /// Whether there are selected expressions, whose names the condition and the order may use.
  private var hasSelected: Bool {
    if case .pieces(_, let select, _) = request.source { !select.isEmpty } else { false }
  }

  /// What distinguishes the order from others.
  var fingerprint: String {
    // FNV-1a: it must be the same in another process.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for text in terms.map({ "\($0.ordering.text)\0\($0.ordering.bindings)\0" }) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return String(hash, radix: 36)
  }

  /// A page: the rows after one with these values of the terms, each with its own values behind its columns.
  func page(after values: [Value]?, size: Int) -> SQL {
    var sql = SQL(raw: "SELECT ") + columns
    for (index, term) in terms.enumerated() { sql += ", " + term.expression + SQL(raw: " AS frc_page\(index)") }
    sql += " FROM " + from
    let conditions = [condition.map { "(" + $0 + "\n)" }, values.map { after($0) }].compactMap { $0 }
    for (index, condition) in conditions.enumerated() { sql += (index == 0 ? "\nWHERE " : " AND ") + condition }
    return sql + order + " LIMIT \(size)"
  }

  /// Whether a row comes after one with these values of the terms.
  private func after(_ values: [Value]) -> SQL {
    var condition: SQL = "0"
    for (term, value) in zip(terms, values).reversed() {
      let isSame = term.expression + " IS \(value)"
      let isBehind: SQL =
        if value.isNull {
          term.isNullLast == term.isDescending ? term.expression + " IS NOT NULL" : "0"
        } else {
          (term.isDescending ? term.expression + " < \(value)" : term.expression + " > \(value)")
            + (term.isNullLast != term.isDescending ? " OR " + term.expression + " IS NULL" : .empty)
        }
      condition = "(" + isBehind + " OR " + isSame + " AND " + condition + ")"
    }
    // SQLite searches an index for this, and not for what follows.
    guard let term = terms.first, let value = values.first, !value.isNull, term.isNullLast == term.isDescending else {
      return condition
    }
    return term.expression + (term.isDescending ? " <= \(value) AND " : " >= \(value) AND ") + condition
  }

  /// The condition of a change of the request's rows in the entity's table.
  var changed: SQL {
    if case .pieces(from: nil, _, _) = request.source, request.window == 0..<Int.max, !hasSelected {
      return condition ?? "1"
    }
    return SQL(raw: SQL.quoted(request.entity.idColumn)) + " IN (" + ids + ")"
  }

  private func select(_ what: SQL) -> SQL {
    SQL(raw: "SELECT ") + what + " FROM " + from + (condition.map { "\nWHERE " + $0 } ?? .empty) + "\n"
  }

  private var order: SQL {
    guard let first = terms.first else { return .empty }
    return terms.dropFirst().reduce(" ORDER BY " + first.ordering) { $0 + ", " + $1.ordering }
  }

  /// A statement with the request's limit and offset.
  private func window(_ sql: SQL, _ most: Int?) -> SQL {
    let count = min(request.window.count, most ?? .max)
    let offset = request.window.lowerBound
    if count == .max, offset == 0 { return sql }
    return (request.hasOwnOrder ? "SELECT * FROM (" + sql + "\n)" : sql) + " LIMIT \(count) OFFSET \(offset)"
  }
}

extension RequestDescription {
  /// Whether it is a whole statement, whose own order is used.
  fileprivate var hasOwnOrder: Bool {
    if case .statement = source { sectionBy == nil && orderBy.isEmpty } else { false }
  }
}

extension QueryPlanner {
  /// The request with its tables and columns as they are written.
  fileprivate func compositionOfWhole() throws -> Composition {
    switch request.source {
    case .pieces(let from, let select, let condition):
      let from = from ?? SQL(raw: probe.connection.quotedTable(entity.table))
      let first = FromClause.first(of: from)
      try checkIsEntity(first, from)
      return try whole(from: from, alias: first?.alias ?? entity.table, select, condition?.sql)
    case .statement(let text):
      let statement = SQLTokens(text).withoutEnd
      return Composition(
        columns: "*", from: SQL(raw: "(") + statement + SQL(raw: "\n) AS \(SQL.quoted(Self.wholeAlias))"),
        condition: nil)
    }
  }
}
