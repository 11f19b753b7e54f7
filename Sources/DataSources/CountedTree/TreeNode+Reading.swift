extension TreeNode {
  /// An element of a leaf.
  @inlinable package func element(_ index: Int) -> Element { withElements { $0[index] } }

  /// A child of a branch.
  @inlinable package func child(_ slot: Int) -> TreeNode { withEntries { $0[slot].child } }

  /// A child of a branch. It is valid only while the branch is alive.
  @inlinable package func unmanagedChild(_ slot: Int) -> Unmanaged<TreeNode> {
    withEntries { Unmanaged.passUnretained($0[slot].child) }
  }

  /// The elements of a leaf, to be read.
  @inlinable package func withLeafElements<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result {
    try withElements { try body(UnsafeBufferPointer(start: $0, count: count)) }
  }

  /// The child that holds the element at an offset.
  @inlinable package func slot(ofElement offset: Int) -> Int {
    withEntries { entries in
      var low = 0
      var high = count - 1
      while low < high {
        let middle = (low &+ high) >> 1
        if entries[middle].endCount > offset { high = middle } else { low = middle &+ 1 }
      }
      return low
    }
  }

  /// The child that holds the element at an offset, if the number of elements is known.
  ///
  /// Children are of similar size, so the proportional position is usually right or close. That is faster than
  /// bisection, in which every step waits for memory and for an unpredictable branch.
  @inlinable func slot(ofElement offset: Int, total: Int) -> Int {
    withEntries { entries in
      var slot = offset &* count / total
      while entries[slot].endCount <= offset { slot &+= 1 }
      while slot > 0, entries[slot &- 1].endCount > offset { slot &-= 1 }
      return slot
    }
  }

  /// The child into which an element with an offset is inserted; between two children, the first.
  @inlinable func slot(forInsertionAt offset: Int) -> Int {
    offset == 0 ? 0 : slot(ofElement: offset - 1)
  }

  /// The child in which the sum of the weights exceeds `weight`.
  @inlinable func slot(ofWeight weight: Int) -> Int {
    withEntries { entries in
      var low = 0
      var high = count - 1
      while low < high {
        let middle = (low &+ high) >> 1
        if entries[middle].endWeight > weight { high = middle } else { low = middle &+ 1 }
      }
      return low
    }
  }

  /// The slot of a child; nil if it is not a child of this node.
  @inlinable package func slot(of child: TreeNode) -> Int? {
    withEntries { entries in (0..<count).first { entries[$0].child === child } }
  }

  /// The number of elements before a child.
  @inlinable package func count(beforeSlot slot: Int) -> Int {
    slot == 0 ? 0 : withEntries { $0[slot - 1].endCount }
  }

  /// The weight of the elements before a child.
  @inlinable package func weight(beforeSlot slot: Int) -> Int {
    slot == 0 ? 0 : withEntries { $0[slot - 1].endWeight }
  }

  /// The number of elements in the whole subtree.
  @inlinable package var totalCount: Int { height == 0 ? count : count(beforeSlot: count) }

  /// The last element of the subtree.
  @inlinable var last: Element {
    height == 0 ? element(count - 1) : child(count - 1).last
  }
}
