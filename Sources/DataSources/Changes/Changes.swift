/// The difference between two lists, as places: what went, what came, what moved, what differs.
///
/// Sections are the same by their `SectionID`, rows by their id. Every row of the old list is either deleted, or stands
/// somewhere in the new list; every row of the new list is inserted, or stood somewhere in the old list. That holds
/// whatever becomes of the row's section: the rows of a deleted section are in ``deletedItems``, or in ``movedItems``
/// where they live on in another section, and those of an inserted section are in ``insertedItems`` or ``movedItems``.
/// Use ``batches()`` for what a list view wants instead.
///
/// **What counts as a move.** A row is *kept in place* when its section stays (is neither deleted nor inserted, though it
/// may itself move) and the row is one of a largest set of that section's staying rows which stand in the same order
/// before and after. All other rows that stand in both lists are in ``movedItems``: those that changed sections, and
/// as few as can be of those that did not. A row that only shifts because others came or went, or because its whole
/// section moved, is not listed. Sections likewise: ``movedSections`` are those outside a longest run in common order.
///
/// **What counts as an update.** A row that stands in both lists and whose content differs, wherever it stands: a row that
/// moved and changed is in ``movedItems`` and in ``updatedItems``.
///
/// **Values that don't equal themselves**, such as not-a-number. Two ids of that kind are the same when their hashes are, and rows of
/// the same id are paired in the order in which they appear. Two rows of that kind have the same content when their bits in
/// memory are the same or, where they are hashable, their hashes. Otherwise they are reported as updated.
public struct Changes: Hashable, Sendable {
  /// The sections that went: old indices, ascending.
  public var deletedSections: [Int]
  /// The sections that came: new indices, ascending.
  public var insertedSections: [Int]
  /// The sections that changed places among those that stay, as few as can be, ascending by `to`.
  public var movedSections: [SectionMove]
  /// The sections whose name, index title, header or footer differ, ascending by `to`.
  public var updatedSections: [SectionMove]
  /// The rows that went: old paths, ascending.
  public var deletedItems: [ItemPath]
  /// The rows that came: new paths, ascending.
  public var insertedItems: [ItemPath]
  /// The rows that changed sections or places, as few as can be, ascending by `to`.
  public var movedItems: [ItemMove]
  /// The rows whose content differs, ascending by `to`.
  public var updatedItems: [ItemMove]

  /// Makes a difference from its parts, each in the order that its property states.
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
