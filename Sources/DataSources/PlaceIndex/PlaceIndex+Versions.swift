extension PlaceIndex {
  /// Moves the index to another version. The step holds the previous version, so nothing is released here.
  ///
  /// Complexity: that of the difference between the versions.
  @inlinable func take(_ step: PlaceIndexStep<Item>) {
    // Remove everything old before adding anything new, so that a node which only changes its parent has one parent.
    for node in step.goingSections { node._withUnsafeGuaranteedRef { remove($0) } }
    for node in step.comingSections { node._withUnsafeGuaranteedRef { add($0) } }
    for node in step.goingRows { node._withUnsafeGuaranteedRef { remove($0) } }
    for node in step.comingRows { node._withUnsafeGuaranteedRef { add($0, step.hashes[node.toOpaque()] ?? []) } }
    sections = step.to
  }

  @inlinable func add(_ node: Sections.Node) {
    let parent = Unmanaged.passUnretained(node)
    for slot in 0..<node.count {
      if node.height > 0 {
        sectionParents.add(parent, for: node.unmanagedChild(slot).toOpaque())
      } else if let root = node.element(slot).rows.tree.root {
        owners.add(parent, for: Unmanaged.passUnretained(root).toOpaque())
      }
    }
  }

  @inlinable func remove(_ node: Sections.Node) {
    let parent = Unmanaged.passUnretained(node)
    for slot in 0..<node.count {
      if node.height > 0 {
        sectionParents.remove(parent, for: node.unmanagedChild(slot).toOpaque())
      } else if let root = node.element(slot).rows.tree.root {
        owners.remove(parent, for: Unmanaged.passUnretained(root).toOpaque())
      }
    }
  }

  @inlinable func add(_ node: Rows.Node, _ hashes: [UInt32]) {
    let this = Unmanaged.passUnretained(node)
    if node.height > 0 {
      for slot in 0..<node.count { parents.add(this, for: node.unmanagedChild(slot).toOpaque()) }
      return
    }
    // A leaf that another section has already keeps the hashes with which it was added.
    records[this.toOpaque(), default: LeafRecord(hashes: hashes, occurrences: 0)].occurrences += 1
    for hash in records[this.toOpaque()]?.hashes ?? [] { leaves.add(this, for: hash) }
  }

  @inlinable func remove(_ node: Rows.Node) {
    let this = Unmanaged.passUnretained(node)
    if node.height > 0 {
      for slot in 0..<node.count { parents.remove(this, for: node.unmanagedChild(slot).toOpaque()) }
      return
    }
    guard let record = records[this.toOpaque()] else { return }
    for hash in record.hashes { leaves.remove(this, for: hash) }
    records[this.toOpaque()]?.occurrences -= 1
    if record.occurrences == 1 { records[this.toOpaque()] = nil }
  }
}
