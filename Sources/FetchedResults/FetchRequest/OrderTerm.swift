public import SQLiteStore

/// One term of a request's order: an SQL expression, its direction, and what becomes of NULL.
///
/// ```swift
/// orderBy: [.ascending("due", nulls: .last), .descending("priority"), "title"]
/// ```
///
/// A string is an expression that ascends. What is interpolated is bound, as in ``SQL``.
public struct OrderTerm: Hashable, Sendable {
  /// Which end comes first.
  public enum Direction: Hashable, Sendable {
    /// The smallest first.
    case ascending
    /// The largest first.
    case descending
  }

  /// Where rows stand whose value is NULL.
  public enum NullPlacement: Hashable, Sendable {
    /// Before all others.
    case first
    /// After all others.
    case last
  }

  /// How texts are compared.
  public enum Collation: Hashable, Sendable {
    /// Byte by byte.
    case binary
    /// Without regard to the case of ASCII letters.
    case nocase
    /// Without regard to spaces at the end.
    case rtrim
    /// By a collation that was added to the database.
    case named(String)

    /// The name in SQL.
    public var name: String {
      switch self {
      case .binary: "BINARY"
      case .nocase: "NOCASE"
      case .rtrim: "RTRIM"
      case .named(let name): name
      }
    }
  }

  /// What is compared.
  public var expression: SQL
  /// Which end comes first.
  public var direction: Direction
  /// Where NULL stands; nil for SQLite's own way, which takes NULL for the smallest value.
  public var nulls: NullPlacement?
  /// How texts are compared; nil for the way that the expression has, which for a column is declared with it.
  public var collation: Collation?

  /// Makes a term of its parts.
  public init(
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
  /// An expression that ascends.
  public init(stringLiteral value: String) { self.init(SQL(stringLiteral: value)) }

  /// An expression that ascends, with bound values.
  public init(stringInterpolation: SQL.StringInterpolation) {
    self.init(SQL(stringInterpolation: stringInterpolation))
  }
}
