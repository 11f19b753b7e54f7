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

/// The element type of a ``CountedTree``, and the weight that it sums up in addition to the count.
///
/// Rows weigh 1 each. A section weighs as much as it has rows, so that the tree of sections finds the n-th row of the
/// whole list.
@usableFromInline package protocol TreeMeasure {
  /// The element type.
  associatedtype Element: Sendable
  /// The weight of one element.
  static func weight(of element: Element) -> Int
  /// The weight of consecutive elements in memory.
  static func weight(of elements: UnsafeBufferPointer<Element>) -> Int
  /// The largest number of elements in a leaf. An edit copies one leaf, a difference compares one leaf's rows.
  static var leafCapacity: Int { get }
}

extension TreeMeasure {
  /// The sum, one by one.
  @inlinable package static func weight(of elements: UnsafeBufferPointer<Element>) -> Int {
    var sum = 0
    for element in elements { sum += weight(of: element) }
    return sum
  }

  /// 64 elements; fewer if they are so large that copying them would cost more than reaching them, or if copying one
  /// means counting a reference elsewhere in memory.
  @inlinable package static var leafCapacity: Int {
    _isPOD(Element.self) ? max(16, min(64, 2048 / max(1, MemoryLayout<Element>.stride))) : 16
  }
}

/// Each element weighs 1.
@usableFromInline package enum UnitMeasure<Element: Sendable>: TreeMeasure {
  @inlinable package static func weight(of element: Element) -> Int { 1 }
  @inlinable package static func weight(of elements: UnsafeBufferPointer<Element>) -> Int { elements.count }
}

/// A section weighs as much as it has rows.
@usableFromInline package enum SectionMeasure<Item: Sendable>: TreeMeasure {
  @inlinable package static func weight(of element: Section<Item>) -> Int { element.items.count }
  @inlinable package static var leafCapacity: Int { 8 }
}
