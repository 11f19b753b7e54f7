import FetchedResultsSupport

extension Draft {
  /// Appends a row to a section.
  ///
  /// Complexity: O(log n).
  public mutating func append(_ item: Item, toSection section: Int) {
    append(contentsOf: CollectionOfOne(item), toSection: section)
  }

  /// Appends rows to a section.
  ///
  /// Complexity: O(k log n) for k rows.
  public mutating func append(contentsOf items: some Sequence<Item>, toSection section: Int) {
    checkSection(section)
    insert(contentsOf: items, at: ItemPath(section: section, item: snapshot[section].items.count))
  }

  /// Inserts a row at a path, which may be right after the last one of a section.
  ///
  /// Complexity: O(log n).
  public mutating func insert(_ item: Item, at path: ItemPath) {
    checkInsertion(at: path)
    snapshot.insert(item, at: path)
    record(Changes(insertedItems: [path]))
  }

  /// Inserts rows at a path, in order.
  ///
  /// Complexity: O(k log n) for k rows.
  public mutating func insert(contentsOf items: some Sequence<Item>, at path: ItemPath) {
    checkInsertion(at: path)
    let before = snapshot[path.section].items.count
    snapshot.insert(contentsOf: items, at: path)
    let count = snapshot[path.section].items.count - before
    let inserted = (path.item..<path.item + count).map { ItemPath(section: path.section, item: $0) }
    record(Changes(insertedItems: inserted))
  }

  /// Removes a row and returns it.
  ///
  /// Complexity: O(log n).
  @discardableResult public mutating func remove(at path: ItemPath) -> Item {
    check(path)
    let item = snapshot.remove(at: path)
    record(Changes(deletedItems: [path]))
    return item
  }

  /// Replaces a row.
  ///
  /// If items are equatable, an equal one changes nothing. One with another id is a deletion and an insertion.
  /// Replacing an object with itself counts as a change, because its earlier state can't be seen any more.
  ///
  /// Complexity: O(log n).
  public mutating func update(_ item: Item, at path: ItemPath) {
    check(path)
    let old = snapshot.replace(at: path, with: item)
    let updated = Changes(updatedItems: [ItemMove(from: path, to: path)])
    if ItemTraits.areOneObject(old, item) || ItemTraits.areOpaque(old, item) { return record(updated) }
    record(
      .unknown {
        if ItemTraits.haveDifferentIDs(old, item) { return Changes(deletedItems: [path], insertedItems: [path]) }
        return ItemTraits.areKnownEqual(old, item) ? Changes() : updated
      })
  }

  /// Changes a row in place.
  ///
  /// ```swift
  /// errands.edit { draft in
  ///   for path in draft.snapshot.paths { draft.update(at: path) { $0.isDone = true } }
  /// }
  /// ```
  ///
  /// An object that the closure changes counts as changed, but it also changes in earlier lists: use values, or replace
  /// the object with another one.
  ///
  /// Complexity: O(log n).
  public mutating func update<Failure: Error>(
    at path: ItemPath, _ change: (inout Item) throws(Failure) -> Void
  ) throws(Failure) {
    check(path)
    var item = snapshot[path]
    try change(&item)
    update(item, at: path)
  }

  /// Moves a row. `target` is its path after the move.
  ///
  /// Complexity: O(log n).
  public mutating func move(from source: ItemPath, to target: ItemPath) {
    check(source)
    checkSection(target.section)
    let last = snapshot[target.section].items.count - (source.section == target.section ? 1 : 0)
    require(
      target.item >= 0 && target.item <= last,
      "a row cannot move to \(target): section \(target.section) has \(last) other rows")
    guard source != target else { return }
    snapshot.move(from: source, to: target)
    record(Changes(movedItems: [ItemMove(from: source, to: target)]))
  }

  /// Removes all rows of a section, and keeps the section.
  ///
  /// Complexity: O(k log n) for k rows.
  public mutating func clear(section: Int) {
    checkSection(section)
    let paths = snapshot[section].items.indices.map { ItemPath(section: section, item: $0) }
    snapshot.updateSection(at: section) { place in
      for path in paths.reversed() { place.remove(at: path.item) }
    }
    record(Changes(deletedItems: paths))
  }

  func check(_ path: ItemPath) {
    checkSection(path.section)
    let rows = snapshot[path.section].items.count
    require(
      path.item >= 0 && path.item < rows, "path \(path) is not there: section \(path.section) has \(rows) rows")
  }

  private func checkInsertion(at path: ItemPath) {
    checkSection(path.section)
    let rows = snapshot[path.section].items.count
    require(
      path.item >= 0 && path.item <= rows,
      "a row cannot be inserted at \(path): section \(path.section) has \(rows) rows")
  }

  func checkSection(_ section: Int) {
    require(
      section >= 0 && section < snapshot.count,
      "section \(section) is not there: there are \(snapshot.count) sections")
  }
}

extension Draft where Item: Identifiable {
  /// Removes the row with an id and returns it; nil if not found.
  ///
  /// Complexity: that of ``Snapshot/path(of:)``.
  @discardableResult public mutating func remove(id: Item.ID) -> Item? {
    snapshot.path(of: id).map { remove(at: $0) }
  }

  /// Replaces the row with the same id and returns its path. If no row has it, returns nil and does nothing.
  ///
  /// Complexity: that of ``Snapshot/path(of:)``.
  @discardableResult public mutating func update(_ item: Item) -> ItemPath? {
    guard let path = snapshot.path(of: item.id) else { return nil }
    update(item, at: path)
    return path
  }
}
