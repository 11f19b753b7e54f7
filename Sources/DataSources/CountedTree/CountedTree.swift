/// A list as a persistent counted tree: the structure behind ``Section`` and ``Snapshot``.
///
/// A B+ tree with leaves of up to 64 elements and branches of up to 16 children, each with the running count and weight
/// of its children. Copies share nodes. An edit copies the nodes from the root to one leaf, or none if they are not
/// shared. So two versions differ in few nodes, and a comparison skips the shared ones.
///
/// The tree does not know an order of its elements. For a list that is sorted by a key, ``partitioningOffset(where:)``
/// finds a place in O(log n) steps.
@usableFromInline package struct CountedTree<Measure: TreeMeasure>: @unchecked Sendable {
  // because shared nodes are never written
  @usableFromInline package typealias Element = Measure.Element
  @usableFromInline package typealias Node = TreeNode<Element>

  /// Nil if the list is empty.
  @usableFromInline package var root: Node?
  /// The number of elements.
  @usableFromInline package var count: Int
  /// The sum of the weights.
  @usableFromInline package var weight: Int

  /// Creates an empty list.
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

  /// Whether two lists are the same object in memory, and so equal.
  @inlinable package func isIdentical(to other: CountedTree) -> Bool { root === other.root }

  /// Runs `body` on the root, in place. There must be a root.
  @inlinable mutating func withRoot<Result>(_ body: (inout Node) throws -> Result) rethrows -> Result {
    var node = root.unsafelyUnwrapped
    root = nil
    defer { root = node }
    return try body(&node)
  }
}
