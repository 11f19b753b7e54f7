extension Section {
  /// The rows of a section: a random access collection from 0.
  ///
  /// ```swift
  /// let items: Section<String>.Items = Section(id: "a", name: "A", items: ["Milk", "Bread"]).items
  /// print(items[1])
  /// ```
  ///
  /// A persistent tree: copies share memory, and a subscript takes O(log n).
  public struct Items: Sendable {
    @usableFromInline package var tree: CountedTree<UnitMeasure<Item>>

    @inlinable init(tree: CountedTree<UnitMeasure<Item>>) { self.tree = tree }

    /// Creates rows from any sequence.
    ///
    /// Complexity: O(n), and O(1) for the rows of another section.
    @inlinable public init(_ items: some Sequence<Item>) {
      if let items = items as? Items { self = items } else { tree = CountedTree(items) }
    }
  }
}

extension Section.Items: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of rows.
  @inlinable public var endIndex: Int { tree.count }

  /// The number of rows.
  @inlinable public var count: Int { tree.count }

  /// The row at an index.
  ///
  /// Complexity: O(log n).
  @inlinable public subscript(position: Int) -> Item {
    if position < 0 || position >= tree.count { failOutOfRange(position) }
    return tree[position]
  }

  /// An iterator over the rows in order, in constant time each.
  @inlinable public func makeIterator() -> some IteratorProtocol<Item> { tree.makeIterator() }

  /// The first index whose row satisfies a predicate that is false up to some row and true from there on; the number of
  /// rows if not found. Use it to find a place in sorted rows.
  ///
  /// ```swift
  /// let priorities = Section(id: "a", name: "A", items: [1, 1, 2, 3]).items
  /// let firstUrgent = priorities.partitioningIndex { $0 > 1 }  // 2
  /// ```
  ///
  /// Complexity: O(log n) calls of the predicate.
  @inlinable public func partitioningIndex(where belongsInSecondPart: (Item) throws -> Bool) rethrows -> Int {
    try tree.partitioningOffset(where: belongsInSecondPart)
  }

  @usableFromInline func failOutOfRange(_ position: Int) -> Never {
    fatalError("row \(position) is out of range: the section has \(tree.count) rows")
  }
}

extension Section.Items: CustomStringConvertible {
  /// The rows as an array would print them.
  public var description: String { Array(self).description }
}

extension Section: Sequence {
  /// An iterator over the rows in order.
  @inlinable public func makeIterator() -> some IteratorProtocol<Item> { rows.makeIterator() }

  /// The number of rows.
  @inlinable public var underestimatedCount: Int { rows.count }
}
