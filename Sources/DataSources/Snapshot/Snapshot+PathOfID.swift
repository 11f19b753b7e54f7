extension Snapshot where Item: Identifiable {
  /// The path of the row with an id, nil where there is none; of several, the first.
  ///
  /// The first question to a list builds an index of its ids, in O(n) time and with some 30 bytes a row. The lists made
  /// from it by editing share the index, which follows the questions from one version to another at a cost that depends
  /// on what differs between the version asked last and this one: after an edit of k rows, the first question costs
  /// O(k log n), further ones O(log n). So asking after every update is cheap; so is never asking, since edits do not
  /// maintain the index. The index keeps the version that was asked last in memory for as long as a relative lives. Lists
  /// of up to 32 rows are searched instead.
  ///
  /// Safe from any thread, and the items' `id`, `==` and `hash` run under no lock. A row whose id or hash changes while it is in
  /// a list may not be found. Ids that don't equal themselves, such as not-a-number, are found by their hash. An `id` may
  /// itself ask for a path: up to 16 such questions are answered inside of one, those inside of them find nothing.
  @inlinable public func path(of id: Item.ID) -> ItemPath? {
    guard NestedQuestions.begin() else { return nil }
    defer { NestedQuestions.end() }
    if numberOfItems <= 32 { return searchedPath(of: id) }
    return withExtendedLifetime(sections) {
      // Without an answer, other threads keep the index at other versions.
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

  /// The leaves that may have a row with a hash, in order; nil where others move the index away each time.
  @inlinable func candidates(for hash: UInt32) -> [PlaceIndex<Item>.Candidate]? {
    var step: PlaceIndexStep<Item>?
    for _ in 0..<16 {
      let answer = places.withIndex { [step] slot in
        let index = slot as? PlaceIndex<Item> ?? PlaceIndex<Item>()
        slot = index
        return index.answer(hash, in: sections, after: step)
      }
      switch answer {
      case .leaves(let candidates): return candidates
      case .isAt(let version): step = PlaceIndexStep(from: version, to: sections)
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
