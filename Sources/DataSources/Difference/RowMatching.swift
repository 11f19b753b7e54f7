/// How a difference tells rows: which are the same row, and whether they differ in content.
@usableFromInline package protocol RowMatching<Item> {
  /// The rows.
  associatedtype Item: Sendable
  /// What makes a row the same row.
  associatedtype ID: Hashable
  /// What makes it the same row.
  func id(of item: Item) -> ID
  /// Whether two rows of the same id have the same content.
  func haveEqualContent(_ old: Item, _ new: Item) -> Bool
}

/// Rows by their `id` and `==`.
@usableFromInline package struct NaturalMatching<Item: Sendable & Identifiable & Equatable>: RowMatching {
  @inlinable package init() {}
  @inlinable package func id(of item: Item) -> Item.ID { item.id }
  @inlinable package func haveEqualContent(_ old: Item, _ new: Item) -> Bool { old == new }
}

/// Rows by two functions.
@usableFromInline package struct GivenMatching<Item: Sendable, ID: Hashable>: RowMatching {
  @usableFromInline let identify: (Item) -> ID
  @usableFromInline let compare: (Item, Item) -> Bool

  @inlinable package init(
    identify: @escaping (Item) -> ID, compare: @escaping (_ old: Item, _ new: Item) -> Bool
  ) {
    self.identify = identify
    self.compare = compare
  }

  @inlinable package func id(of item: Item) -> ID { identify(item) }
  @inlinable package func haveEqualContent(_ old: Item, _ new: Item) -> Bool { compare(old, new) }
}
