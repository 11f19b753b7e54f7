/// How a difference identifies and compares rows.
///
/// It gets the addresses of rows, because passing a row counts a reference for each part of it: that would be half the
/// cost of comparing two rows.
@usableFromInline package protocol RowMatching<Item> {
  /// The type of the rows.
  associatedtype Item: Sendable
  /// The type that identifies a row.
  associatedtype ID: Hashable
  /// The id of a row.
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
