extension Snapshot where Item: Identifiable {
  /// The path of the row with an id; nil if not found. If several rows have it, the first.
  ///
  /// The first call on a list builds an index of its ids, in O(n) time and with about 30 bytes for each row. Lists made
  /// from it by editing share the index. Each call moves the index from the version used last to this one, at a cost
  /// that depends on what differs between them: after an edit of k rows, the first call costs O(k log n), later ones
  /// O(log n). So a call after every update is cheap. Without calls there is no cost at all, because edits do not
  /// maintain the index. The index keeps the version used last in memory as long as a related list lives. Lists of up
  /// to 32 rows are searched instead.
  ///
  /// Safe on any thread; the items' `id`, `==` and `hash` run under no lock. A row whose id or hash changes while it is
  /// in a list may not be found. Ids that don't equal themselves, such as NaN, are found by their hash.
  @inlinable public func path(of id: Item.ID) -> ItemPath? {
    if numberOfItems <= 32 { return searchedPath(of: id) }
    return withExtendedLifetime(tree) {
      // No answer means that other threads keep moving the index to other versions.
      guard let candidates = candidates(for: placeHash(id)) else { return searchedPath(of: id) }
      for candidate in candidates {
        let index = candidate.leaf._withUnsafeGuaranteedRef { leaf in
          leaf.withLeafElements { $0.firstIndex { areSame($0.id, id) } }
        }
        if let index { return ItemPath(section: candidate.start.section, item: candidate.start.item + index) }
      }
      return nil
    }
  }

  /// The leaves that may contain a row with a hash, in order; nil if other threads move the index away each time.
  @inlinable func candidates(for hash: UInt32) -> [PlaceIndex<Item>.Candidate]? {
    var step: PlaceIndexStep<Item>?
    for _ in 0..<16 {
      let answer = places.withIndex { [step] slot in
        let index = slot as? PlaceIndex<Item> ?? PlaceIndex<Item>()
        slot = index
        return index.answer(hash, in: tree, after: step)
      }
      switch answer {
      case .leaves(let candidates): return candidates
      case .isAt(let version): step = PlaceIndexStep(from: version, to: tree)
      }
    }
    return nil
  }

  @inlinable func searchedPath(of id: Item.ID) -> ItemPath? {
    var number = 0
    for section in self {
      if let index = section.items.firstIndex(where: { areSame($0.id, id) }) {
        return ItemPath(section: number, item: index)
      }
      number += 1
    }
    return nil
  }
}

extension Snapshot {
  /// Whether two lists are the same object in memory. Equal lists need not be.
  ///
  /// Complexity: O(1).
  package func isIdentical(to other: Snapshot) -> Bool { tree.isIdentical(to: other.tree) }

  /// Whether the rows of two lists at a path are copies of each other, judging by their memory.
  ///
  /// Complexity: O(log n). It runs none of the items' code.
  func hasSameBits(as other: Snapshot, at path: ItemPath) -> Bool {
    guard let row = item(at: path), let otherRow = other.item(at: path) else { return false }
    return withUnsafePointer(to: row) { row in withUnsafePointer(to: otherRow) { haveSameBits(row, $0) } }
  }
}
