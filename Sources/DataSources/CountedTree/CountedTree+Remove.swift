extension CountedTree {
  /// Removes the element at an offset, which must be in range.
  ///
  /// Complexity: O(log n); the leaf and its ancestors are copied if they are shared.
  @discardableResult @inlinable package mutating func remove(at offset: Int) -> Element {
    assert(offset >= 0 && offset < count)
    let element = withRoot { node in
      let element = Self.remove(at: offset, from: &node)
      while node.height > 0, node.count == 1 {
        node = node.child(0)
      }
      return element
    }
    count -= 1
    weight -= Measure.weight(of: element)
    if count == 0 { root = nil }
    return element
  }

  @inlinable static func remove(at offset: Int, from node: inout Node) -> Element {
    if node.height == 0 { return remove(at: offset, fromLeaf: &node) }
    Node.makeUnique(&node)
    let slot = node.slot(ofElement: offset)
    let start = node.count(beforeSlot: slot)
    let element = node.withEntries { remove(at: offset - start, from: &$0[slot].child) }
    node.add(count: -1, weight: -Measure.weight(of: element), fromSlot: slot)
    let child = node.child(slot)
    let limit = child.height == 0 ? Measure.leafCapacity : Node.branchCapacity
    if child.count == 0 {
      node.removeEntry(at: slot)
    } else if child.count < limit / 4, node.count > 1 {
      balance(node, slot == 0 ? 0 : slot - 1, limit: limit)
    }
    return element
  }

  @inlinable static func remove(at index: Int, fromLeaf node: inout Node) -> Element {
    let count = node.count
    if isKnownUniquelyReferenced(&node) {
      return node.removeElement(at: index)
    }
    let element = node.element(index)
    let leaf = Node.leaf(capacity: Node.capacity(for: count - 1, atMost: Measure.leafCapacity))
    leaf.append(elementsOf: node, in: 0..<index)
    leaf.append(elementsOf: node, in: index + 1..<count)
    node = leaf
    return element
  }

  /// Merges two neighbouring children if they fit into one; otherwise makes them the same size.
  @inlinable static func balance(_ node: Node, _ slot: Int, limit: Int) {
    let left = node.child(slot)
    let right = node.child(slot + 1)
    let sum = left.count + right.count
    if sum <= limit {
      node.withEntries { entries in
        entries[slot].child = join(left, 0..<left.count, right, 0..<right.count)
        entries[slot].endCount = entries[slot + 1].endCount
        entries[slot].endWeight = entries[slot + 1].endWeight
      }
      node.removeEntry(at: slot + 1)
      return
    }
    let half = sum / 2
    let first: Node
    let second: Node
    if left.count > half {
      first = join(left, 0..<half, right, 0..<0)
      second = join(left, half..<left.count, right, 0..<right.count)
    } else {
      first = join(left, 0..<left.count, right, 0..<(half - left.count))
      second = join(right, (half - left.count)..<right.count, right, 0..<0)
    }
    let totals = totals(of: first)
    let before = (count: node.count(beforeSlot: slot), weight: node.weight(beforeSlot: slot))
    node.withEntries { entries in
      entries[slot].child = first
      entries[slot].endCount = before.count + totals.count
      entries[slot].endWeight = before.weight + totals.weight
      entries[slot + 1].child = second
    }
  }

  /// A new node with parts of two of the same height.
  @inlinable static func join(_ first: Node, _ head: Range<Int>, _ second: Node, _ tail: Range<Int>) -> Node {
    if first.height > 0 {
      let node = first.branch(of: head)
      node.append(childrenOf: second, in: tail)
      return node
    }
    let sum = head.count + tail.count
    let node = first.leaf(of: head, capacity: Node.capacity(for: sum, atMost: Measure.leafCapacity))
    node.append(elementsOf: second, in: tail)
    return node
  }
}

extension CountedTree {
  /// Runs `body` with the element at an offset, which it may change. The offset must be in range.
  ///
  /// Complexity: O(log n); the leaf and its ancestors are copied if they are shared.
  @inlinable package mutating func update<Result>(
    at offset: Int, _ body: (inout Element) throws -> Result
  ) rethrows -> Result {
    assert(offset >= 0 && offset < count)
    var change = 0
    defer { weight += change }
    return try withRoot { try Self.update(&$0, at: offset, change: &change, body) }
  }

  @inlinable static func update<Result>(
    _ node: inout Node, at offset: Int, change: inout Int, _ body: (inout Element) throws -> Result
  ) rethrows -> Result {
    Node.makeUnique(&node)
    if node.height == 0 {
      return try node.withElements { elements in
        let before = Measure.weight(of: elements[offset])
        defer { change = Measure.weight(of: elements[offset]) - before }
        return try body(&elements[offset])
      }
    }
    let slot = node.slot(ofElement: offset)
    let start = node.count(beforeSlot: slot)
    defer { if change != 0 { node.add(count: 0, weight: change, fromSlot: slot) } }
    return try node.withEntries { try update(&$0[slot].child, at: offset - start, change: &change, body) }
  }
}
