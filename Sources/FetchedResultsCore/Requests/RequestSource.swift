package import RowModel

/// Where the rows of a request come from.
package enum RequestSource: Hashable, Sendable {
  /// The entity's rows: the tables, with the entity's first (nil: its own alone), named expressions to select in
  /// addition to its columns, and the condition.
  case pieces(from: SQL?, select: [Selection], condition: SQL?)
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

/// A request without its entity's type: everything that planning needs.
package struct RequestDescription: Sendable {
  package var source: RequestSource
  package var sectionBy: SectionTerm?
  package var orderBy: [OrderTerm]
  /// Which of the rows are shown.
  package var window: Range<Int>
  /// The facts about the entity's type.
  package var entity: EntityShape
  /// The error of a typed request.
  package var failure: DatabaseError?

  /// All pieces of SQL.
  package var pieces: [SQL] {
    var pieces: [SQL] = []
    switch source {
    case .pieces(let from, let select, let condition):
      pieces = [from, condition].compactMap { $0 } + select.map(\.expression)
    case .statement(let sql): pieces = [sql]
    }
    if let sectionBy { pieces += [sectionBy.name, sectionBy.including].compactMap { $0 } }
    return pieces + terms
  }

  /// The conditions for which no index can be used because of how values are stored.
  var lostIndexes: Set<String> { pieces.reduce(into: []) { $0.formUnion($1.lostIndexes) } }

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
    var description = RequestDescription(
      source: source, sectionBy: sectionBy, orderBy: orderBy, window: window,
      entity: EntityShape(E.self), failure: failure)
    if description.failure == nil {
      description.failure = contradiction ?? description.pieces.lazy.compactMap(\.failure).first
    }
    return description
  }
}
