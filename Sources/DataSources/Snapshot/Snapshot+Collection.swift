extension Snapshot: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of sections.
  @inlinable public var endIndex: Int { sections.count }

  /// The number of sections.
  @inlinable public var count: Int { sections.count }

  /// The section at an index.
  ///
  /// Complexity: O(log s) for s sections.
  @inlinable public subscript(position: Int) -> Section<Item> {
    if position < 0 || position >= sections.count { failOutOfRange(section: position) }
    return sections[position]
  }

  /// Iterates over the sections in order, in constant time each.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: CountedTree<SectionMeasure<Item>>.Iterator

    @inlinable init(_ base: CountedTree<SectionMeasure<Item>>.Iterator) { self.base = base }

    /// The next section; nil at the end.
    @inlinable public mutating func next() -> Section<Item>? { base.next() }
  }

  /// Creates an iterator over the sections.
  @inlinable public func makeIterator() -> Iterator { Iterator(sections.makeIterator()) }
}
