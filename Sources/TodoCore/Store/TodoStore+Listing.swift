public import FetchedResults
import FetchedResultsSupport

extension TodoStore {
  /// Reads a list once, and passes it to a visitor row by row, with only one row in memory.
  ///
  /// An error of the visitor is rethrown; an error of the database becomes a ``TodoError``.
  public func list<Visitor: ListVisitor>(_ query: ListQuery, into visitor: inout Visitor) throws {
    do {
      // Rarely twice: if an item has another day in this zone, its day must be computed.
      while try !show(query, to: &visitor) { try addDayFunction(query) }
    } catch let error as DatabaseError {
      throw TodoError(error)
    } catch let error as JSONError {
      throw TodoError(error)
    }
  }

  /// Returns false, before the visitor has been called, if the function for days must be added to the database first.
  private func show<Visitor: ListVisitor>(_ query: ListQuery, to visitor: inout Visitor) throws -> Bool {
    try database.read { connection in
      let ownDays = try Self.needsOwnDays(query, connection)
      if ownDays, !hasDayFunction(query) { return false }
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
      return true
    }
  }

  /// Creates a controller that follows a list, in all views except by tag. It has not fetched yet.
  public func controller(_ query: ListQuery) throws(TodoError) -> FetchedResultsController<Item> {
    try prepare(query)
    return FetchedResultsController(fetchRequest: query.request(), database: database)
  }

  /// Creates a controller that follows a list in the view by tag. It has not fetched yet.
  public func taggedController(_ query: ListQuery) throws(TodoError) -> FetchedResultsController<TaggedItem> {
    try prepare(query)
    return FetchedResultsController(fetchRequest: query.taggedRequest(), database: database)
  }

  /// Adds to the database what a request needs, before it is followed.
  public func prepare(_ query: ListQuery) throws(TodoError) {
    try readable { try addDayFunction(query) }
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
    guard query.view == .due else { return false }
    var filter = Filter(status: query.filter.status)
    filter.lists = query.filter.lists
    let condition = FilterCondition(filter, query.zone).sql
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

  private func hasDayFunction(_ query: ListQuery) -> Bool {
    dayFunctions.withLock { $0.contains(query.dayFunction) }
  }

  private func addDayFunction(_ query: ListQuery) throws {
    let zone = query.zone
    guard query.view == .due, !dayFunctions.withLock({ $0.contains(query.dayFunction) }) else { return }
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
  /// The value that the rows of one section share.
  private enum Key: Equatable {
    case list(Int64)
    case day(CalendarDay?)
    case priority(Priority?)
    case tag(Value)
  }

  private let query: ListQuery
  private let ownDays: Bool
  private var current: Key?

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
      try visitor.beginSection(name: name(key, item, tag))
    }
    try visitor.row(item)
  }

  private func key(_ item: Item, _ tag: String?) -> Key {
    switch query.view {
    case .list: .list(item.listID)
    case .due: .day(ownDays ? item.due?.day(in: query.zone) : item.dueDay)
    case .priority: .priority(item.priority)
    case .tag: .tag(tag.map { .text($0) } ?? .null)
    }
  }

  private func name(_ key: Key, _ item: Item, _ tag: String?) -> String {
    switch key {
    case .list: item.list
    case .day(let day): day?.description ?? SectionNames.undated
    case .priority(let priority): priority?.name ?? SectionNames.withoutPriority
    case .tag: tag ?? SectionNames.untagged
    }
  }
}
