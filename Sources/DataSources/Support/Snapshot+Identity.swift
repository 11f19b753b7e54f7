extension Snapshot {
  /// Whether two lists are the same object in memory. Equal lists need not be.
  ///
  /// Complexity: O(1).
  func isIdentical(to other: Snapshot) -> Bool { sections.isIdentical(to: other.sections) }

  /// Whether the rows of two lists at a path are copies of each other, judging by their memory.
  ///
  /// Complexity: O(log n). It runs none of the items' code.
  func hasSameBits(as other: Snapshot, at path: ItemPath) -> Bool {
    guard let row = item(at: path), let otherRow = other.item(at: path) else { return false }
    return withUnsafePointer(to: row) { row in withUnsafePointer(to: otherRow) { haveSameBits(row, $0) } }
  }
}
