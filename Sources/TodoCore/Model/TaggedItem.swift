public import SQLiteStore

/// An item under one of its tags: the row type of the view by tag.
///
/// An item with three tags has three of these, each with an id of its own. An item without tags has one, with a
/// negative id.
public struct TaggedItem: Entity, Equatable {
  /// `item_tag`.
  public static let table = "item_tag"

  /// Identifies the pair of item and tag. It stays the same as long as the pair exists.
  public var id: Int64
  /// The tag; nil for an item without tags.
  public var tag: String?
  /// The item.
  public var item: Item

  /// Reads a pair from a row of `item_tag.*` and ``Item/columns`` after it.
  public init(row: Row) throws {
    id = try row[0]
    tag = try row[2]
    item = try Item(row: row, from: 3)
  }
}

/// A row of a list: an item, or an item under a tag.
///
/// Code that shows lists or writes them as JSON needs nothing else, and serves all views.
public protocol ListedItem: Entity, Equatable where ID == Int64 {
  /// The item.
  var item: Item { get }
}

extension Item: ListedItem {
  /// Itself.
  public var item: Item { self }
}

extension TaggedItem: ListedItem {}
