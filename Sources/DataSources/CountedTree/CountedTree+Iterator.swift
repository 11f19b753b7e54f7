extension CountedTree: Sequence {
  /// Iterates over the elements leaf by leaf.
  @usableFromInline package struct Iterator: IteratorProtocol {
    @usableFromInline let tree: CountedTree
    /// The offset after the current leaf.
    @usableFromInline var end: Int
    @usableFromInline var leaf: Node?
    @usableFromInline var index: Int

    @inlinable init(_ tree: CountedTree) {
      self.tree = tree
      end = 0
      index = 0
      leaf = nil
    }

    /// The next element; nil at the end.
    @inlinable package mutating func next() -> Element? {
      if let leaf, index < leaf.count {
        defer { index &+= 1 }
        return leaf.element(index)
      }
      guard end < tree.count else { return nil }
      let next = tree.withLeaf(at: end) { leaf, _ in leaf }
      leaf = next
      end += next.count
      index = 1
      return next.element(0)
    }
  }

  /// An iterator over the elements in order.
  @inlinable package func makeIterator() -> Iterator { Iterator(self) }

  /// The number of elements, exactly.
  @inlinable package var underestimatedCount: Int { count }

  /// Runs `body` with the elements of each leaf in turn, and the offset of the first of them.
  @inlinable package func forEachLeaf(_ body: (_ elements: UnsafeBufferPointer<Element>, _ offset: Int) -> Void) {
    var offset = 0
    while offset < count {
      offset += withLeaf(at: offset) { leaf, _ in
        leaf.withLeafElements { body($0, offset) }
        return leaf.count
      }
    }
  }
}
