extension CountedTree {
  /// Inserts an element at an offset, which may be the end.
  ///
  /// Complexity: O(log n); the leaf and its ancestors are copied if they are shared.
  @inlinable package mutating func insert(_ element: Element, at offset: Int) {
    assert(offset >= 0 && offset <= count)
    let added = Measure.weight(of: element)
    if root == nil {
      let leaf = Node.leaf(capacity: 4)
      leaf.insert(element, at: 0)
      root = leaf
    } else {
      let isAppending = offset == count
      let before = (count, weight)
      withRoot { node in
        guard let right = Self.insert(element, added, at: offset, isAppending, into: &node) else { return }
        let branch = Node.branch(height: node.height + 1)
        let (rightCount, rightWeight) = Self.totals(of: right)
        branch.append(
          TreeEntry(child: node, endCount: before.0 + 1 - rightCount, endWeight: before.1 + added - rightWeight))
        branch.append(TreeEntry(child: right, endCount: before.0 + 1, endWeight: before.1 + added))
        node = branch
      }
    }
    count += 1
    weight += added
  }

  /// The number of elements in a subtree and their weight.
  @inlinable static func totals(of node: Node) -> (count: Int, weight: Int) {
    if node.height > 0 { return (node.count(beforeSlot: node.count), node.weight(beforeSlot: node.count)) }
    return (node.count, node.withLeafElements { Measure.weight(of: $0) })
  }

  /// Inserts an element into a subtree. If the node must split, its second half is returned.
  @inlinable static func insert(
    _ element: Element, _ weight: Int, at offset: Int, _ isAppending: Bool, into node: inout Node
  ) -> Node? {
    if node.height == 0 { return insert(element, at: offset, isAppending, intoLeaf: &node) }
    Node.makeUnique(&node)
    let slot = node.slot(forInsertionAt: offset)
    let start = node.count(beforeSlot: slot)
    let split = node.withEntries {
      insert(element, weight, at: offset - start, isAppending, into: &$0[slot].child)
    }
    node.add(count: 1, weight: weight, fromSlot: slot)
    guard let split else { return nil }
    node.insert(split, totals(of: split), afterSlot: slot)
    if node.count <= Node.branchCapacity { return nil }
    // A list that grows at its end leaves full nodes behind.
    let middle = isAppending ? node.count - 1 : node.count / 2
    let right = node.branch(of: middle..<node.count)
    node.removeEntries(from: middle)
    return right
  }

  @inlinable static func insert(
    _ element: Element, at index: Int, _ isAppending: Bool, intoLeaf node: inout Node
  ) -> Node? {
    let count = node.count
    if count < Measure.leafCapacity {
      if count < node.room, isKnownUniquelyReferenced(&node) {
        node.insert(element, at: index)
        return nil
      }
      let leaf = Node.leaf(capacity: Node.capacity(for: count + 1, atMost: Measure.leafCapacity))
      leaf.append(elementsOf: node, in: 0..<index)
      leaf.insert(element, at: index)
      leaf.append(elementsOf: node, in: index..<count)
      node = leaf
      return nil
    }
    // A list that grows at its end leaves full leaves behind.
    let middle = isAppending ? count : count / 2
    let isLeft = index <= middle && !isAppending
    let left = middle + (isLeft ? 1 : 0)
    let right = count - middle + (isLeft ? 0 : 1)
    let second = node.leaf(
      of: middle..<count, capacity: Node.capacity(for: isAppending ? count : right, atMost: Measure.leafCapacity))
    if middle < count {
      node = node.leaf(of: 0..<middle, capacity: Node.capacity(for: left, atMost: Measure.leafCapacity))
    }
    if isLeft { node.insert(element, at: index) } else { second.insert(element, at: index - middle) }
    return second
  }
}
