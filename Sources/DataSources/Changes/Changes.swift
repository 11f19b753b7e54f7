/// The difference between two lists, as places: deletions, insertions, moves and updates.
///
/// ```swift
/// let changes = errands.snapshot.changes(from: Snapshot())
/// print(changes, changes.insertedItems.count, changes.isEmpty)
/// ```
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

extension Changes {
  /// The number of deletions, insertions, moves and updates.
  public var count: Int {
    deletedSections.count + insertedSections.count + movedSections.count + updatedSections.count
      + deletedItems.count + insertedItems.count + movedItems.count + updatedItems.count
  }
}

/// The old path and the new path of a row.
///
/// ```swift
/// for move: ItemMove in update.changes.movedItems { print(move.from, move.to) }
/// ```
public struct ItemMove: Hashable, Sendable, Codable {
  /// The path in the old list.
  public var from: ItemPath
  /// The path in the new list.
  public var to: ItemPath

  /// Creates a pair of paths.
  @inlinable public init(from: ItemPath, to: ItemPath) {
    self.from = from
    self.to = to
  }
}

extension ItemMove: CustomStringConvertible {
  /// The two paths, such as `[0, 2] → [1, 0]`; one path if they are the same.
  public var description: String { from == to ? "\(from)" : "\(from) → \(to)" }
}

/// The old index and the new index of a section.
///
/// ```swift
/// for move: SectionMove in update.changes.movedSections { print(move.from, move.to) }
/// ```
public struct SectionMove: Hashable, Sendable, Codable {
  /// The index in the old list.
  public var from: Int
  /// The index in the new list.
  public var to: Int

  /// Creates a pair of indices.
  @inlinable public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

extension SectionMove: CustomStringConvertible {
  /// The two indices, such as `2 → 0`; one number if they are the same.
  public var description: String { from == to ? "\(from)" : "\(from) → \(to)" }
}

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

extension Changes: CustomStringConvertible {
  /// The difference in words, such as `sections: deleted 2; rows: inserted [0, 3], moved [0, 1] → [1, 0]`. For long
  /// lists, the first few places and the number of the others.
  public var description: String {
    let sections = [
      Self.part("deleted", deletedSections), Self.part("inserted", insertedSections),
      Self.part("moved", movedSections), Self.part("updated", updatedSections),
    ].compactMap(\.self)
    let rows = [
      Self.part("deleted", deletedItems), Self.part("inserted", insertedItems),
      Self.part("moved", movedItems), Self.part("updated", updatedItems),
    ].compactMap(\.self)
    var parts: [String] = []
    if !sections.isEmpty { parts.append("sections: " + sections.joined(separator: ", ")) }
    if !rows.isEmpty { parts.append("rows: " + rows.joined(separator: ", ")) }
    return parts.isEmpty ? "no changes" : parts.joined(separator: "; ")
  }

  private static func part<Place: CustomStringConvertible>(_ word: String, _ places: [Place]) -> String? {
    if places.isEmpty { return nil }
    let shown = 8
    let text = places.prefix(shown).map(\.description).joined(separator: " ")
    return "\(word) \(text)" + (places.count > shown ? " and \(places.count - shown) more" : "")
  }
}
