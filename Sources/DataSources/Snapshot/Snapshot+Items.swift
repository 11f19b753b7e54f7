extension Snapshot {
  /// All rows as one flat collection, in order.
  @inlinable public var items: Items { Items(base: self) }

  /// The rows of all sections as one flat collection: a random access collection from 0.
  public struct Items: Sendable {
    @usableFromInline let base: Snapshot

    @inlinable init(base: Snapshot) { self.base = base }
  }
}

extension Snapshot.Items: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of rows in all sections.
  @inlinable public var endIndex: Int { base.sections.weight }

  /// The number of rows in all sections.
  @inlinable public var count: Int { base.sections.weight }

  /// The row at a position in the whole list.
  ///
  /// Complexity: O(log n).
  @inlinable public subscript(position: Int) -> Item {
    if position < 0 || position >= base.sections.weight { base.failOutOfRange(row: position) }
    let place = base.sections.position(ofWeight: position)
    return base.sections.withElement(at: place.offset) { $0.rows.tree[place.rest] }
  }

  /// Iterates over the rows of all sections in order, in constant time each.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var sections: Snapshot.Iterator
    @usableFromInline var rows: Section<Item>.Items.Iterator?

    @inlinable init(_ base: Snapshot) { sections = base.makeIterator() }

    /// The next row; nil at the end.
    @inlinable public mutating func next() -> Item? {
      while true {
        if let row = rows?.next() { return row }
        guard let section = sections.next() else { return nil }
        rows = section.items.makeIterator()
      }
    }
  }

  /// Creates an iterator over the rows.
  @inlinable public func makeIterator() -> Iterator { Iterator(base) }
}
