/// The difference between two lists, as places: deletions, insertions, moves and updates.
///
/// Sections are the same if their `SectionID` is, rows if their id is. Every row of the old list is either deleted or
/// somewhere in the new list; every row of the new list is either inserted or somewhere in the old list. That holds
/// whatever happens to the row's section. The rows of a deleted section are in ``deletedItems``, or in ``movedItems``
/// if they moved to another section. Those of an inserted section are in ``insertedItems`` or ``movedItems``. Use
/// ``batches()`` for the form that a list view needs.
///
/// **What counts as a move.** A row is *kept in place* if its section stays (is neither deleted nor inserted, though it
/// may itself move), and if the row belongs to a largest set of that section's remaining rows that have the same order
/// before and after. All other rows that are in both lists are in ``movedItems``: those that changed sections, and as
/// few as possible of those that did not. A row whose path changes only because other rows were inserted or deleted, or
/// because its whole section moved, is not listed. The same applies to sections: ``movedSections`` are those outside a
/// longest sequence with the same order.
///
/// **What counts as an update.** A row that is in both lists and whose content differs, at any place: a row that moved
/// and changed is in ``movedItems`` and in ``updatedItems``.
///
/// **Values that don't equal themselves**, such as NaN. Two ids of that kind are the same if their hashes are, and rows
/// with the same id are paired in the order in which they appear. Two rows of that kind have the same content if their
/// bits in memory are the same or, if they are hashable, their hashes. Otherwise they are reported as updated.
public struct Changes: Hashable, Sendable {
  /// The deleted sections: old indices, ascending.
  public var deletedSections: [Int]
  /// The inserted sections: new indices, ascending.
  public var insertedSections: [Int]
  /// The moved sections among those that stay, as few as possible, ascending by `to`.
  public var movedSections: [SectionMove]
  /// The sections whose name, index title, header or footer differ, ascending by `to`.
  public var updatedSections: [SectionMove]
  /// The deleted rows: old paths, ascending.
  public var deletedItems: [ItemPath]
  /// The inserted rows: new paths, ascending.
  public var insertedItems: [ItemPath]
  /// The rows that moved within their section or to another one, as few as possible, ascending by `to`.
  public var movedItems: [ItemMove]
  /// The rows whose content differs, ascending by `to`.
  public var updatedItems: [ItemMove]

  /// Creates a difference from its parts, each in the order that its property requires.
  public init(
    deletedSections: [Int] = [], insertedSections: [Int] = [], movedSections: [SectionMove] = [],
    updatedSections: [SectionMove] = [], deletedItems: [ItemPath] = [], insertedItems: [ItemPath] = [],
    movedItems: [ItemMove] = [], updatedItems: [ItemMove] = []
  ) {
    self.deletedSections = deletedSections
    self.insertedSections = insertedSections
    self.movedSections = movedSections
    self.updatedSections = updatedSections
    self.deletedItems = deletedItems
    self.insertedItems = insertedItems
    self.movedItems = movedItems
    self.updatedItems = updatedItems
  }

  /// Whether the two lists are the same.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty && updatedSections.isEmpty
      && deletedItems.isEmpty && insertedItems.isEmpty && movedItems.isEmpty && updatedItems.isEmpty
  }
}
