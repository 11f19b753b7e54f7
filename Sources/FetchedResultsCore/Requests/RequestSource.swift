package import RowModel

/// Where the rows of a request come from.
package enum RequestSource: Hashable, Sendable {
  /// The entity's rows: the tables, with the entity's first (nil: its own alone), named expressions to select in
  /// addition to its columns, and the condition.
  case pieces(from: SQL?, select: [Selection], condition: RequestCondition?)
  /// The rows of a whole SELECT.
  case statement(SQL)

  /// An expression that is selected under a name.
  package struct Selection: Hashable, Sendable {
    package var name: String
    package var expression: SQL

    package static func == (left: Selection, right: Selection) -> Bool {
      left.name.hasSameBytes(as: right.name) && left.expression == right.expression
    }

    package func hash(into hasher: inout Hasher) {
      name.hashBytes(into: &hasher)
      hasher.combine(expression)
    }
  }
}

/// Which rows a request selects.
package indirect enum RequestCondition: Hashable, Sendable {
  /// Both must hold.
  case both(RequestCondition, RequestCondition)
  case sql(SQL)
  /// A predicate, which the engine translates when it plans.
  case predicate(KeptPredicate)

  /// The condition in SQL. Call it only after the description was translated.
  package var sql: SQL {
    switch self {
    case .sql(let sql): sql
    // A new line ends a comment.
    case .both(let left, let right): "(" + left.sql + "\n) AND (" + right.sql + "\n)"
    case .predicate: fatalError("the predicate of a request was not translated before it was planned")
    }
  }

  /// The same without predicates; throws if one can't be translated.
  fileprivate func translated(by translator: some PredicateTranslator) throws(DatabaseError) -> RequestCondition {
    switch self {
    case .sql: self
    case .both(let left, let right): .both(try left.translated(by: translator), try right.translated(by: translator))
    case .predicate(let predicate): .sql(try predicate.condition(translator))
    }
  }

  /// Its parts, in order.
  package var parts: [RequestCondition] {
    if case .both(let left, let right) = self { left.parts + right.parts } else { [self] }
  }

  /// A condition of these parts; nil if there are none.
  static func all(_ parts: [RequestCondition]) -> RequestCondition? {
    guard let first = parts.first else { return nil }
    return parts.dropFirst().reduce(first) { .both($0, $1) }
  }
}

/// A request without its entity's type: everything that planning needs.
package struct RequestDescription: Sendable {
  package var source: RequestSource
  package var sectionBy: SectionTerm?
  package var orderBy: [OrderTerm]
  /// Which of the rows are shown.
  package var window: Range<Int>
  /// The facts about the entity's type.
  package var entity: EntityShape
  /// The error that was found when the request was described.
  fileprivate var foundFailure: DatabaseError?

  /// Why the request can't be fetched. An error in translating the predicate is not known before the translation.
  package var failure: DatabaseError? { foundFailure ?? pieces.lazy.compactMap(\.failure).first }

  /// The same request with its condition in SQL; throws if the predicate can't be translated.
  package func translated(by translator: some PredicateTranslator) throws(DatabaseError) -> RequestDescription {
    guard case .pieces(let from, let select, let condition?) = source else { return self }
    var translated = self
    translated.source = .pieces(from: from, select: select, condition: try condition.translated(by: translator))
    return translated
  }

  /// All pieces of SQL. A predicate is one once it is translated.
  package var pieces: [SQL] {
    var pieces: [SQL] = []
    switch source {
    case .pieces(let from, let select, let condition):
      pieces = [from].compactMap { $0 }
      for case .sql(let sql) in condition?.parts ?? [] { pieces.append(sql) }
      pieces += select.map(\.expression)
    case .statement(let sql): pieces = [sql]
    }
    if let sectionBy { pieces += [sectionBy.name, sectionBy.including].compactMap { $0 } }
    return pieces + terms
  }

  /// The conditions for which no index can be used because of how values are stored.
  package var lostIndexes: Set<String> { pieces.reduce(into: []) { $0.formUnion($1.lostIndexes) } }

  /// The expressions that rows and sections are sorted by.
  package var terms: [SQL] {
    (sectionBy.map { [$0.value] + $0.orderedBy.map(\.expression) } ?? []) + orderBy.map(\.expression)
  }
}

/// The facts about an entity's type that planning needs.
package struct EntityShape: Sendable {
  package var typeName: String
  package var table: String
  package var idColumn: String
  /// The columns of the entity, if they are known.
  package var columns: [String]?
  /// Whether rows without an id can be read.
  package var isIDOptional: Bool
  /// Whether an id may be stored in several forms.
  package var hasSeveralIDForms: Bool

  init<E: Entity>(_ type: E.Type) {
    typeName = "\(type)"
    table = E.table
    idColumn = E.idColumn
    isIDOptional = !(type is any MappedEntity.Type) || E.ID.self is any ExpressibleByNilLiteral.Type
    hasSeveralIDForms = E.ID.storedForms != .one
    columns = (type as? any MappedEntity.Type).map { Self.columns(of: $0) }
  }

  private static func columns<M: MappedEntity>(of type: M.Type) -> [String] { M.mapping.columnNames }
}

extension FetchRequest {
  /// Which of the rows are shown.
  var window: Range<Int> {
    let (end, isOverflown) = offset.addingReportingOverflow(limit ?? .max)
    return offset..<(isOverflown ? .max : end)
  }

  /// The error if the id column contradicts the mapping.
  private var contradiction: DatabaseError? {
    do {
      _ = try E.checkedIDColumn()
      return nil
    } catch {
      return error as? DatabaseError ?? DatabaseError(code: .misuse, message: "\(error)")
    }
  }

  package var description: RequestDescription {
    RequestDescription(
      source: source, sectionBy: sectionBy, orderBy: orderBy, window: window, entity: EntityShape(E.self),
      foundFailure: failure ?? contradiction)
  }
}
