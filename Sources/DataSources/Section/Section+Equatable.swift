extension Section.Items: Equatable where Item: Equatable {
  /// Whether two sections hold equal rows in the same order.
  ///
  /// Complexity: O(n), and O(1) for copies of each other.
  public static func == (lhs: Section.Items, rhs: Section.Items) -> Bool {
    lhs.tree.isIdentical(to: rhs.tree) || (lhs.count == rhs.count && lhs.elementsEqual(rhs))
  }
}

extension Section.Items: Hashable where Item: Hashable {
  /// Hashes the rows.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for item in self { hasher.combine(item) }
  }
}

extension Section: Equatable where Item: Equatable {
  /// Whether two sections have the same id, the same titles and equal rows.
  public static func == (lhs: Section, rhs: Section) -> Bool {
    lhs.id == rhs.id && lhs.info.readsLike(rhs.info) && lhs.items == rhs.items
  }
}

extension Section: Hashable where Item: Hashable {
  /// Hashes the id, the name and the rows.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(name)
    hasher.combine(items)
  }
}
