extension Changes {
  /// The difference in the opposite direction, for an undo.
  ///
  /// Complexity: O(k log k) for k changes.
  public var inverse: Changes {
    Changes(
      deletedSections: insertedSections, insertedSections: deletedSections,
      movedSections: movedSections.inverse, updatedSections: updatedSections.inverse,
      deletedItems: insertedItems, insertedItems: deletedItems,
      movedItems: movedItems.inverse, updatedItems: updatedItems.inverse)
  }
}

extension [SectionMove] {
  fileprivate var inverse: Self { map { SectionMove(from: $0.to, to: $0.from) }.sorted { $0.to < $1.to } }
}

extension [ItemMove] {
  fileprivate var inverse: Self { map { ItemMove(from: $0.to, to: $0.from) }.sorted { $0.to < $1.to } }
}
