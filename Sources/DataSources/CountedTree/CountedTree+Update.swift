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
