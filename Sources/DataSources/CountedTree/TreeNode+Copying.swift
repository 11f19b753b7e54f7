public import FetchedResultsSupport

extension TreeNode {
  /// The same content in a node of its own.
  @inlinable func copy() -> TreeNode {
    height == 0 ? leaf(of: 0..<count, capacity: count) : branch(of: 0..<count)
  }

  /// A new leaf with some of this one's elements.
  @inlinable func leaf(of range: Range<Int>, capacity: Int) -> TreeNode {
    let node = TreeNode.leaf(capacity: capacity)
    node.append(elementsOf: self, in: range)
    return node
  }

  /// Appends elements of another leaf to this one, which must not be shared.
  @inlinable func append(elementsOf other: TreeNode, in range: Range<Int>) {
    other.withElements { elements in
      withElements { ($0 + count).initialize(from: elements + range.lowerBound, count: range.count) }
    }
    count += range.count
  }

  /// A new branch with some of this one's children.
  @inlinable func branch(of range: Range<Int>) -> TreeNode {
    let node = TreeNode.branch(height: height)
    node.append(childrenOf: self, in: range)
    return node
  }

  /// Appends children of another branch of the same height to this one, which must not be shared.
  @inlinable func append(childrenOf other: TreeNode, in range: Range<Int>) {
    let count = count(beforeSlot: count) - other.count(beforeSlot: range.lowerBound)
    let weight = weight(beforeSlot: self.count) - other.weight(beforeSlot: range.lowerBound)
    other.withEntries { children in
      withEntries { entries in
        let start = entries + self.count
        let source = children + range.lowerBound
        TreeNode.touch(source, range.count)
        for slot in 0..<range.count { (start + slot).initialize(to: source[slot]) }
        if count == 0, weight == 0 { return }
        for slot in 0..<range.count {
          start[slot].endCount += count
          start[slot].endWeight += weight
        }
      }
    }
    self.count += range.count
  }

  /// Reads a word of each child, so that the memory of all of them is loaded at the same time.
  ///
  /// Copying a branch counts one more reference to each child. Each of these waits for its memory, and the next one
  /// waits for it. In a large tree hardly any of them is in the processor's cache.
  @inlinable static func touch(_ children: UnsafeMutablePointer<TreeEntry<Element>>, _ count: Int) {
    var all: UInt = 0
    for slot in 0..<count {
      all |= Unmanaged.passUnretained(children[slot].child).toOpaque().load(as: UInt.self)
    }
    // The addresses of their class are never zero, but the compiler does not know it, and so must read them.
    require(count == 0 || all != 0, "a child of a node has no class")
  }

  /// The capacity of a leaf for `count` elements: the next multiple of 8, so that a few more often fit, but at most
  /// `limit`.
  @inlinable static func capacity(for count: Int, atMost limit: Int) -> Int { min(limit, (count + 7) & ~7) }

  /// Replaces `node` with a copy if it is shared.
  @inlinable static func makeUnique(_ node: inout TreeNode) {
    if !isKnownUniquelyReferenced(&node) { node = node.copy() }
  }
}
