/// The header before a node's elements or entries in memory.
@usableFromInline package struct TreeNodeHeader: Sendable {
  /// The number of elements or entries.
  @usableFromInline package var count: Int32
  /// The capacity.
  @usableFromInline package var capacity: Int32
  /// 0 for a leaf.
  @usableFromInline package var height: Int32

  @inlinable init(capacity: Int, height: Int) {
    count = 0
    self.capacity = Int32(truncatingIfNeeded: capacity)
    self.height = Int32(truncatingIfNeeded: height)
  }
}

/// A piece of a node's memory, which holds elements in a leaf and entries in a branch. It is aligned to 16 bytes, the
/// maximum for any Swift type.
@usableFromInline package struct TreeNodeWord {
  @usableFromInline let words: SIMD2<UInt64>
}

/// A child of a branch, with the sums over it and the children before it.
@usableFromInline package struct TreeEntry<Element> {
  @usableFromInline package var child: TreeNode<Element>
  /// The number of elements in the children up to this one.
  @usableFromInline package var endCount: Int
  /// The weight of the elements in the children up to this one.
  @usableFromInline package var endWeight: Int

  @inlinable init(child: TreeNode<Element>, endCount: Int, endWeight: Int) {
    self.child = child
    self.endCount = endCount
    self.endWeight = endWeight
  }
}

/// A node of a ``CountedTree``: a leaf with elements, or a branch with children, in one piece of memory.
///
/// One class for both, so that a child is a plain native reference. A node is written only by the holder of its single
/// reference; once it is shared, it never changes.
@usableFromInline package final class TreeNode<Element>: ManagedBuffer<TreeNodeHeader, TreeNodeWord> {
  /// The maximum number of children of a branch. There is room for one more, just before it splits.
  @inlinable static var branchCapacity: Int { 16 }

  /// Creates an empty leaf.
  @inlinable package static func leaf(capacity: Int) -> TreeNode {
    make(capacity: capacity, height: 0, stride: MemoryLayout<Element>.stride)
  }

  /// Creates an empty branch.
  @inlinable package static func branch(height: Int) -> TreeNode {
    make(capacity: branchCapacity + 1, height: height, stride: MemoryLayout<TreeEntry<Element>>.stride)
  }

  @inlinable static func make(capacity: Int, height: Int, stride: Int) -> TreeNode {
    let buffer = create(minimumCapacity: (capacity * stride + 15) / 16) { _ in
      TreeNodeHeader(capacity: capacity, height: height)
    }
    // because `create` makes an instance of the class that it is called on
    return unsafeDowncast(buffer, to: TreeNode.self)
  }

  deinit {
    let count = count
    if height == 0 {
      withElements { _ = $0.deinitialize(count: count) }
    } else {
      // Release each child directly: `deinitialize` would call a function of the type's table for each.
      withEntries { entries in
        for slot in 0..<count { Unmanaged.passUnretained(entries[slot].child).release() }
      }
    }
  }

  /// The number of elements of a leaf, or of children of a branch.
  @inlinable package var count: Int {
    get { withHeader { Int(truncatingIfNeeded: $0.pointee.count) } }
    set { withHeader { $0.pointee.count = Int32(truncatingIfNeeded: newValue) } }
  }

  /// 0 for a leaf.
  @inlinable package var height: Int { withHeader { Int(truncatingIfNeeded: $0.pointee.height) } }

  @inlinable var room: Int { withHeader { Int(truncatingIfNeeded: $0.pointee.capacity) } }

  // All access to the memory goes through these three, and no caller keeps the pointer. The compiler releases an object
  // after the last use of its reference, and a pointer does not count as one.

  /// Runs `body` with the header. It passes a pointer, because each access to the property would be checked for
  /// exclusivity, four times on the way to a row. The checks take as long as loading the memory, and keep the processor
  /// from executing ahead.
  @inlinable @inline(__always)
  func withHeader<Result>(_ body: (UnsafeMutablePointer<TreeNodeHeader>) -> Result) -> Result {
    withUnsafeMutablePointerToHeader(body)
  }

  /// Runs `body` with the elements of a leaf.
  @inlinable package func withElements<Result>(
    _ body: (UnsafeMutablePointer<Element>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeMutablePointerToElements { words in
      try body(UnsafeMutableRawPointer(words).assumingMemoryBound(to: Element.self))
    }
  }

  /// Runs `body` with the children of a branch.
  @inlinable package func withEntries<Result>(
    _ body: (UnsafeMutablePointer<TreeEntry<Element>>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeMutablePointerToElements { words in
      try body(UnsafeMutableRawPointer(words).assumingMemoryBound(to: TreeEntry<Element>.self))
    }
  }
}
