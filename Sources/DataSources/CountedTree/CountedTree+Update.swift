extension CountedTree {
  /// Runs `body` with the element at an offset, which it may change. The offset must be in range.
  ///
  /// Complexity: O(log n); the leaf and what leads to it are copied where somebody shares them.
  @inlinable package mutating func update<Result>(at offset: Int, _ body: (inout Element) throws -> Result) rethrows
    -> Result
  {
    assert(offset >= 0 && offset < count)
    var change = 0
    defer { weight += change }
    return try withRoot { try Self.update(&$0, at: offset, change: &change, body) }
  }

  @inlinable static func update<Result>(
    _ node: inout Node, at offset: Int, change: inout Int, _ body: (inout Element) throws -> Result
  ) rethrows -> Result {
    makeUnique(&node)
    if node.height == 0 {
      let before = Measure.weight(of: node.elements[offset])
      defer { change = Measure.weight(of: node.elements[offset]) - before }
      return try body(&node.elements[offset])
    }
    let slot = node.slot(ofElement: offset)
    let start = node.count(beforeSlot: slot)
    defer { if change != 0 { node.add(count: 0, weight: change, fromSlot: slot) } }
    return try update(&node.entries[slot].child, at: offset - start, change: &change, body)
  }
}

extension TreeNode {
  /// Adds to the running sums from a child on.
  @inlinable func add(count: Int, weight: Int, fromSlot slot: Int) {
    let entries = self.entries
    for slot in slot..<self.count {
      entries[slot].endCount &+= count
      entries[slot].endWeight &+= weight
    }
  }
}
