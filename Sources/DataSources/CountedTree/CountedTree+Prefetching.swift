public import FetchedResultsSupport

/// A descent from the root of a ``CountedTree`` to an element: the node that it has reached so far.
@usableFromInline struct TreeDescent<Element> {
  /// Valid while the tree is alive.
  @usableFromInline var node: Unmanaged<TreeNode<Element>>
  @usableFromInline var height: Int
  /// The element's offset in the node.
  @usableFromInline var rest: Int
  /// The number of elements in the node.
  @usableFromInline var total: Int

  @inlinable init(node: Unmanaged<TreeNode<Element>>, height: Int, rest: Int, total: Int) {
    self.node = node
    self.height = height
    self.rest = rest
    self.total = total
  }

  /// Goes to the child that holds the element, and begins to load what is needed next: the child itself, and the
  /// beginnings of the others, as copying a branch counts a reference to each.
  @inlinable mutating func descend() {
    let (child, before, count) = node._withUnsafeGuaranteedRef { branch in
      for slot in 0..<branch.count { Processor.prefetch(branch.unmanagedChild(slot).toOpaque()) }
      let slot = branch.slot(ofElement: rest, total: total)
      let before = branch.count(beforeSlot: slot)
      return (branch.unmanagedChild(slot), before, branch.count(beforeSlot: slot + 1) - before)
    }
    node = child
    rest -= before
    total = count
    height -= 1
    let size =
      height == 0
      ? total * MemoryLayout<Element>.stride
      : (TreeNode<Element>.branchCapacity + 1) * MemoryLayout<TreeEntry<Element>>.stride
    Processor.prefetch(node.toOpaque(), 2 * MemoryLayout<TreeNodeWord>.stride + size)
  }

  /// Begins to load what the leaf's elements refer to.
  @inlinable func prefetchReferences() {
    node._withUnsafeGuaranteedRef { leaf in
      leaf.withElements { Processor.prefetchReferences(in: $0, total * MemoryLayout<Element>.stride) }
    }
  }
}

extension CountedTree {
  /// Begins to load the nodes that lead to elements of several trees, so that looking at the elements and editing there
  /// wait less for memory. All offsets must be in range.
  ///
  /// All descents take one step before any takes the next, so that their memory is loaded at the same time.
  @inlinable package static func prefetch(_ places: [(tree: CountedTree, offset: Int)]) {
    withExtendedLifetime(places) {
      var ways: [TreeDescent<Element>] = []
      ways.reserveCapacity(places.count)
      for (tree, offset) in places {
        assert(offset >= 0 && offset < tree.count)
        let root = Unmanaged.passUnretained(tree.root.unsafelyUnwrapped)
        let height = root._withUnsafeGuaranteedRef { $0.height }
        ways.append(TreeDescent(node: root, height: height, rest: offset, total: tree.count))
      }
      var isUnderway = true
      while isUnderway {
        isUnderway = false
        for way in ways.indices where ways[way].height > 0 {
          ways[way].descend()
          isUnderway = true
        }
      }
      if _isPOD(Element.self) { return }
      for way in ways { way.prefetchReferences() }
    }
  }
}
