// Edits of one row or one section take O(log n), for n rows and sections. If the list is shared with an earlier
// snapshot, they copy one leaf of each tree and its ancestors; otherwise they work in place. Places outside the list
// are the caller's mistake.

extension Snapshot {
  /// Inserts a row at a path: its section must exist, and its item is from 0 to the number of rows there.
  @inlinable public mutating func insert(_ item: Item, at path: ItemPath) {
    checkInsertion(at: path)
    tree.update(at: path.section) { $0.rows.tree.insert(item, at: path.item) }
  }

  /// Inserts rows at a path, in order.
  ///
  /// Complexity: O(k log n) for k rows.
  @inlinable public mutating func insert(contentsOf items: some Sequence<Item>, at path: ItemPath) {
    checkInsertion(at: path)
    tree.update(at: path.section) { section in
      if section.rows.tree.count == 0 {
        section.rows = Section<Item>.Items(items)
      } else {
        var index = path.item
        for item in items {
          section.rows.tree.insert(item, at: index)
          index += 1
        }
      }
    }
  }

  /// Appends a row to a section.
  @inlinable public mutating func append(_ item: Item, toSection section: Int) {
    if section < 0 || section >= tree.count { failOutOfRange(section: section) }
    tree.update(at: section) { $0.append(item) }
  }

  /// Removes a row.
  @discardableResult @inlinable public mutating func remove(at path: ItemPath) -> Item {
    check(path)
    return tree.update(at: path.section) { $0.rows.tree.remove(at: path.item) }
  }

  /// Replaces a row, and returns the old one.
  @discardableResult @inlinable public mutating func replace(at path: ItemPath, with item: Item) -> Item {
    check(path)
    return tree.update(at: path.section) { $0.replace(at: path.item, with: item) }
  }

  /// Moves a row. `destination` is its path after the move.
  @inlinable public mutating func move(from source: ItemPath, to destination: ItemPath) {
    check(source)
    if source == destination { return }
    if source.section == destination.section {
      check(destination)
      tree.update(at: source.section) { $0.move(from: source.item, to: destination.item) }
    } else {
      checkInsertion(at: destination)
      let item = remove(at: source)
      insert(item, at: destination)
    }
  }

  /// Removes all sections with their rows.
  ///
  /// ```swift
  /// var copy = errands.snapshot
  /// copy.removeAll()
  /// ```
  @inlinable public mutating func removeAll() { self = Snapshot() }

  @inlinable func check(_ path: ItemPath) {
    if path.section < 0 || path.section >= tree.count { failOutOfRange(path) }
    let rows = tree.withElement(at: path.section) { $0.rows.tree.count }
    if path.item < 0 || path.item >= rows { failOutOfRange(path) }
  }

  @inlinable func checkInsertion(at path: ItemPath) {
    if path.section < 0 || path.section >= tree.count { failOutOfRange(path) }
    let rows = tree.withElement(at: path.section) { $0.rows.tree.count }
    if path.item < 0 || path.item > rows { failOutOfRange(path) }
  }
}
