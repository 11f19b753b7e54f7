extension TreeNode {
  /// The child that holds the element at an offset.
  @inlinable package func slot(ofElement offset: Int) -> Int {
    let entries = self.entries
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low &+ high) >> 1
      if entries[middle].endCount > offset { high = middle } else { low = middle &+ 1 }
    }
    return low
  }

  /// The child into which an element goes that is to have an offset; between two children, the elder.
  @inlinable func slot(forInsertionAt offset: Int) -> Int {
    offset == 0 ? 0 : slot(ofElement: offset - 1)
  }

  /// The child in which the sum of the weights passes `weight`.
  @inlinable func slot(ofWeight weight: Int) -> Int {
    let entries = self.entries
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low &+ high) >> 1
      if entries[middle].endWeight > weight { high = middle } else { low = middle &+ 1 }
    }
    return low
  }

  /// The number of elements before a child.
  @inlinable package func count(beforeSlot slot: Int) -> Int { slot == 0 ? 0 : entries[slot - 1].endCount }

  /// The weight of the elements before a child.
  @inlinable package func weight(beforeSlot slot: Int) -> Int { slot == 0 ? 0 : entries[slot - 1].endWeight }

  /// The number of elements in the whole subtree.
  @inlinable package var totalCount: Int { height == 0 ? count : count(beforeSlot: count) }
}
