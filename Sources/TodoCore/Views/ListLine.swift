public import SQLiteStore

/// What one line of a live list shows of an item. It takes a third of the memory of an ``Item``.
public struct ItemLine: Equatable, Sendable {
  /// The number of the item.
  public let id: Int64
  /// The title.
  public let title: String
  /// The name of its list.
  public let list: String
  /// The tags.
  public let tags: [String]
  /// The priority.
  public let priority: Priority?
  /// When it is due.
  public let due: Due?
  /// The recurrence.
  public let every: Recurrence?
  /// Whether it is done.
  public let done: Bool
  /// Whether it was started.
  public let isStarted: Bool

  init(_ item: Item) {
    id = item.id
    title = item.title
    list = item.list
    tags = item.tags
    priority = item.priority
    due = item.due
    every = item.every
    done = item.done
    isStarted = item.started != nil
  }

  package init(
    id: Int64, title: String, list: String, tags: [String], priority: Priority?, due: Due?, every: Recurrence?,
    done: Bool, isStarted: Bool
  ) {
    (self.id, self.title, self.list, self.tags) = (id, title, list, tags)
    (self.priority, self.due, self.every, self.done, self.isStarted) = (priority, due, every, done, isStarted)
  }

  /// Whether people would see the same.
  public static func == (left: ItemLine, right: ItemLine) -> Bool {
    left.id == right.id && left.done == right.done && left.isStarted == right.isStarted
      && left.priority == right.priority && left.due == right.due && left.every == right.every
      && left.title.isIdentical(to: right.title) && left.list.isIdentical(to: right.list)
      && left.tags.isIdentical(to: right.tags)
  }
}

/// A row of a long list on a screen, in the place of an ``Item`` or a ``TaggedItem``.
public struct ListLine<Row: ListedItem>: Entity, Equatable {
  /// The table of the row.
  public static var table: String { Row.table }

  /// The id of the row.
  public let id: Int64
  /// What is shown of its item.
  public let item: ItemLine

  /// Reads it from a row as requests for ``Item`` and ``TaggedItem`` select it.
  public init(row: SQLiteStore.Row) throws {
    let full = try Row(row: row)
    id = full.id
    item = ItemLine(full.item)
  }
}
