public import DataSources
public import RowModel

/// What divides the rows of a request into sections: an SQL expression; rows with equal values are one section.
///
/// A string is an expression: `sectionBy: "list.name"`. With ``by(_:orderedBy:name:including:)`` the sections have an
/// order and names of their own:
///
/// ```swift
/// let request = FetchRequest<Item>(
///   from: "item JOIN list ON list.id = item.list",
///   sectionBy: .by(
///     "list.id", orderedBy: [.ascending("list.position")], name: "list.name",
///     including: "SELECT id, name, position FROM list"))
/// ```
///
/// Values that are equal under the expression's collation are one section. Its id is the value in its canonical form
/// (NOCASE folded, RTRIM trimmed, an integral real as an integer). Its name is the first row's spelling.
///
/// If a request has a limit or an offset, `including` adds the sections that have no rows at all. A section whose rows
/// are all outside the window is not shown.
public struct SectionTerm: Sendable {
  /// The value that the rows of a section share.
  public var value: SQL
  /// The order of the sections, before their value. All rows of a section must agree on it.
  public var orderedBy: [OrderTerm]
  /// The title of a section; by default, the value as the database prints it. The first row of a section decides.
  public var name: SQL?
  /// A SELECT of sections that exist even without rows.
  public var including: SQL?
  /// A function that computes the section from the value.
  package var function: SectionFunction?

  init(
    value: SQL, orderedBy: [OrderTerm] = [], name: SQL? = nil, including: SQL? = nil, function: SectionFunction? = nil
  ) {
    self.value = value
    self.orderedBy = orderedBy
    self.name = name
    self.including = including
    self.function = function
  }

  /// Sections by a value, optionally with an order, names, and sections without rows.
  ///
  /// - Parameters:
  ///   - value: The value that the rows of a section share.
  ///   - orderedBy: The order of the sections, before the value. If rows of one section disagree, fetching fails with
  ///     an error that names the section.
  ///   - name: The title of a section; by default, the value as the database prints it.
  ///   - including: A SELECT whose rows are sections that exist even when they are empty: a value, a name if there is a
  ///     second column, and a value for each term of `orderedBy` if there are that many more. Without those order
  ///     values, an empty section follows the one before it in the SELECT if `orderedBy` is given, and otherwise is
  ///     placed by its value.
  public static func by(
    _ value: SQL, orderedBy: [OrderTerm] = [], name: SQL? = nil, including: SQL? = nil
  ) -> SectionTerm {
    SectionTerm(value: value, orderedBy: orderedBy, name: name, including: including)
  }

  /// Sections by the result of a function, for example the day of a date.
  ///
  /// ```swift
  /// let byLetter = SectionTerm.by("title") { value in
  ///   if case .text(let title) = value { .text(String(title.prefix(1))) } else { .none }
  /// }
  /// ```
  ///
  /// The function must be pure: the same value must always give the same section. It runs as a deterministic SQL
  /// function, so sections are sorted by its result. Two terms with functions are equal if one is a copy of the other.
  public static func by(
    _ value: SQL, orderedBy: [OrderTerm] = [], name: SQL? = nil, including: SQL? = nil,
    through function: @escaping @Sendable (Value) -> SectionID
  ) -> SectionTerm {
    SectionTerm(
      value: value, orderedBy: orderedBy, name: name, including: including, function: SectionFunction(function))
  }
}

extension SectionTerm: Hashable {
  /// Whether both make the same sections.
  public static func == (left: SectionTerm, right: SectionTerm) -> Bool {
    left.value == right.value && left.orderedBy == right.orderedBy && left.name == right.name
      && left.including == right.including && left.function === right.function
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(value)
    hasher.combine(orderedBy)
    hasher.combine(name)
    hasher.combine(including)
    hasher.combine(function.map(ObjectIdentifier.init))
  }
}

extension SectionTerm: ExpressibleByStringInterpolation {
  /// Sections by an expression.
  public init(stringLiteral value: String) { self.init(value: SQL(stringLiteral: value)) }

  /// Sections by an expression with bound values.
  public init(stringInterpolation: SQL.StringInterpolation) {
    self.init(value: SQL(stringInterpolation: stringInterpolation))
  }
}

/// A function that computes sections. Its identity is that of the object.
package final class SectionFunction: Sendable {
  package let call: @Sendable (Value) -> SectionID

  init(_ call: @escaping @Sendable (Value) -> SectionID) { self.call = call }
}
