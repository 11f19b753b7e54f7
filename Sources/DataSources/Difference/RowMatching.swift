/// How a difference tells rows: which are the same row, and whether they differ in content.
///
/// It is shown where rows stand in memory, as to hand over a row means to count a reference for each part of it: that would be
/// half of what comparing two rows costs.
@usableFromInline package protocol RowMatching<Item> {
  /// The rows.
  associatedtype Item: Sendable
  /// What makes a row the same row.
  associatedtype ID: Hashable
  /// What makes it the same row.
  func id(of item: UnsafePointer<Item>) -> ID
  /// Whether two rows of the same id have the same content.
  func haveEqualContent(_ old: UnsafePointer<Item>, _ new: UnsafePointer<Item>) -> Bool
}

/// Rows by their `id` and `==`.
@usableFromInline package struct NaturalMatching<Item: Sendable & Identifiable & Equatable>: RowMatching {
  @inlinable package init() {}
  @inlinable package func id(of item: UnsafePointer<Item>) -> Item.ID { item.pointee.id }
  @inlinable package func haveEqualContent(_ old: UnsafePointer<Item>, _ new: UnsafePointer<Item>) -> Bool {
    haveSameContent(old, new)
  }
}

/// Rows by their `id` and a function.
@usableFromInline package struct IdentifiedMatching<Item: Sendable & Identifiable>: RowMatching {
  @usableFromInline let compare: (UnsafePointer<Item>, UnsafePointer<Item>) -> Bool

  @inlinable package init(_ compare: @escaping (_ old: UnsafePointer<Item>, _ new: UnsafePointer<Item>) -> Bool) {
    self.compare = compare
  }

  @inlinable package func id(of item: UnsafePointer<Item>) -> Item.ID { item.pointee.id }
  @inlinable package func haveEqualContent(_ old: UnsafePointer<Item>, _ new: UnsafePointer<Item>) -> Bool {
    compare(old, new)
  }
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

  @inlinable package func id(of item: UnsafePointer<Item>) -> ID { identify(item.pointee) }
  @inlinable package func haveEqualContent(_ old: UnsafePointer<Item>, _ new: UnsafePointer<Item>) -> Bool {
    compare(old.pointee, new.pointee)
  }
}
