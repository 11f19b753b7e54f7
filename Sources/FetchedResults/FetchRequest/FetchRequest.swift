import DataSources
public import SQLiteStore

/// What a ``FetchedResultsController`` follows: the rows of a query, in order, cut into sections.
///
/// ```swift
/// let request = FetchRequest<Item>(
///   from: "item JOIN list ON list.id = item.list",
///   where: "NOT item.done",
///   sectionBy: .by("list.name", orderedBy: [.ascending("list.position")]),
///   orderBy: [.ascending("item.due", nulls: .last), "item.title"])
/// ```
///
/// A request is kept in pieces, so that it can be asked again for a few rows only; that is what makes following it cheap.
/// All pieces are ``SQL``: what is interpolated is bound, never spliced. Rows are sorted by the section first, then by
/// `orderBy`, and last by the entity's id, so that the order is total.
///
/// An id stands once in a list: a join that repeats a row of the entity is an error. So is a row that can't be read;
/// the error names its table, id and column. No row is left out silently.
///
/// The rows must follow from what the database holds: a request that asks for chance or the time is refused, also by way of a view. Bind
/// the time instead, and set another request when it has gone on. A 'now' that is put together (`date('n' || 'ow')`) or comes from a
/// column can't be seen: such a list changes with the next commit that it follows, and not with the time.
public struct FetchRequest<E: Entity>: Sendable {
  var source: RequestSource
  /// What makes the sections; without, there is one section.
  public var sectionBy: SectionTerm?
  /// What rows are sorted by within a section.
  public var orderBy: [OrderTerm]
  /// The most rows that are listed; nil for all. 0 is an empty list.
  public var limit: Int? {
    didSet { Self.check(limit, offset) }
  }
  /// How many rows are left out at the start.
  public var offset: Int {
    didSet { Self.check(limit, offset) }
  }
  /// Why the request can't be fetched, found when it was made: whoever fetches throws it.
  var failure: DatabaseError?

  /// A request in pieces.
  ///
  /// - Parameters:
  ///   - from: The tables, beginning with the entity's, maybe under an alias; joins are welcome. Unless given, the
  ///     entity's table alone.
  ///   - select: Named expressions to select besides the entity's columns, which its `init(row:)` can read by name.
  ///   - condition: Which rows; unless given, all.
  ///   - sectionBy: What makes the sections; unless given, there is one section.
  ///   - orderBy: What rows are sorted by within a section.
  ///   - limit: The most rows; negative numbers are the caller's mistake.
  ///   - offset: How many rows are left out at the start; negative numbers are the caller's mistake.
  public init(
    from: SQL? = nil, select: KeyValuePairs<String, SQL> = [:], where condition: SQL? = nil,
    sectionBy: SectionTerm? = nil, orderBy: [OrderTerm] = [], limit: Int? = nil, offset: Int = 0
  ) {
    self.init(
      source: .pieces(
        from: from, select: select.map { RequestSource.Selection(name: $0.key, expression: $0.value) },
        condition: condition),
      sectionBy: sectionBy, orderBy: orderBy, limit: limit, offset: offset)
  }

  /// A request of the rows of any SELECT, which must have the entity's columns.
  ///
  /// Its terms are expressions of the result's columns. With neither `sectionBy` nor `orderBy` the statement's own order
  /// stands.
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
  /// Whether both list the same rows in the same way.
  public static func == (left: FetchRequest, right: FetchRequest) -> Bool {
    left.source == right.source && left.sectionBy == right.sectionBy && left.orderBy == right.orderBy
      && left.limit == right.limit && left.offset == right.offset && left.failure == right.failure
  }

  /// Feeds what `==` compares, failures aside.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(sectionBy)
    hasher.combine(orderBy)
    hasher.combine(limit)
    hasher.combine(offset)
  }
}
