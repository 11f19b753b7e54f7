import DataSources
public import FetchedResults

/// A list of items as a command asks for it: which, in which view, and how many.
///
/// It is the one definition of each view: what is read once and written out (``TodoStore/list(_:into:)``) and what is followed
/// (``request()``) are put together from the same pieces.
public struct ListQuery: Hashable, Sendable {
  /// How it is cut into sections and ordered.
  public var view: ItemView
  /// Which items; without a status, the open ones.
  public var filter: Filter
  /// The most rows; nil for all. 0 is an empty list.
  public var limit: Int?
  /// In whose zone days begin.
  public var zone: LocalZone

  /// A list of items.
  public init(_ view: ItemView = .list, filter: Filter = Filter(), limit: Int? = nil, zone: LocalZone = .system) {
    self.view = view
    self.filter = filter
    self.limit = limit
    self.zone = zone
  }

  /// What is followed in all views but that by tag. Its database must know the function of days; see
  /// ``TodoStore/controller(_:)``.
  public func request() -> FetchRequest<Item> {
    require(view != .tag, "the view by tag is a list of tagged items; use taggedRequest()")
    let pieces = pieces(ownDays: true)
    return FetchRequest(
      from: pieces.from, select: ["list_name": "list.name"], where: pieces.condition, sectionBy: pieces.section,
      orderBy: pieces.order, limit: limit)
  }

  /// What is followed in the view by tag.
  public func taggedRequest() -> FetchRequest<TaggedItem> {
    require(view == .tag, "only the view by tag is a list of tagged items; use request()")
    let pieces = pieces(ownDays: true)
    return FetchRequest(
      from: pieces.from,
      select: [
        "i_id": "item.id", "i_uuid": "item.uuid", "i_list": "item.list", "i_position": "item.position",
        "i_title": "item.title", "i_done": "item.done", "i_created": "item.created", "i_completed": "item.completed",
        "i_started": "item.started", "i_due": "item.due", "i_due_day": "item.due_day", "i_every": "item.every",
        "i_anchor": "item.anchor", "i_previous": "item.previous", "i_priority": "item.priority",
        "i_tags": "item.tags", "i_archived": "item.archived", "i_extra": "item.extra", "i_notes": "item.notes",
        "i_zone": "item.zone",
        "i_list_name": "list.name",
      ],
      where: pieces.condition, sectionBy: pieces.section, orderBy: pieces.order, limit: limit)
  }

  // MARK: Pieces

  /// What a view is made of.
  struct Pieces {
    var from: SQL
    var condition: SQL
    var section: SectionTerm
    /// What decides the sections' order, and with it the sections.
    var sectionOrder: OrderTerm
    var order: [OrderTerm]
    /// The id, by which ties are broken.
    var id: SQL
  }

  /// The SQL function that tells the day of a due date in the reader's zone. Each zone has its own.
  var dayFunction: String {
    switch zone {
    case .system: "todo_day"
    case .named(let zone): "todo_day_\(zone.name.utf8.map { String($0, radix: 16) }.joined(separator: "_"))"
    case .fixed(let seconds): "todo_day_\(seconds < 0 ? "behind" : "ahead")_\(seconds.magnitude)"
    }
  }

  /// - Parameter ownDays: Whether days are those of the reader's zone, whatever the zone of who wrote them. It costs the
  ///   index, so a list that is read once does without where no item's day differs.
  func pieces(ownDays: Bool) -> Pieces {
    let condition = FilterCondition(filter, zone).sql
    let fromItem: SQL = "item JOIN list ON list.id = item.list"
    switch view {
    case .list:
      return Pieces(
        from: fromItem, condition: condition,
        section: .by("list.id", orderedBy: [.ascending("list.position")], name: "list.name"),
        sectionOrder: .ascending("list.position"), order: ["item.position"], id: "item.id")
    case .due:
      let day: SQL = ownDays ? "\(raw: dayFunction)(item.due)" : "item.due_day"
      let order = OrderTerm.ascending(day, nulls: .last)
      return Pieces(
        from: fromItem, condition: condition,
        section: .by(day, orderedBy: [order], name: "coalesce(\(day), \(SectionNames.undated))"),
        sectionOrder: order, order: ["item.due"], id: "item.id")
    case .priority:
      return Pieces(
        from: fromItem, condition: condition,
        section: .by(
          "item.priority", orderedBy: [.descending("item.priority")],
          name: """
            CASE item.priority WHEN 3 THEN 'high' WHEN 2 THEN 'medium' WHEN 1 THEN 'low'
            ELSE \(SectionNames.withoutPriority) END
            """),
        sectionOrder: .descending("item.priority"), order: [], id: "item.id")
    case .tag:
      let order = OrderTerm.ascending("item_tag.tag", nulls: .last)
      return Pieces(
        from: "item_tag JOIN item ON item.id = item_tag.item JOIN list ON list.id = item.list", condition: condition,
        section: .by("item_tag.tag", orderedBy: [order], name: "coalesce(item_tag.tag, \(SectionNames.untagged))"),
        sectionOrder: order, order: ["item_tag.item"], id: "item_tag.id")
    }
  }

  /// The statement that reads the list once, from its first row to its last.
  func statement(ownDays: Bool) -> SQL {
    let pieces = pieces(ownDays: ownDays)
    var sql: SQL = view == .tag ? "SELECT item_tag.*, item.*, list.name" : "SELECT item.*, list.name"
    sql += " FROM \(pieces.from) WHERE \(pieces.condition) ORDER BY \(pieces.sectionOrder.sql)"
    for term in pieces.order { sql += ", \(term.sql)" }
    sql += ", \(pieces.id)"
    if let limit { sql += " LIMIT \(limit)" }
    return sql
  }
}

extension OrderTerm {
  /// The term as ORDER BY takes it.
  fileprivate var sql: SQL {
    var sql = expression
    if direction == .descending { sql += " DESC" }
    if nulls == .last { sql += " NULLS LAST" }
    return sql
  }
}

/// The names of sections of what has no date, no priority, no tag.
public enum SectionNames {
  /// Of items without a date.
  public static let undated = "no date"
  /// Of items without a priority.
  public static let withoutPriority = "no priority"
  /// Of items without tags.
  public static let untagged = "untagged"
}
