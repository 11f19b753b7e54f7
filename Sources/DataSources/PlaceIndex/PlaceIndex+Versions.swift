extension PlaceIndex {
  /// Makes the index that of another version.
  ///
  /// Complexity: that of the difference between the versions.
  @inlinable func go(to version: Sections) {
    let before = sections
    withExtendedLifetime((before, version)) {
      var oldRoots: [TreePiece<Item>] = []
      var newRoots: [TreePiece<Item>] = []
      var added: [Unmanaged<Sections.Node>] = []
      Sections.compare(
        before.piece.map { [$0] } ?? [], version.piece.map { [$0] } ?? [], shared: { _, _ in },
        onlyOld: { piece in piece.node._withUnsafeGuaranteedRef { remove($0, &oldRoots) } },
        onlyNew: { added.append($0.node) })
      // All that goes is forgotten before what comes is learned, so that a node which only changes parents has one.
      for node in added { node._withUnsafeGuaranteedRef { add($0, &newRoots) } }
      var addedRows: [Unmanaged<Rows.Node>] = []
      Rows.compare(
        oldRoots, newRoots, shared: { _, _ in },
        onlyOld: { piece in piece.node._withUnsafeGuaranteedRef { remove($0) } },
        onlyNew: { addedRows.append($0.node) })
      for node in addedRows { node._withUnsafeGuaranteedRef { add($0) } }
      sections = version
    }
  }

  @inlinable func add(_ node: Sections.Node, _ roots: inout [TreePiece<Item>]) {
    let parent = Unmanaged.passUnretained(node)
    for slot in 0..<node.count {
      if node.height > 0 {
        sectionParents.add(parent, for: node.unmanagedChild(slot).toOpaque())
      } else if let root = node.element(slot).rows.tree.root {
        owners.add(parent, for: Unmanaged.passUnretained(root).toOpaque())
        roots.append(TreePiece(root, offset: 0))
      }
    }
  }

  @inlinable func remove(_ node: Sections.Node, _ roots: inout [TreePiece<Item>]) {
    let parent = Unmanaged.passUnretained(node)
    for slot in 0..<node.count {
      if node.height > 0 {
        sectionParents.remove(parent, for: node.unmanagedChild(slot).toOpaque())
      } else if let root = node.element(slot).rows.tree.root {
        owners.remove(parent, for: Unmanaged.passUnretained(root).toOpaque())
        roots.append(TreePiece(root, offset: 0))
      }
    }
  }

  @inlinable func add(_ node: Rows.Node) {
    let this = Unmanaged.passUnretained(node)
    if node.height == 0 {
      node.withLeafElements { for item in $0 { leaves.add(this, for: item.id) } }
    } else {
      for slot in 0..<node.count {
        parents.add(this, for: node.unmanagedChild(slot).toOpaque())
      }
    }
  }

  @inlinable func remove(_ node: Rows.Node) {
    let this = Unmanaged.passUnretained(node)
    if node.height == 0 {
      node.withLeafElements { for item in $0 { leaves.remove(this, for: item.id) } }
    } else {
      for slot in 0..<node.count {
        parents.remove(this, for: node.unmanagedChild(slot).toOpaque())
      }
    }
  }
}
