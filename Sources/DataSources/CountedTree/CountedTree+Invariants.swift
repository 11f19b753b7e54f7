extension CountedTree {
  /// The first broken invariant of the tree; nil if not found. For tests: it visits every node.
  package func firstBrokenInvariant() -> String? {
    guard let root else { return count == 0 && weight == 0 ? nil : "an empty tree counts \(count), weighs \(weight)" }
    if root.height > 0, root.count < 2 { return "the root is a branch of \(root.count)" }
    let totals = Self.totals(of: root)
    if totals != (count, weight) { return "the tree counts \(count), weighs \(weight), but its nodes \(totals)" }
    return Self.firstBrokenInvariant(below: root)
  }

  private static func firstBrokenInvariant(below node: Node) -> String? {
    let limit = node.height == 0 ? Measure.leafCapacity : Node.branchCapacity
    if node.count < 1 || node.count > limit || node.count > node.room {
      return "a node of height \(node.height) has \(node.count) of \(node.room)"
    }
    if node.height == 0 { return nil }
    var sums = (count: 0, weight: 0)
    for slot in 0..<node.count {
      let entry = node.withEntries { $0[slot] }
      if entry.child.height != node.height - 1 { return "a child has height \(entry.child.height) in \(node.height)" }
      let totals = totals(of: entry.child)
      sums.count += totals.count
      sums.weight += totals.weight
      if sums != (entry.endCount, entry.endWeight) {
        return "the sums of slot \(slot) are \(entry.endCount), \(entry.endWeight), but should be \(sums)"
      }
      if let broken = firstBrokenInvariant(below: entry.child) { return broken }
    }
    return nil
  }

  /// Runs `body` with the address of every node. For measuring memory.
  package func forEachNode(_ body: (UnsafeRawPointer) -> Void) {
    if let root { Self.forEachNode(below: root, body) }
  }

  private static func forEachNode(below node: Node, _ body: (UnsafeRawPointer) -> Void) {
    body(UnsafeRawPointer(Unmanaged.passUnretained(node).toOpaque()))
    if node.height == 0 { return }
    for slot in 0..<node.count { forEachNode(below: node.child(slot), body) }
  }
}
