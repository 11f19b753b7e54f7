import DataSources
import FetchedResultsSupport
public import RowModel

/// What a ``FetchedResultsController`` follows: the rows of a query, in order, divided into sections.
///
/// ```swift
/// let request = FetchRequest<Item>(
///   from: "item JOIN list ON list.id = item.list",
///   where: "NOT item.done",
///   sectionBy: .by("list.name", orderedBy: [.ascending("list.position")]),
///   orderBy: [.ascending("item.due", nulls: .last), "item.title"])
/// ```
///
/// A request is kept in pieces, so that it can be run again for a few rows only; that makes following it cheap. All
/// pieces are ``RowModel/SQL``: interpolated values are bound, never inserted as text. Rows are sorted first by the
/// section, then by `orderBy`, and last by the entity's id, so the order is total.
///
/// An id occurs once in a list: a join that repeats a row of the entity is an error. So is a row that can't be read;
/// the error names its table, id and column. No row is left out silently.
///
/// The rows must depend only on the content of the database. A request that uses random values or the time is refused,
/// even through a view. Bind the time instead, and set another request when it has moved on. A 'now' that is computed
/// (`date('n' || 'ow')`) or comes from a column can't be detected: such a list changes with the next commit that it
/// follows, and not with the time.
public struct FetchRequest<E: Entity>: Sendable {
  var source: RequestSource
  /// What divides the rows into sections; nil for a single section.
  public var sectionBy: SectionTerm?
  /// The order of the rows within a section.
  public var orderBy: [OrderTerm]
  /// The maximum number of rows; nil for all. 0 is an empty list.
  public var limit: Int? {
    didSet { Self.check(limit, offset) }
  }
  /// How many rows to skip at the start.
  public var offset: Int {
    didSet { Self.check(limit, offset) }
  }
  /// Why the request can't be fetched, if that was found when it was created. Fetching throws it.
  var failure: DatabaseError?

  /// Creates a request in pieces.
  ///
  /// ```swift
  /// let late = FetchRequest<Item>(where: "due < \(Date()) AND NOT done", orderBy: ["due", .descending("priority")])
  /// ```
  ///
  /// - Parameters:
  ///   - from: The tables, beginning with the entity's, which may have an alias; joins are allowed. By default, the
  ///     entity's table alone.
  ///   - select: Named expressions to select in addition to the entity's columns; its `init(row:)` can read them by
  ///     name. A mapped property of such a name gets the expression's value, and needs no column. In other pieces the
  ///     name means the table's column if there is one.
  ///   - condition: Which rows; by default, all.
  ///   - sectionBy: What divides the rows into sections; by default, there is one section.
  ///   - orderBy: The order of the rows within a section.
  ///   - limit: The maximum number of rows; a negative number is the caller's mistake.
  ///   - offset: How many rows to skip at the start; a negative number is the caller's mistake.
  public init(
    from: SQL? = nil, select: KeyValuePairs<String, SQL> = [:], where condition: SQL? = nil,
    sectionBy: SectionTerm? = nil, orderBy: [OrderTerm] = [], limit: Int? = nil, offset: Int = 0
  ) {
    self.init(
      source: .pieces(
        from: from, select: select.map { RequestSource.Selection(name: $0.key, expression: $0.value) },
        condition: condition.map { .sql($0) }),
      sectionBy: sectionBy, orderBy: orderBy, limit: limit, offset: offset)
  }

  /// Creates a request for the rows of any SELECT, which must have the entity's columns.
  ///
  /// ```swift
  /// let latest = FetchRequest<Item>(sql: "SELECT * FROM item WHERE list = \(7) ORDER BY created DESC LIMIT 10")
  /// ```
  ///
  /// Its terms are expressions over the result's columns. Without `sectionBy` and `orderBy`, the statement's own order
  /// is used. With either of them it is not: then write the whole order as `orderBy`.
  public init(
    sql: SQL, sectionBy: SectionTerm? = nil, orderBy: [OrderTerm] = [], limit: Int? = nil, offset: Int = 0
  ) {
    self.init(source: .statement(sql), sectionBy: sectionBy, orderBy: orderBy, limit: limit, offset: offset)
  }

  init(source: RequestSource, sectionBy: SectionTerm?, orderBy: [OrderTerm], limit: Int?, offset: Int) {
    Self.check(limit, offset)
    self.source = source
    self.sectionBy = sectionBy
    self.orderBy = orderBy
    self.limit = limit
    self.offset = offset
  }

  private static func check(_ limit: Int?, _ offset: Int) {
    require((limit ?? 0) >= 0, "the limit of a request is \(limit ?? 0); it must not be negative")
    require(offset >= 0, "the offset of a request is \(offset); it must not be negative")
  }
}

extension FetchRequest: Hashable {
  /// Returns whether both are known, without a database, to list the same rows in the same way.
  public static func == (left: FetchRequest, right: FetchRequest) -> Bool {
    left.source == right.source && left.sectionBy == right.sectionBy && left.orderBy == right.orderBy
      && left.limit == right.limit && left.offset == right.offset && left.failure == right.failure
  }

  /// Hashes what `==` compares, except errors.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(sectionBy)
    hasher.combine(orderBy)
    hasher.combine(limit)
    hasher.combine(offset)
  }
}

/// A request, by a name that files which import SwiftUI can use: they have another `FetchRequest`.
public typealias RowRequest = FetchRequest
