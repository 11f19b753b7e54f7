extension Snapshot {
  /// All rows as one flat collection, in order.
  @inlinable public var items: Items { Items(base: self) }

  /// The rows of all sections as one flat collection: a random access collection from 0.
  ///
  /// ```swift
  /// let items: Snapshot<Errand>.Items = errands.snapshot.items
  /// print(items.count, items.first?.title ?? "")
  /// ```
  public struct Items: Sendable {
    @usableFromInline let base: Snapshot

    @inlinable init(base: Snapshot) { self.base = base }
  }
}

extension Snapshot.Items: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of rows in all sections.
  @inlinable public var endIndex: Int { base.tree.weight }

  /// The number of rows in all sections.
  @inlinable public var count: Int { base.tree.weight }

  /// The row at a position in the whole list.
  ///
  /// Complexity: O(log n).
  @inlinable public subscript(position: Int) -> Item {
    if position < 0 || position >= base.tree.weight { base.failOutOfRange(row: position) }
    let place = base.tree.position(ofWeight: position)
    return base.tree.withElement(at: place.offset) { $0.rows.tree[place.rest] }
  }

  @usableFromInline struct RowIterator: IteratorProtocol {
    @usableFromInline var sections: CountedTree<SectionMeasure<Item>>.Iterator
    @usableFromInline var rows: CountedTree<UnitMeasure<Item>>.Iterator?

    @inlinable init(_ base: Snapshot) { sections = base.tree.makeIterator() }

    @inlinable mutating func next() -> Item? {
      while true {
        if let row = rows?.next() { return row }
        guard let section = sections.next() else { return nil }
        rows = section.rows.tree.makeIterator()
      }
    }
  }

  /// An iterator over the rows of all sections in order, in constant time each.
  @inlinable public func makeIterator() -> some IteratorProtocol<Item> { RowIterator(base) }
}
