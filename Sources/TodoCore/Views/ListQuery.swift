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
  /// What orders the items within a section; nil for the order of the view.
  public var sort: ItemSort?
  /// Whether that order is reversed.
  public var isReversed = false
  /// The zone in which days begin.
  public var zone: LocalZone
  /// Open items that wait for a later moment are hidden.
  public var now: Instant

  /// Creates a list query.
  public init(
    _ view: ItemView = .list, filter: Filter = Filter(), limit: Int? = nil, zone: LocalZone = .system,
    now: Instant = .now
  ) {
    self.view = view
    self.filter = filter
    self.limit = limit
    self.zone = zone
    self.now = now
  }

  /// The current day.
  public var today: CalendarDay { Moment(now, in: zone).today }

  /// Whether days must be computed to divide or sort the items.
  var usesDays: Bool { [.due, .agenda, .next].contains(view) || sort == .due }

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
        "i_extra": "item.extra", "i_rhythm": "item.rhythm", "i_wait": "item.wait",
        "i_list_name": "list.name",
      ],
      where: pieces.condition, sectionBy: pieces.section, orderBy: pieces.order, limit: limit)
  }

  // MARK: Pieces

  /// The pieces of a view.
  struct Pieces {
    var from: SQL
    var condition: SQL
    /// Nil if there are no sections.
    var section: SectionTerm?
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
    var pieces = dividedPieces(ownDays: ownDays)
    switch sort {
    case nil: break
    case .due?: pieces.order = [.ascending(day(ownDays), nulls: .last), "item.due"]
    case .priority?: pieces.order = [.descending("item.priority")]
    case .created?: pieces.order = [.descending("item.created", nulls: .last)]
    case .title?: pieces.order = [.ascending("item.title", collation: .nocase)]
    }
    if isReversed {
      let order = pieces.order.isEmpty ? [.ascending(pieces.id)] : pieces.order
      pieces.order = order.map(\.reversed)
    }
    return pieces
  }

  private func day(_ ownDays: Bool) -> SQL { ownDays ? "\(raw: dayFunction)(item.due)" : "item.due_day" }

  private func dividedPieces(ownDays: Bool) -> Pieces {
    let day = day(ownDays)
    var pieces = Pieces(
      from: "item JOIN list ON list.id = item.list", condition: FilterCondition(filter, Moment(now, in: zone)).sql,
      order: [],
      id: "item.id")
    switch view {
    case .list:
      pieces.section = .by("list.id", orderedBy: [.ascending("list.position")], name: "list.name")
      pieces.order = ["item.position"]
    case .undivided:
      pieces.order = ["list.position", "item.position"]
    case .due:
      pieces.section = .by(
        day, orderedBy: [.ascending(day, nulls: .last)], name: "coalesce(\(day), \(SectionNames.undated))")
      pieces.order = ["item.due"]
    case .agenda:
      let isOverdue: SQL = "item.done = 0 AND \(day) < \(today.description)"
      let section: SQL = "CASE WHEN \(isOverdue) THEN '' ELSE \(day) END"
      pieces.section = .by(
        section, orderedBy: [.ascending(section, nulls: .last)],
        name: "CASE WHEN \(isOverdue) THEN \(SectionNames.overdue) ELSE coalesce(\(day), \(SectionNames.undated)) END")
      pieces.order = [.ascending(day, nulls: .last), "item.due"]
    case .next:
      let urgency = Urgency.sql(day: day, today: today)
      let names = Urgency.allCases.map { "WHEN \($0.rawValue) THEN \($0.name)" as SQL }.joined(" ")
      pieces.condition += " AND \(urgency) IS NOT NULL"
      pieces.section = .by(urgency, orderedBy: [.ascending(urgency)], name: "CASE \(urgency) \(names) END")
      pieces.order = [.ascending(day, nulls: .last), "item.due"]
    case .priority:
      pieces.section = .by(
        "item.priority", orderedBy: [.descending("item.priority")],
        name: """
          CASE item.priority WHEN 3 THEN 'high' WHEN 2 THEN 'medium' WHEN 1 THEN 'low'
          ELSE \(SectionNames.withoutPriority) END
          """)
    case .tag:
      pieces.from = "item_tag JOIN item ON item.id = item_tag.item JOIN list ON list.id = item.list"
      pieces.section = .by(
        "item_tag.tag", orderedBy: [.ascending("item_tag.tag", nulls: .last)],
        name: "coalesce(item_tag.tag, \(SectionNames.untagged))")
      pieces.order = ["item_tag.item"]
      pieces.id = "item_tag.id"
    }
    return pieces
  }

  /// The statement that reads the list once, from its first row to its last.
  func statement(ownDays: Bool) -> SQL {
    var pieces = pieces(ownDays: ownDays)
    if view == .next, sort == nil, !isReversed, !ownDays, let limit { pieces.condition = firstOfEach(pieces, limit) }
    var sql: SQL = view == .tag ? "SELECT item_tag.id, item_tag.item, item_tag.tag, " : "SELECT "
    let order = (pieces.section?.orderedBy ?? []) + pieces.order + [.ascending(pieces.id)]
    sql += "\(Item.columns) FROM \(pieces.from) WHERE \(pieces.condition) ORDER BY \(order.map(\.sql).joined(", "))"
    if let limit { sql += " LIMIT \(limit)" }
    return sql
  }

  /// The condition that selects the first items of ``ItemView/next`` from the first ones of three indices, in the order
  /// of the view, instead of from all items that matter.
  private func firstOfEach(_ pieces: Pieces, _ limit: Int) -> SQL {
    let order = (pieces.order + [.ascending(pieces.id)]).map(\.sql).joined(", ")
    let base = FilterCondition(filter, Moment(now, in: zone)).sql
    let parts = [
      "item.started IS NOT NULL", "item.due_day < \(today.adding(days: 7).description)", "item.priority = 3",
    ].map { (part: SQL) -> SQL in
      """
      SELECT id FROM (
        SELECT item.id FROM \(pieces.from) WHERE \(base) AND \(part) ORDER BY \(order) LIMIT \(limit))
      """
    }
    return "item.id IN (\(parts.joined(" UNION ALL ")))"
  }
}

extension OrderTerm {
  /// The term in the form of ORDER BY.
  fileprivate var sql: SQL {
    var sql = expression
    if let collation { sql += " COLLATE \(raw: collation.name)" }
    if direction == .descending { sql += " DESC" }
    if nulls == .last { sql += " NULLS LAST" }
    return sql
  }

  /// The opposite order; missing values stay where they are.
  fileprivate var reversed: OrderTerm {
    direction == .descending
      ? .ascending(expression, nulls: nulls, collation: collation)
      : .descending(expression, nulls: nulls, collation: collation)
  }
}

/// The lists that answer "what now?": the commands of these names.
public enum DayList: String, CaseIterable, Sendable {
  /// What is overdue or due today.
  case today
  /// What is overdue or due in the seven days from today.
  case week
  /// What is overdue.
  case overdue
  /// The ten items that matter most.
  case next

  /// Makes a list query this list.
  public func apply(to query: inout ListQuery) {
    query.view = self == .next ? .next : .agenda
    let days = [.today: 1, .week: 7, .overdue: 0][self]
    if let days { query.filter.add(.due(after: nil, before: .day(query.today.adding(days: days)))) }
    if self == .next, query.limit == nil { query.limit = 10 }
  }
}

/// The names of the sections for items without a date, a priority, a tag.
public enum SectionNames {
  /// For open items whose day is over.
  public static let overdue = "overdue"
  /// For items without a date.
  public static let undated = "no date"
  /// For items without a priority.
  public static let withoutPriority = "no priority"
  /// For items without tags.
  public static let untagged = "untagged"
}
