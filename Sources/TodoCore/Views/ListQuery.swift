import DataSources
public import FetchedResults
import FetchedResultsSupport

/// A list of items as a command requests it: which, in which view, and how many.
///
/// It is the only definition of each view: the statement that is read once (``TodoStore/list(_:into:)``) and the
/// request that is followed (``request()``) are composed of the same pieces.
public struct ListQuery: Hashable, Sendable {
  /// How it is divided into sections and ordered.
  public var view: ItemView
  /// Which items; without a status, the open ones.
  public var filter: Filter
  /// The maximum number of rows; nil for all. 0 is an empty list.
  public var limit: Int?
  /// The zone in which days begin.
  public var zone: LocalZone

  /// Creates a list query.
  public init(_ view: ItemView = .list, filter: Filter = Filter(), limit: Int? = nil, zone: LocalZone = .system) {
    self.view = view
    self.filter = filter
    self.limit = limit
    self.zone = zone
  }

  /// The request for all views except by tag. The function for days must be added to the database; see
  /// ``TodoStore/controller(_:)``.
  public func request() -> FetchRequest<Item> { request(of: Item.self) }

  func request<Row: Entity>(of row: Row.Type) -> FetchRequest<Row> {
    require(view != .tag, "the view by tag is a list of tagged items; use taggedRequest()")
    let pieces = pieces(ownDays: true)
    return FetchRequest(
      from: pieces.from, select: ["todo_list_name": "list.name"], where: pieces.condition, sectionBy: pieces.section,
      orderBy: pieces.order, limit: limit)
  }

  /// The request for the view by tag.
  public func taggedRequest() -> FetchRequest<TaggedItem> { taggedRequest(of: TaggedItem.self) }

  func taggedRequest<Row: Entity>(of row: Row.Type) -> FetchRequest<Row> {
    require(view == .tag, "only the view by tag is a list of tagged items; use request()")
    let pieces = pieces(ownDays: true)
    return FetchRequest(
      from: pieces.from,
      select: [
        "i_id": "item.id", "i_uuid": "item.uuid", "i_list": "item.list", "i_position": "item.position",
        "i_title": "item.title", "i_notes": "item.notes", "i_tags": "item.tags", "i_done": "item.done",
        "i_archived": "item.archived", "i_priority": "item.priority", "i_due": "item.due", "i_due_day": "item.due_day",
        "i_every": "item.every", "i_anchor": "item.anchor", "i_zone": "item.zone", "i_previous": "item.previous",
        "i_created": "item.created", "i_started": "item.started", "i_completed": "item.completed",
        "i_extra": "item.extra",
        "i_list_name": "list.name",
      ],
      where: pieces.condition, sectionBy: pieces.section, orderBy: pieces.order, limit: limit)
  }

  // MARK: Pieces

  /// The pieces of a view.
  struct Pieces {
    var from: SQL
    var condition: SQL
    var section: SectionTerm
    /// The order of the sections, which also determines the sections.
    var sectionOrder: OrderTerm
    var order: [OrderTerm]
    /// The id, which breaks ties.
    var id: SQL
  }

  /// The SQL function that returns the day of a due date in the reader's zone. Each zone has its own.
  var dayFunction: String {
    switch zone {
    case .system: "todo_day"
    case .named(let zone): "todo_day_\(zone.name.utf8.map { String($0, radix: 16) }.joined(separator: "_"))"
    case .fixed(let seconds): "todo_day_\(seconds < 0 ? "behind" : "ahead")_\(seconds.magnitude)"
    }
  }

  /// - Parameter ownDays: Whether days are those of the reader's zone, instead of the writer's. Then the index can't be
  ///   used, so a list that is read once avoids it if no item's day differs.
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
    var sql: SQL = view == .tag ? "SELECT item_tag.id, item_tag.item, item_tag.tag, " : "SELECT "
    sql += "\(Item.columns) FROM \(pieces.from) WHERE \(pieces.condition) ORDER BY \(pieces.sectionOrder.sql)"
    for term in pieces.order { sql += ", \(term.sql)" }
    sql += ", \(pieces.id)"
    if let limit { sql += " LIMIT \(limit)" }
    return sql
  }
}

extension OrderTerm {
  /// The term in the form of ORDER BY.
  fileprivate var sql: SQL {
    var sql = expression
    if direction == .descending { sql += " DESC" }
    if nulls == .last { sql += " NULLS LAST" }
    return sql
  }
}

/// The names of the sections for items without a date, a priority, a tag.
public enum SectionNames {
  /// For items without a date.
  public static let undated = "no date"
  /// For items without a priority.
  public static let withoutPriority = "no priority"
  /// For items without tags.
  public static let untagged = "untagged"
}
