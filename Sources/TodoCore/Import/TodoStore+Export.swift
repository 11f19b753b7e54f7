import SQLiteStore

/// The content of an export besides its items.
public struct ExportHead: Sendable {
  /// The revision of the database.
  public var revision: Int64
  /// All lists in order, including those without items, with the fields that have no column.
  public var lists: [ImportedList]

  /// Creates a head; by default, that of an empty database.
  public init(revision: Int64 = 0, lists: [ImportedList] = []) {
    self.revision = revision
    self.lists = lists
  }
}

extension TodoStore {
  /// Reads everything for an export: the lists, and then the items list by list in their order, one by one.
  ///
  /// - Parameters:
  ///   - filter: Which items; without a status, all of them, including done and archived ones.
  ///   - begin: Called once, first.
  ///   - item: Called with each item, and with the UUID of the instance that it follows.
  public func export(
    _ filter: Filter = Filter(), begin: (ExportHead) throws -> Void,
    item: (_ item: Item, _ previous: String?) throws -> Void
  ) throws {
    var filter = filter
    if filter.status == nil { filter.status = .any }
    let condition = FilterCondition(filter, moment).sql
    do {
      try database.read { connection in
        let lists = try connection.rows("SELECT name, extra FROM list ORDER BY position").map { row in
          let extra = try (row[1] as String?).map { try JSONValue.parse(stored: $0) }
          return ImportedList(name: try row[0], extra: extra?.object?.withoutRepeats ?? JSONObject())
        }
        try begin(ExportHead(revision: try Self.revision(connection), lists: lists))
        try connection.forEach(
          """
          SELECT \(try Item.columns(existingIn: connection)),
            (SELECT former.uuid FROM item AS former WHERE former.id = item.previous)
          FROM item JOIN list ON list.id = item.list
          WHERE \(condition) ORDER BY list.position, item.position, item.id
          """
        ) { row in try item(try Item(row: row, from: 0), try row[Item.columnCount]) }
      }
    } catch let error where error is DatabaseError || error is JSONError {
      throw TodoError(error)
    }
  }
}
