extension ListContent {
  /// The number of rows in all sections before one, which may be the end.
  ///
  /// Complexity: O(number of sections); O(log n) in a ``ListAdapter``.
  public func offset(ofSection section: Int) -> Int {
    (0..<section).reduce(0) { $0 + numberOfItems(inSection: $1) }
  }

  /// The path of the row at a position in the whole list; nil if not found.
  ///
  /// Complexity: O(number of sections); O(log n) in a ``ListAdapter``.
  public func path(atOffset offset: Int) -> ItemPath? {
    var rest = offset
    for section in 0..<(offset < 0 ? 0 : numberOfSections) {
      let rows = numberOfItems(inSection: section)
      if rest < rows { return ItemPath(section: section, item: rest) }
      rest -= rows
    }
    return nil
  }
}
