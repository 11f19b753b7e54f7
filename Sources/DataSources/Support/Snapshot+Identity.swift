extension Snapshot {
  /// Whether two lists are one and the same in memory. Equal ones need not be.
  ///
  /// Complexity: O(1).
  func isIdentical(to other: Snapshot) -> Bool { sections.isIdentical(to: other.sections) }

  /// Whether the rows of two lists at a path are copies of each other, as far as their memory shows it.
  ///
  /// Complexity: O(log n). It runs none of the items' code.
  func hasSameBits(as other: Snapshot, at path: ItemPath) -> Bool {
    guard let row = item(at: path), let otherRow = other.item(at: path) else { return false }
    return withUnsafePointer(to: row) { row in withUnsafePointer(to: otherRow) { haveSameBits(row, $0) } }
  }
}
