extension CountedTree {
  /// Runs `body` with the leaf that holds an offset, and the index there. The offset must be in range.
  @inlinable package func withLeaf<Result>(at offset: Int, _ body: (_ leaf: Node, _ index: Int) -> Result) -> Result {
    assert(offset >= 0 && offset < count)
    return withExtendedLifetime(root) {
      var rest = offset
      var total = count
      var node = Unmanaged.passUnretained(root.unsafelyUnwrapped)
      // Counting down from the root's height avoids reading the leaf's header, which is not in the cache.
      for _ in 0..<node._withUnsafeGuaranteedRef({ $0.height }) {
        node = node._withUnsafeGuaranteedRef { branch in
          let slot = branch.slot(ofElement: rest, total: total)
          let start = branch.count(beforeSlot: slot)
          total = branch.count(beforeSlot: slot + 1) &- start
          rest &-= start
          return branch.unmanagedChild(slot)
        }
      }
      return node._withUnsafeGuaranteedRef { body($0, rest) }
    }
  }

  /// The element at an offset, which must be in range.
  ///
  /// Complexity: O(log n).
  @inlinable package subscript(offset: Int) -> Element {
    withLeaf(at: offset) { leaf, index in leaf.element(index) }
  }

  /// Runs `body` with the element at an offset, in place. The offset must be in range.
  @inlinable package func withElement<Result>(at offset: Int, _ body: (Element) -> Result) -> Result {
    withLeaf(at: offset) { leaf, index in leaf.withElements { body($0[index]) } }
  }

  /// The element in which the sum of the weights exceeds `weight`, with the remainder inside it. It must be in range.
  ///
  /// Complexity: O(log n).
  @inlinable package func position(ofWeight weight: Int) -> (offset: Int, rest: Int) {
    assert(weight >= 0 && weight < self.weight)
    return withExtendedLifetime(root) {
      var offset = 0
      var rest = weight
      var node = Unmanaged.passUnretained(root.unsafelyUnwrapped)
      for _ in 0..<node._withUnsafeGuaranteedRef({ $0.height }) {
        node = node._withUnsafeGuaranteedRef { branch in
          let slot = branch.slot(ofWeight: rest)
          rest &-= branch.weight(beforeSlot: slot)
          offset &+= branch.count(beforeSlot: slot)
          return branch.unmanagedChild(slot)
        }
      }
      return node._withUnsafeGuaranteedRef { leaf in
        leaf.withElements { elements in
          var index = 0
          while true {
            let weight = Measure.weight(of: elements[index])
            if rest < weight { return (offset + index, rest) }
            rest -= weight
            index += 1
          }
        }
      }
    }
  }

  /// The weight of the elements before an offset, which may be the end.
  ///
  /// Complexity: O(log n).
  @inlinable package func weight(before offset: Int) -> Int {
    assert(offset >= 0 && offset <= count)
    if offset == count { return weight }
    return withExtendedLifetime(root) {
      var sum = 0
      var rest = offset
      var node = Unmanaged.passUnretained(root.unsafelyUnwrapped)
      for _ in 0..<node._withUnsafeGuaranteedRef({ $0.height }) {
        node = node._withUnsafeGuaranteedRef { branch in
          let slot = branch.slot(ofElement: rest)
          rest &-= branch.count(beforeSlot: slot)
          sum &+= branch.weight(beforeSlot: slot)
          return branch.unmanagedChild(slot)
        }
      }
      return node._withUnsafeGuaranteedRef { leaf in
        leaf.withElements { sum + Measure.weight(of: UnsafeBufferPointer(start: $0, count: rest)) }
      }
    }
  }

  /// The first offset whose element satisfies a predicate that is false up to some element and true from there on; the
  /// count if not found.
  ///
  /// Complexity: O(log n) calls of the predicate.
  @inlinable package func partitioningOffset(where belongsInSecondPart: (Element) throws -> Bool) rethrows -> Int {
    guard var node = root else { return 0 }
    var before = 0
    while node.height > 0 {
      var low = 0
      var high = node.count - 1
      while low < high {
        let middle = (low + high) / 2
        // The last element of a child decides whether the place is in it or later.
        if try belongsInSecondPart(node.child(middle).last) { high = middle } else { low = middle + 1 }
      }
      before += node.count(beforeSlot: low)
      node = node.child(low)
    }
    return before + (try node.withLeafElements { try $0.partitioningIndex(where: belongsInSecondPart) })
  }
}
