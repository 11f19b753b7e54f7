public import FetchedResults
import FetchedResultsSupport

extension TodoStore {
  /// Reads a list once, and passes it to a visitor row by row, with only one row in memory.
  ///
  /// An error of the visitor is rethrown; an error of the database becomes a ``TodoError``.
  public func list<Visitor: ListVisitor>(_ query: ListQuery, into visitor: inout Visitor) throws {
    do {
      try addDayFunction(query)
      try show(query, to: &visitor)
    } catch let error where error is DatabaseError || error is JSONError {
      throw TodoError(error)
    }
  }

  private func show<Visitor: ListVisitor>(_ query: ListQuery, to visitor: inout Visitor) throws {
    try database.read { connection in
      let ownDays = try Self.needsOwnDays(query, connection)
      try visitor.begin(revision: try Self.revision(connection))
      var sections = SectionCutter(query, ownDays: ownDays)
      let statement = query.statement(ownDays: ownDays)
      if query.view == .tag {
        try connection.forEach(statement) { row in
          try sections.show(try Item(row: row, from: 3), tag: try row[2], to: &visitor)
        }
      } else {
        try connection.forEach(statement) { row in
          // The statement names the columns, so there is no need to look for them in each row.
          try sections.show(try Item(row: row, from: 0), tag: nil, to: &visitor)
        }
      }
      if sections.isInside { try visitor.endSection() }
      try visitor.end()
    }
  }

  /// Creates a controller that follows a list, in all views except by tag. It has not fetched yet.
  public func controller(_ query: ListQuery) throws(TodoError) -> FetchedResultsController<Item> {
    try readable { try addDayFunction(query) }
    return FetchedResultsController(fetchRequest: query.request(), database: database)
  }

  /// Creates a controller that follows a list in the view by tag. It has not fetched yet.
  public func taggedController(_ query: ListQuery) throws(TodoError) -> FetchedResultsController<TaggedItem> {
    try readable { try addDayFunction(query) }
    return FetchedResultsController(fetchRequest: query.taggedRequest(), database: database)
  }

  /// Creates a controller that follows a list for a screen, in all views except by tag. It has not fetched yet.
  public func lines(_ query: ListQuery) throws(TodoError) -> FetchedResultsController<ListLine<Item>> {
    try readable { try addDayFunction(query) }
    return FetchedResultsController(fetchRequest: query.request(of: ListLine<Item>.self), database: database)
  }

  /// Creates a controller that follows a list for a screen in the view by tag. It has not fetched yet.
  public func taggedLines(_ query: ListQuery) -> FetchedResultsController<ListLine<TaggedItem>> {
    FetchedResultsController(fetchRequest: query.taggedRequest(of: ListLine<TaggedItem>.self), database: database)
  }

  /// Starts to record commits of other programs row by row, if they are not recorded yet. A program that watches a long
  /// list is then notified within milliseconds, whatever its length. It changes nothing that users see, and costs every
  /// write a little.
  public func recordHistory() throws(TodoError) {
    try readable { try database.recordHistory(of: OwnSchema.followedTables) }
  }

  // MARK: Days

  /// Whether an item of the list has another day in this zone than where it was written.
  private static func needsOwnDays(_ query: ListQuery, _ connection: Connection) throws -> Bool {
    guard query.usesDays else { return false }
    let condition = FilterCondition(query.filter, Moment(query.now, in: query.zone)).sql
    var differs = false
    try connection.forEach(
      """
      SELECT item.due, item.due_day FROM item JOIN list ON list.id = item.list
      WHERE \(condition) AND length(item.due) > 10
      """
    ) { row in
      if differs { return }
      guard let due = Due(iso: try row[0] as String) else { return }
      differs = due.day(in: query.zone).description != (try row[1] as String)
    }
    return differs
  }

  private func addDayFunction(_ query: ListQuery) throws {
    let zone = query.zone
    guard query.usesDays, !dayFunctions.withLock({ $0.contains(query.dayFunction) }) else { return }
    try database.addFunction(query.dayFunction, arguments: 1, isDeterministic: true) { values in
      guard case .text(let text)? = values.first, let due = Due(iso: text) else { return .null }
      return .text(due.day(in: zone).description)
    }
    // Only now: if adding it fails, it is added the next time.
    dayFunctions.withLock { _ = $0.insert(query.dayFunction) }
  }
}

/// Divides rows in order into the sections of a view.
struct SectionCutter {
  private let query: ListQuery
  private let ownDays: Bool
  /// The value that the rows of the section share.
  private var current: Value?

  init(_ query: ListQuery, ownDays: Bool) {
    self.query = query
    self.ownDays = ownDays
  }

  /// Whether a section has begun and not ended.
  var isInside: Bool { current != nil }

  mutating func show<Visitor: ListVisitor>(_ item: Item, tag: String?, to visitor: inout Visitor) throws {
    let key = key(item, tag)
    if key != current {
      if current != nil { try visitor.endSection() }
      current = key
      try visitor.beginSection(name: name(item, tag))
    }
    try visitor.row(item)
  }

  private func day(_ item: Item) -> CalendarDay? { ownDays ? item.due?.day(in: query.zone) : item.dueDay }

  private func key(_ item: Item, _ tag: String?) -> Value {
    switch query.view {
    case .list: .integer(item.listID)
    case .undivided: .null
    case .due: day(item).map { .integer(Int64($0.number)) } ?? .null
    case .agenda, .next: .text(name(item, tag))
    case .priority: item.priority.map { .integer($0.rawValue) } ?? .null
    case .tag: tag.map { .text($0) } ?? .null
    }
  }

  private func name(_ item: Item, _ tag: String?) -> String {
    switch query.view {
    case .list: item.list
    case .undivided: ""
    case .due: day(item)?.description ?? SectionNames.undated
    case .agenda:
      day(item).map { !item.done && $0 < query.today ? SectionNames.overdue : $0.description } ?? SectionNames.undated
    case .next: Urgency(item, due: day(item), today: query.today)?.name ?? ""
    case .priority: item.priority?.name ?? SectionNames.withoutPriority
    case .tag: tag ?? SectionNames.untagged
    }
  }
}

extension TodoStore {
  /// The numbers and titles of open or done items for completions: the newest hundred whose numbers begin with some
  /// digits.
  public func titles(isDone: Bool, ofNumbersBeginning digits: String) throws(TodoError) -> [(id: Int64, title: String)]
  {
    try read { connection in
      try connection.rows(
        """
        SELECT id, title FROM item WHERE done = \(isDone) AND archived = 0 AND id GLOB \(digits) || '*'
        ORDER BY id DESC LIMIT 100
        """
      ).map { (try $0[0], try $0[1]) }
    }
  }
}
