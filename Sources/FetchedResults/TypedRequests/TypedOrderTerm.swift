public import SQLiteStore

/// One term of a typed request's order: a mapped property and its direction.
///
/// ```swift
/// FetchRequest<Item>(sortBy: [.ascending(\.due, nulls: .last), .descending(\.priority), .ascending(\.title)])
/// ```
///
/// Rows are sorted by what is stored, as SQLite does: NULL first unless said otherwise, then numbers by value, then texts in
/// the way of their column unless a collation is named. An enumeration is sorted by its raw values. A `Date`, a
/// `UUID`, a `Bool` and a `Float` are sorted by what the stored values mean, see `StoredForms`.
public struct TypedOrderTerm<E: MappedEntity>: Sendable {
  private var expression: Result<SQL, DatabaseError>
  /// Which end comes first.
  public var direction: OrderTerm.Direction
  /// Where NULL stands; nil for SQLite's own way, which takes NULL for the smallest value.
  public var nulls: OrderTerm.NullPlacement?
  /// How texts are compared; nil for the way that the column is declared with.
  public var collation: OrderTerm.Collation?

  /// Makes a term of its parts.
  public init(
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

  /// A term that sorts as Swift's `<` does, or that fails where SQLite doesn't know that order.
  package init(asInSwift keyPath: PartialKeyPath<E>, _ direction: OrderTerm.Direction) {
    let type = Swift.type(of: keyPath).valueType
    guard let kind = ValueKind.of(type)?.kind, kind.isOrdered else {
      self.init(failure: "\(type) has an order of its own, which SQLite doesn't know; a request can't be sorted by it")
      return
    }
    self.init(keyPath, direction, collation: kind == .text ? .named("frc_utf8") : nil)
  }

  /// A term that can't be: whoever fetches the request throws the error.
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

  /// The term in SQL, or an error where the property has no column.
  ///
  /// For what takes terms in SQL, as a request with joins does.
  public func term() throws(DatabaseError) -> OrderTerm {
    OrderTerm(try expression.get(), direction, nulls: nulls, collation: collation)
  }
}
