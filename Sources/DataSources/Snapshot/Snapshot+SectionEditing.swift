extension Snapshot {
  /// Inserts a section at an index, from 0 to the number of sections.
  @inlinable public mutating func insertSection(_ section: Section<Item>, at index: Int) {
    if index < 0 || index > tree.count { failOutOfRange(section: index) }
    tree.insert(section, at: index)
  }

  /// Appends a section.
  @inlinable public mutating func appendSection(_ section: Section<Item>) {
    tree.insert(section, at: tree.count)
  }

  /// Removes a section with its rows.
  @discardableResult @inlinable public mutating func removeSection(at index: Int) -> Section<Item> {
    if index < 0 || index >= tree.count { failOutOfRange(section: index) }
    return tree.remove(at: index)
  }

  /// Replaces a section, and returns the old one.
  ///
  /// ```swift
  /// var copy = list.snapshot
  /// let old = copy.replaceSection(at: 0, with: Section(id: "today", name: "Today", items: [order]))
  /// ```
  @discardableResult @inlinable public mutating func replaceSection(
    at index: Int, with section: Section<Item>
  ) -> Section<Item> {
    updateSection(at: index) { place in
      let old = place
      place = section
      return old
    }
  }

  /// Changes a section in place: its titles, or many of its rows at once.
  @inlinable public mutating func updateSection<Result>(
    at index: Int, _ change: (inout Section<Item>) throws -> Result
  ) rethrows -> Result {
    if index < 0 || index >= tree.count { failOutOfRange(section: index) }
    return try tree.update(at: index, change)
  }

  /// Moves a section with its rows. `destination` is its index after the move.
  @inlinable public mutating func moveSection(from source: Int, to destination: Int) {
    if source < 0 || source >= tree.count { failOutOfRange(section: source) }
    if destination < 0 || destination >= tree.count { failOutOfRange(section: destination) }
    if source != destination { tree.insert(tree.remove(at: source), at: destination) }
  }
}
