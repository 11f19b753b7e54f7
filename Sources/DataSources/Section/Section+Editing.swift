public import FetchedResultsSupport

extension Section {
  /// Inserts a row at an index, from 0 to the number of rows.
  ///
  /// Complexity: O(log n), as for all edits of one row.
  @inlinable public mutating func insert(_ item: Item, at index: Int) {
    require(
      index >= 0 && index <= items.count,
      "a row cannot be inserted at \(index): the section has \(items.count) rows")
    rows.tree.insert(item, at: index)
  }

  /// Appends a row.
  @inlinable public mutating func append(_ item: Item) { rows.tree.insert(item, at: items.count) }

  /// Removes a row.
  @discardableResult @inlinable public mutating func remove(at index: Int) -> Item {
    if index < 0 || index >= items.count { items.failOutOfRange(index) }
    return rows.tree.remove(at: index)
  }

  /// Replaces a row, and returns the old one.
  @discardableResult @inlinable public mutating func replace(at index: Int, with item: Item) -> Item {
    if index < 0 || index >= items.count { items.failOutOfRange(index) }
    return rows.tree.update(at: index) { place in
      let old = place
      place = item
      return old
    }
  }

  /// Moves a row. `destination` is its index after the move.
  @inlinable public mutating func move(from source: Int, to destination: Int) {
    if source < 0 || source >= items.count { items.failOutOfRange(source) }
    if destination < 0 || destination >= items.count { items.failOutOfRange(destination) }
    if source != destination { rows.tree.insert(rows.tree.remove(at: source), at: destination) }
  }
}
