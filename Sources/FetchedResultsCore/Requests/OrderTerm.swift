public import RowModel

/// One term of a request's order: an SQL expression, its direction, and the position of NULL.
///
/// ```swift
/// let request = FetchRequest<Item>(orderBy: [.ascending("due", nulls: .last), .descending("priority"), "title"])
/// ```
///
/// A string is an ascending expression. Interpolated values are bound, as in ``RowModel/SQL``.
public struct OrderTerm: Hashable, Sendable {
  /// The direction of an order.
  package enum Direction: Hashable, Sendable {
    /// The smallest first.
    case ascending
    /// The largest first.
    case descending
  }

  /// The position of rows whose value is NULL.
  ///
  /// ```swift
  /// let byDate = FetchRequest<Item>(orderBy: [.ascending("due", nulls: OrderTerm.NullPlacement.last)])
  /// ```
  public enum NullPlacement: Hashable, Sendable {
    /// Before all others.
    case first
    /// After all others.
    case last
  }

  /// How texts are compared.
  ///
  /// ```swift
  /// let collation = OrderTerm.Collation.nocase
  /// let byName = FetchRequest<Item>(orderBy: [.ascending("title", collation: collation)])
  /// ```
  public enum Collation: Hashable, Sendable {
    /// Byte by byte.
    case binary
    /// Ignoring the case of ASCII letters.
    case nocase
    /// Ignoring trailing spaces.
    case rtrim
    /// By a collation that was added to the database.
    case named(String)

    /// The name in SQL.
    package var name: String {
      switch self {
      case .binary: "BINARY"
      case .nocase: "NOCASE"
      case .rtrim: "RTRIM"
      case .named(let name): name
      }
    }
  }

  /// The expression to sort by.
  public var expression: SQL
  /// The direction.
  package var direction: Direction
  /// The position of NULL; nil for the database's default: an embedded database treats NULL as the smallest value.
  public var nulls: NullPlacement?
  /// How texts are compared; nil for the collation of the expression, which for a column is the declared one.
  public var collation: Collation?

  /// Creates a term from its parts.
  package init(
    _ expression: SQL, _ direction: Direction = .ascending, nulls: NullPlacement? = nil, collation: Collation? = nil
  ) {
    self.expression = expression
    self.direction = direction
    self.nulls = nulls
    self.collation = collation
  }

  /// The smallest first.
  public static func ascending(
    _ expression: SQL, nulls: NullPlacement? = nil, collation: Collation? = nil
  ) -> OrderTerm {
    OrderTerm(expression, .ascending, nulls: nulls, collation: collation)
  }

  /// The largest first.
  public static func descending(
    _ expression: SQL, nulls: NullPlacement? = nil, collation: Collation? = nil
  ) -> OrderTerm {
    OrderTerm(expression, .descending, nulls: nulls, collation: collation)
  }
}

extension OrderTerm: ExpressibleByStringInterpolation {
  /// An ascending expression.
  public init(stringLiteral value: String) { self.init(SQL(stringLiteral: value)) }

  /// An ascending expression with bound values.
  public init(stringInterpolation: SQL.StringInterpolation) {
    self.init(SQL(stringInterpolation: stringInterpolation))
  }
}
