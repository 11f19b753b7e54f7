import FetchedResults

/// A request as the oracle sees it: pieces of SQL as text, from which it makes the request, and the plain SQL to
/// compare with.
struct OracleSpec: CustomStringConvertible {
  enum Source {
    /// The rows of a table, maybe joined to others; `alias` is the entity's.
    case pieces(from: String?, alias: String, select: [(name: String, expression: String)], condition: String?)
    /// A whole statement.
    case statement(String)
  }

  struct Term {
    var expression: String
    var isDescending = false
    var nulls: OrderTerm.NullPlacement?
    var collation: OrderTerm.Collation?
    /// How its texts are told apart, where it orders sections.
    var equality = Equality.binary
    /// What the request has after the expression, and plain SQL has not.
    var comment = ""

    var term: OrderTerm {
      OrderTerm(
        SQL(raw: expression + comment), isDescending ? .descending : .ascending, nulls: nulls, collation: collation)
    }

    var suffix: String {
      var sql = collation.map { " COLLATE \($0.name)" } ?? ""
      if isDescending { sql += " DESC" }
      if let nulls { sql += nulls == .first ? " NULLS FIRST" : " NULLS LAST" }
      return sql
    }
  }

  /// How texts of a section's value are told apart.
  enum Equality { case binary, nocase, rtrim, folded }

  struct Sections {
    var value: String
    var equality: Equality
    var orderedBy: [Term] = []
    var name: String?
    var including: String?
    /// How many columns `including` has.
    var includedColumns = 0
    var isThrough = false
    var comment = ""
  }

  var source: Source
  var sections: Sections?
  var order: [Term] = []
  var limit: Int?
  var offset = 0

  var request: (sectionBy: SectionTerm?, orderBy: [OrderTerm]) {
    let section = sections.map { sections -> SectionTerm in
      let value = SQL(raw: sections.value + sections.comment)
      let orderedBy = sections.orderedBy.map(\.term)
      let name = sections.name.map { SQL(raw: $0) }
      let including = sections.including.map { SQL(raw: $0) }
      if sections.isThrough {
        return .by(value, orderedBy: orderedBy, name: name, including: including, through: Self.through)
      }
      return .by(value, orderedBy: orderedBy, name: name, including: including)
    }
    return (section, order.map(\.term))
  }

  /// What a `through` makes of a value.
  @Sendable static func through(_ value: Value) -> SectionID {
    switch value {
    case .null: .none
    case .integer(let number): .integer(number & 3)
    case .real(let number): .real(number > 2 ? 0.5 : 1)
    case .text(let text): .text(String(text.prefix(1)))
    case .blob: .blob([1])
    }
  }

  func fetchRequest<E: Entity>(of type: E.Type) -> FetchRequest<E> {
    let (sectionBy, orderBy) = request
    switch source {
    case .pieces(let from, _, let select, let condition):
      var request = FetchRequest<E>(
        from: from.map { SQL(raw: $0) }, where: condition.map { SQL(raw: $0) }, sectionBy: sectionBy, orderBy: orderBy,
        limit: limit, offset: offset)
      if let first = select.first {
        request = FetchRequest<E>(
          from: from.map { SQL(raw: $0) }, select: [first.name: SQL(raw: first.expression)],
          where: condition.map { SQL(raw: $0) }, sectionBy: sectionBy, orderBy: orderBy, limit: limit, offset: offset)
      }
      return request
    case .statement(let sql):
      return FetchRequest<E>(sql: SQL(raw: sql), sectionBy: sectionBy, orderBy: orderBy, limit: limit, offset: offset)
    }
  }

  var description: String {
    var parts: [String] = []
    switch source {
    case .pieces(let from, _, let select, let condition):
      parts.append("from: \(from ?? "-")")
      if let first = select.first { parts.append("select: \(first)") }
      if let condition { parts.append("where: \(condition)") }
    case .statement(let sql): parts.append("sql: \(sql)")
    }
    if let sections {
      parts.append(
        "sectionBy: \(sections.value)\(sections.isThrough ? " through" : "") "
          + "orderedBy: \(sections.orderedBy.map { $0.expression + $0.suffix }) name: \(sections.name ?? "-") "
          + "including: \(sections.including ?? "-")")
    }
    parts.append("orderBy: \(order.map { $0.expression + $0.comment + $0.suffix })")
    if limit != nil || offset > 0 { parts.append("limit: \(limit.map { "\($0)" } ?? "-") offset: \(offset)") }
    return parts.joined(separator: " | ")
  }
}
