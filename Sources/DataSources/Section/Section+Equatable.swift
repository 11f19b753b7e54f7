extension Section: Equatable where Item: Equatable {
  /// Whether two sections have the same id, read the same and hold equal rows.
  public static func == (lhs: Section, rhs: Section) -> Bool {
    lhs.id == rhs.id && lhs.info.readsLike(rhs.info) && lhs.items.elementsEqual(rhs.items)
  }
}
