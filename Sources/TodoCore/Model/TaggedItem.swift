public import SQLiteStore

/// An item under one of its tags: what the view by tag is a list of.
///
/// An item with three tags is three of these, each with an id of its own; one without tags is one, with a negative id.
public struct TaggedItem: Entity, Equatable {
  /// `item_tag`.
  public static let table = "item_tag"

  /// What identifies the pair of item and tag. A pair that stays keeps it.
  public var id: Int64
  /// The tag; nil for an item without tags.
  public var tag: String?
  /// The item.
  public var item: Item

  /// Reads a pair from a row of `item_tag.*` and the columns of an item after it.
  public init(row: Row) throws {
    id = try row[0]
    tag = try row[2]
    item = try Item(row: row, from: 3)
  }
}

/// What a list shows a row of: an item by itself, or an item under a tag.
///
/// Who shows lists, or writes them as JSON, needs to know no more, and serves all views alike.
public protocol ListedItem: Entity, Equatable where ID == Int64 {
  /// The item.
  var item: Item { get }
}

extension Item: ListedItem {
  /// Itself.
  public var item: Item { self }
}

extension TaggedItem: ListedItem {}
