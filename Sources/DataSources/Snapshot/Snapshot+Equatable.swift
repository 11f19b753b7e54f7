extension Snapshot: Equatable where Item: Equatable {
  /// Whether two lists have equal sections in the same order.
  ///
  /// Complexity: O(n), and O(1) for copies of each other; sections that both share are skipped.
  public static func == (lhs: Snapshot, rhs: Snapshot) -> Bool {
    lhs.sections.isIdentical(to: rhs.sections) || (lhs.count == rhs.count && lhs.elementsEqual(rhs))
  }
}

extension Snapshot: Hashable where Item: Hashable {
  /// Hashes the sections.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for section in self { hasher.combine(section) }
  }
}
