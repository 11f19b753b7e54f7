/// A list as a persistent counted tree: the one structure under ``Section`` and ``Snapshot``.
///
/// A B+ tree with leaves of up to 64 elements and branches of up to 16 children, each with the running count and weight of
/// its children. Copies share nodes. An edit copies the nodes from the root to one leaf, or none where nobody shares
/// them; so two versions differ in few nodes, and comparing them skips what they share.
///
/// Elements have no order that the tree knows. For a list that is sorted by a key, ``partitioningOffset(where:)`` finds
/// the place in O(log n) steps.
@usableFromInline package struct CountedTree<Measure: TreeMeasure>: @unchecked Sendable {
  // because shared nodes are never written
  @usableFromInline package typealias Element = Measure.Element
  @usableFromInline package typealias Node = TreeNode<Element>

  /// Nil when the list is empty.
  @usableFromInline package var root: Node?
  /// The number of elements.
  @usableFromInline package var count: Int
  /// The sum of the weights.
  @usableFromInline package var weight: Int

  /// Makes an empty list.
  @inlinable package init() {
    root = nil
    count = 0
    weight = 0
  }

  @inlinable init(root: Node?, count: Int, weight: Int) {
    self.root = root
    self.count = count
    self.weight = weight
  }

  /// Whether two lists are the same piece of memory, and so the same.
  @inlinable package func isIdentical(to other: CountedTree) -> Bool { root === other.root }

  /// Runs `body` on the root, in place. There must be one.
  @inlinable mutating func withRoot<Result>(_ body: (inout Node) throws -> Result) rethrows -> Result {
    var node = root.unsafelyUnwrapped
    root = nil
    defer { root = node }
    return try body(&node)
  }
}
