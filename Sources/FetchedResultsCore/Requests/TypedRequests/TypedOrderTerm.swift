public import RowModel

/// One term of a typed request's order: a mapped property and its direction.
///
/// ```swift
/// FetchRequest<Item>(sortBy: [.ascending(\.due, nulls: .last), .descending(\.priority), .ascending(\.title)])
/// ```
///
/// Rows are sorted by the stored values, as the database does: NULL where it places NULL (first in an embedded
/// database) unless you set `nulls`, numbers by value, texts by the collation of their column unless you name one. An
/// enumeration is sorted by its raw values. A `Date`, a `UUID`, a `Bool` and a `Float` are sorted by the meaning of the
/// stored values, see `StoredForms`.
public struct TypedOrderTerm<E: MappedEntity>: Sendable {
  private var expression: Result<SQL, DatabaseError>
  /// The direction.
  package var direction: OrderTerm.Direction
  /// The position of NULL; nil for the database's default, which is first in an embedded database.
  public var nulls: OrderTerm.NullPlacement?
  /// How texts are compared; nil for the declared collation of the column.
  public var collation: OrderTerm.Collation?

  /// Creates a term from its parts.
  package init(
    _ keyPath: PartialKeyPath<E>, _ direction: OrderTerm.Direction = .ascending,
    nulls: OrderTerm.NullPlacement? = nil, collation: OrderTerm.Collation? = nil
  ) {
    do {
      expression = .success(try TypedColumns<E>(alias: nil).ordering(keyPath))
    } catch {
      expression = .failure(error)
    }
    self.direction = direction
    self.nulls = nulls
    self.collation = collation
  }

  /// Creates a term that sorts like Swift's `<`, or that fails if the database doesn't have that order.
  package init(asInSwift keyPath: PartialKeyPath<E>, _ direction: OrderTerm.Direction) {
    let type = Swift.type(of: keyPath).valueType
    guard let kind = ValueKind.of(type)?.kind, kind.isOrdered else {
      self.init(
        failure: "\(type) has an order of its own, which the database doesn't know; a request can't be sorted by it")
      return
    }
    self.init(keyPath, direction, collation: kind == .text ? .named("frc_utf8") : nil)
  }

  /// Creates a term with an error, which fetching the request throws.
  package init(failure message: String) {
    expression = .failure(DatabaseError(code: .misuse, message: message))
    direction = .ascending
  }

  /// The smallest first.
  public static func ascending(
    _ keyPath: PartialKeyPath<E>, nulls: OrderTerm.NullPlacement? = nil, collation: OrderTerm.Collation? = nil
  ) -> TypedOrderTerm {
    TypedOrderTerm(keyPath, .ascending, nulls: nulls, collation: collation)
  }

  /// The largest first.
  public static func descending(
    _ keyPath: PartialKeyPath<E>, nulls: OrderTerm.NullPlacement? = nil, collation: OrderTerm.Collation? = nil
  ) -> TypedOrderTerm {
    TypedOrderTerm(keyPath, .descending, nulls: nulls, collation: collation)
  }

  /// The term in SQL, or an error if the property has no column.
  ///
  /// ```swift
  /// let byDate = try TypedOrderTerm<Item>.ascending(\.due, nulls: .last).term()
  /// let request = FetchRequest<Item>(from: "item JOIN list ON list.id = item.list", orderBy: ["list.name", byDate])
  /// ```
  ///
  /// Use it where terms in SQL are expected, for example in a request with joins.
  public func term() throws(DatabaseError) -> OrderTerm {
    OrderTerm(try expression.get(), direction, nulls: nulls, collation: collation)
  }
}
