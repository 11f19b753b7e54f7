extension TreeNode {
  /// The same content in a node of its own.
  @inlinable func copy() -> TreeNode {
    if height == 0 { return leaf(of: 0..<count, capacity: count) }
    let node = TreeNode.branch(height: height)
    node.entries.initialize(from: entries, count: count)
    node.count = count
    return node
  }

  /// A new leaf with some of this one's elements.
  @inlinable func leaf(of range: Range<Int>, capacity: Int) -> TreeNode {
    let node = TreeNode.leaf(capacity: capacity)
    node.elements.initialize(from: elements + range.lowerBound, count: range.count)
    node.count = range.count
    return node
  }

  /// A new branch with some of this one's children.
  @inlinable func branch(of range: Range<Int>) -> TreeNode {
    let node = TreeNode.branch(height: height)
    let count = count(beforeSlot: range.lowerBound)
    let weight = weight(beforeSlot: range.lowerBound)
    node.entries.initialize(from: entries + range.lowerBound, count: range.count)
    for slot in 0..<range.count {
      node.entries[slot].endCount -= count
      node.entries[slot].endWeight -= weight
    }
    node.count = range.count
    return node
  }

  /// Puts the children of another branch of the same height after those of this one, which nobody shares.
  @inlinable func append(childrenOf other: TreeNode, in range: Range<Int>) {
    let count = count(beforeSlot: count) - other.count(beforeSlot: range.lowerBound)
    let weight = weight(beforeSlot: self.count) - other.weight(beforeSlot: range.lowerBound)
    let start = entries + self.count
    start.initialize(from: other.entries + range.lowerBound, count: range.count)
    for slot in 0..<range.count {
      start[slot].endCount += count
      start[slot].endWeight += weight
    }
    self.count += range.count
  }

  /// Room for an element more and a few to come, in steps that waste little.
  @inlinable static func capacity(for count: Int, atMost limit: Int) -> Int { min(limit, (count + 7) & ~7) }
}

/// Gives `node` a copy of itself unless nobody else holds it.
@inlinable func makeUnique<Element>(_ node: inout TreeNode<Element>) {
  if !isKnownUniquelyReferenced(&node) { node = node.copy() }
}
