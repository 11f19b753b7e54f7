extension Snapshot where Item: Identifiable {
  /// The path of the row with an id, nil where there is none; of several, the first.
  ///
  /// The first question to a list builds an index of its ids, in O(n) time and with some 40 bytes a row. The lists made
  /// from it by editing share the index, which follows the questions from one version to another at a cost that depends
  /// on what differs between the version asked last and this one: after an edit of k rows, the first question costs
  /// O(k log n), further ones O(log n). So asking after every update is cheap; so is never asking, since edits do not
  /// maintain the index. The index keeps the version that was asked last in memory for as long as a relative lives. Lists
  /// of up to 32 rows are searched instead. Safe from any thread; questions to relatives take turns.
  @inlinable public func path(of id: Item.ID) -> ItemPath? {
    if numberOfItems <= 32 { return searchedPath(of: id) }
    let answer = places.withIndex { slot in
      let index = slot as? PlaceIndex<Item> ?? PlaceIndex<Item>()
      slot = index
      // The version that the index leaves is released outside of the lock: with its last rows, code of their own may run, and
      // ask as well.
      let left = index.sections
      return (path: index.path(of: id, in: sections), left: left)
    }
    return answer.path
  }

  @inlinable func searchedPath(of id: Item.ID) -> ItemPath? {
    var number = 0
    for section in self {
      if let index = section.items.firstIndex(where: { $0.id == id }) { return ItemPath(section: number, item: index) }
      number += 1
    }
    return nil
  }
}
