import SQLiteStore

/// What an export holds besides its items.
public struct ExportHead: Sendable {
  /// The revision of the database.
  public var revision: Int64
  /// All lists in order, also those without items, with the fields that we have no column for.
  public var lists: [ImportedList]

  /// A head; that of a database in which there is nothing, unless something is said.
  public init(revision: Int64 = 0, lists: [ImportedList] = []) {
    self.revision = revision
    self.lists = lists
  }
}

extension TodoStore {
  /// Reads all that there is for an export: the lists, and then the items list by list in their order, one by one.
  ///
  /// - Parameters:
  ///   - filter: Which items; without a status, every one, done and archived ones included.
  ///   - begin: Called once, first.
  ///   - item: Called with each item, and with the UUID of the instance that it follows.
  public func export(
    _ filter: Filter = Filter(), begin: (ExportHead) throws -> Void,
    item: (_ item: Item, _ previous: String?) throws -> Void
  ) throws {
    var filter = filter
    if filter.status == nil { filter.status = .any }
    let condition = FilterCondition(filter, moment.zone).sql
    do {
      try database.read { connection in
        let lists = try connection.rows("SELECT name, extra FROM list ORDER BY position").map { row in
          let extra = try (row[1] as String?).map { try JSONValue.parse($0) }
          return ImportedList(name: try row[0], extra: extra?.object ?? JSONObject())
        }
        try begin(ExportHead(revision: try Self.revision(connection), lists: lists))
        try connection.forEach(
          """
          SELECT item.*, list.name, (SELECT former.uuid FROM item AS former WHERE former.id = item.previous)
          FROM item JOIN list ON list.id = item.list
          WHERE \(condition) ORDER BY list.position, item.position, item.id
          """
        ) { row in try item(try Item(row: row), try row[Item.columnCount]) }
      }
    } catch let error as DatabaseError {
      throw TodoError(error)
    } catch let error as JSONError {
      throw TodoError(error)
    }
  }
}
