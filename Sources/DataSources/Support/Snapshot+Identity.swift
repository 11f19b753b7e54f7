extension Snapshot {
  /// Whether two lists are one and the same in memory. Equal ones need not be.
  ///
  /// Complexity: O(1).
  func isIdentical(to other: Snapshot) -> Bool { sections.isIdentical(to: other.sections) }
}
