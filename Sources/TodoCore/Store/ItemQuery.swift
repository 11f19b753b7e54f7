import SQLiteStore

/// Finds the items that a command applies to.
struct ItemQuery {
  let connection: Connection
  let moment: Moment

  init(_ connection: Connection, _ moment: Moment) {
    self.connection = connection
    self.moment = moment
  }

  /// The columns and tables from which an ``Item`` is read.
  static let source: SQL = "SELECT \(Item.columns) FROM item JOIN list ON list.id = item.list"

  static func missing(_ ids: String) -> TodoError {
    .noSuchItem("there is no item \(ids); `todo list --all` shows the numbers there are")
  }

  /// The items of a selection. See ``TodoStore/items(_:)``.
  func items(_ selection: Selection, status: Filter.Status = .open) throws -> [Item] {
    var filter = selection.filter
    if selection.ids.isEmpty {
      if filter.status == nil { filter.status = status }
      let condition = FilterCondition(filter, moment).sql
      return try connection.entities(
        Self.source + " WHERE \(condition) ORDER BY list.position, item.position, item.id", of: Item.self)
    }
    let items = try items(try ids(selection.ids))
    if filter.isEmpty, filter.status == nil { return items }
    if filter.status == nil { filter.status = .any }
    let condition = FilterCondition(filter, moment).sql
    let matching = try connection.values(
      "SELECT item.id FROM item JOIN list ON list.id = item.list WHERE item.id IN \(items.map(\.id)) AND \(condition)",
      as: Int64.self)
    let chosen = Set(matching)
    return items.filter { chosen.contains($0.id) }
  }

  /// The items with these numbers that can be read: for reporting a change that has been made already.
  func readableItems(_ ids: [Int64]) throws -> [Item] {
    func some(_ ids: [Int64]) throws -> [Item]? {
      do {
        return try items(ids)
      } catch is JSONError {
        return nil
      } catch let error as DatabaseError where error.code == .mismatch {
        return nil
      }
    }
    return try some(ids) ?? ids.flatMap { try some([$0]) ?? [] }
  }

  /// The numbers of the items in these ranges, in the order given and each once; throws if a range matches none.
  func ids(_ ranges: [ClosedRange<Int64>]) throws -> [Int64] {
    var ids: [Int64] = []
    var seen: Set<Int64> = []
    for range in ranges {
      let hits = try connection.values(
        "SELECT id FROM item WHERE id BETWEEN \(range.lowerBound) AND \(range.upperBound) ORDER BY id", as: Int64.self)
      if hits.isEmpty {
        throw Self.missing(range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)")
      }
      ids += hits.filter { seen.insert($0).inserted }
    }
    return ids
  }

  /// The items with these numbers, in their order, without missing ones.
  func items(_ ids: [Int64]) throws -> [Item] {
    if ids.isEmpty { return [] }
    if ids.count == 1 { return try connection.entities(Self.source + " WHERE item.id = \(ids[0])", of: Item.self) }
    var found: [Int64: Item] = [:]
    try connection.forEach(Self.source + " WHERE item.id IN \(ids)", as: Item.self) { found[$0.id] = $0 }
    return ids.compactMap { found[$0] }
  }

  /// The number of a list; nil if no list has that name.
  func list(_ name: String) throws -> Int64? {
    try connection.value("SELECT id FROM list WHERE name = \(name)", as: Int64.self)
  }

  /// The number of a list, which must exist.
  func existingList(_ name: String) throws -> Int64 {
    if let id = try list(name) { return id }
    throw TodoError.noSuchItem(try missingList(name))
  }

  /// The list whose name is near to another name, which may be a slip; nil if a list has just that name.
  func nearList(to name: String) throws -> String? {
    if try list(name) != nil { return nil }
    let existing = try connection.values("SELECT name FROM list ORDER BY position", as: String.self)
    return Suggestion.nearest(to: name, among: existing)
  }

  /// A clause about the first list or tag in a filter that does not exist, with a suggestion, or about a filter that
  /// can't match; nil if there is nothing to say.
  func missingName(in filter: Filter) throws -> String? {
    if let name = try filter.lists.first(where: { try list($0) == nil }) { return try missingList(name) }
    let missing = try filter.tags.first {
      try connection.value("SELECT EXISTS(SELECT 1 FROM item_tag WHERE tag = \($0))", as: Bool.self) == false
    }
    guard let tag = missing else {
      return filter.excludesItself ? "these filters exclude each other, so nothing can match" : nil
    }
    let tags = try connection.values(
      "SELECT DISTINCT tag FROM item_tag WHERE tag IS NOT NULL ORDER BY tag", as: String.self)
    return "no item has the tag \"\(tag)\""
      + Suggestion.clause(for: tag, among: tags, otherwise: "`todo list --all --by tag` shows those there are")
  }

  private func missingList(_ name: String) throws -> String {
    let existing = try connection.values("SELECT name FROM list ORDER BY position", as: String.self)
    return "there is no list \"\(name)\""
      + Suggestion.clause(for: name, among: existing, otherwise: "`todo lists` shows those there are")
  }
}
