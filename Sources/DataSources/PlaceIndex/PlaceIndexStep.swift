/// The changes of the index from one version of a list to another: the removed and added nodes, with the hashes of
/// their ids.
///
/// It is prepared under no lock, because that runs the items' code. The index applies the step if it is still at
/// `from`.
@usableFromInline struct PlaceIndexStep<Item: Sendable & Identifiable>: @unchecked Sendable {
  // because one query makes and uses it, and the two versions keep the nodes alive
  @usableFromInline typealias Rows = CountedTree<UnitMeasure<Item>>
  @usableFromInline typealias Sections = CountedTree<SectionMeasure<Item>>

  @usableFromInline let from: Sections
  @usableFromInline let to: Sections
  @usableFromInline var goingSections: [Unmanaged<Sections.Node>] = []
  @usableFromInline var comingSections: [Unmanaged<Sections.Node>] = []
  @usableFromInline var goingRows: [Unmanaged<Rows.Node>] = []
  @usableFromInline var comingRows: [Unmanaged<Rows.Node>] = []
  /// The hashes of the ids, for those of `comingRows` that are leaves.
  @usableFromInline var hashes: [UnsafeMutableRawPointer: [UInt32]] = [:]

  /// Compares two versions.
  ///
  /// Complexity: that of the difference between the versions.
  @inlinable init(from: Sections, to: Sections) {
    self.from = from
    self.to = to
    withExtendedLifetime((from, to)) {
      var oldRoots: [TreePiece<Item>] = []
      var newRoots: [TreePiece<Item>] = []
      Sections.compare(
        from.piece.map { [$0] } ?? [], to.piece.map { [$0] } ?? [], shared: { _, _ in },
        onlyOld: {
          goingSections.append($0.node)
          Self.collectRoots(of: $0.node, &oldRoots)
        },
        onlyNew: {
          comingSections.append($0.node)
          Self.collectRoots(of: $0.node, &newRoots)
        })
      Rows.compare(
        oldRoots, newRoots, shared: { _, _ in }, onlyOld: { goingRows.append($0.node) },
        onlyNew: { comingRows.append($0.node) })
      for node in comingRows {
        node._withUnsafeGuaranteedRef { leaf in
          if leaf.height > 0 || hashes[node.toOpaque()] != nil { return }
          hashes[node.toOpaque()] = leaf.withLeafElements { $0.map { placeHash($0.id) } }
        }
      }
    }
  }

  @inlinable static func collectRoots(of node: Unmanaged<Sections.Node>, _ roots: inout [TreePiece<Item>]) {
    node._withUnsafeGuaranteedRef { node in
      if node.height > 0 { return }
      for slot in 0..<node.count {
        if let root = node.element(slot).rows.tree.root { roots.append(TreePiece(root, offset: 0)) }
      }
    }
  }
}

/// The hash under which the index stores an id. It uses all bits of the id's own hash, because some types keep them in
/// the upper half.
@inlinable func placeHash(_ id: some Hashable) -> UInt32 {
  UInt32(truncatingIfNeeded: (UInt64(UInt(bitPattern: id.hashValue)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
}
