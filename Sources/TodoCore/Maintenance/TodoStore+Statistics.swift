import SQLiteStore

/// How much there is to do, and how much has been done.
public struct TodoStatistics: Hashable, Sendable {
  /// The number of open and done items of a group; archived ones are not counted.
  public struct Count: Hashable, Sendable {
    /// The name of the group: a list, a priority, a tag.
    public var name: String
    /// The number of open ones.
    public var open: Int
    /// The number of done ones.
    public var done: Int
  }

  /// Open items.
  public var open = 0
  /// Done items, without archived ones.
  public var done = 0
  /// Archived items.
  public var archived = 0
  /// Open items whose day is over.
  public var overdue = 0
  /// Open items that are due today.
  public var dueToday = 0
  /// Open items that have been started.
  public var started = 0
  /// Items that were completed in the last seven days.
  public var doneInSevenDays = 0
  /// Items that were created in the last seven days.
  public var addedInSevenDays = 0
  /// By list, in the lists' order.
  public var lists: [Count] = []
  /// By priority, the highest first; those without one last.
  public var priorities: [Count] = []
  /// By tag, in their order; those without any last.
  public var tags: [Count] = []

  /// Creates the statistics of an empty database.
  public init() {}
}

extension TodoStore {
  /// The number of open items that are overdue, and of those due today.
  public func dueCounts() throws(TodoError) -> (overdue: Int, today: Int) {
    let moment = moment
    return try read { try Self.dueCounts($0, moment) }
  }

  private static func dueCounts(_ connection: Connection, _ moment: Moment) throws -> (overdue: Int, today: Int) {
    func count(_ condition: Filter.Condition) throws -> Int {
      try connection.value("SELECT count(*) FROM item WHERE \(FilterCondition(Filter(condition), moment).sql)")
        ?? 0
    }
    return (
      try count(.due(after: nil, before: .day(moment.today))), try count(.due(.day(moment.today)))
    )
  }

  /// Counts the items.
  public func statistics() throws(TodoError) -> TodoStatistics {
    let moment = moment
    return try read { connection in
      var result = TodoStatistics()
      func count(_ condition: SQL) throws -> Int {
        try connection.value("SELECT count(*) FROM item JOIN list ON list.id = item.list WHERE \(condition)") ?? 0
      }
      func filtered(_ parts: [Filter.Condition] = [], _ status: Filter.Status = .open) throws -> Int {
        try count(FilterCondition(Filter(.all([.wait(.any)] + parts), status: status), moment).sql)
      }
      let weekAgo = moment.instant.adding(seconds: -7 * 86_400)
      result.open = try filtered()
      result.done = try filtered([], .done)
      result.archived = try filtered([], .archived)
      (result.overdue, result.dueToday) = try Self.dueCounts(connection, moment)
      result.started = try count("item.done = 0 AND item.archived = 0 AND item.started IS NOT NULL")
      result.doneInSevenDays = try count("item.completed >= \(weekAgo)")
      result.addedInSevenDays = try count("item.created >= \(weekAgo)")
      func counts(_ name: SQL, from: SQL, order: SQL) throws -> [TodoStatistics.Count] {
        try connection.rows(
          """
          SELECT \(name), coalesce(sum(item.done = 0), 0), coalesce(sum(item.done = 1), 0) FROM \(from)
          GROUP BY \(order) ORDER BY \(order)
          """
        ).map { TodoStatistics.Count(name: try $0[0], open: try $0[1], done: try $0[2]) }
      }
      result.lists = try counts(
        "list.name", from: "list LEFT JOIN item ON item.list = list.id AND item.archived = 0", order: "list.position")
      result.priorities = try counts(
        "CASE item.priority WHEN 3 THEN 'high' WHEN 2 THEN 'medium' WHEN 1 THEN 'low' ELSE \(SectionNames.withoutPriority) END",
        from: "item WHERE item.archived = 0", order: "-item.priority")
      result.tags = try counts(
        "coalesce(item_tag.tag, \(SectionNames.untagged))",
        from: "item_tag JOIN item ON item.id = item_tag.item WHERE item.archived = 0",
        order: "item_tag.tag IS NULL, item_tag.tag")
      return result
    }
  }
}
