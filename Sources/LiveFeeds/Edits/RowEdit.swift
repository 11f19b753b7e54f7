public import DataSources

/// A change of a row that a reader of a feed wishes. It names the row and not its place, because the list may have
/// changed meanwhile.
///
/// ```swift
/// func isAllowed(_ edit: RowEdit<Errand>) -> Bool {
///   if case .update(let old, let new, to: nil) = edit { old.title == new.title } else { false }
/// }
/// ```
public enum RowEdit<Item: Sendable>: Sendable {
  /// A new row.
  case insert(new: Item, at: RowPlace<Item>)
  /// A row becomes another one with the same id. `to` is its new place, nil if it stays where it is.
  case update(old: Item, new: Item, to: RowPlace<Item>?)
  /// A row goes.
  case delete(old: Item)
}

/// Where a row should be: in a section, behind a row.
///
/// ```swift
/// func first(_ errand: Errand) -> RowEdit<Errand> { .insert(new: errand, at: RowPlace(section: .text("Errands"))) }
/// ```
public struct RowPlace<Item: Sendable>: Sendable {
  /// The section.
  public var section: SectionID
  /// The row before it; nil for the beginning of the section.
  public var after: Item?

  /// Creates a place.
  public init(section: SectionID, after: Item? = nil) { (self.section, self.after) = (section, after) }
}

/// Why a service doesn't do what a reader wishes: it throws this from `apply`, and ``RemoteDataSource/edit(_:)`` throws
/// it there.
///
/// ```swift
/// throw EditConflict("\"Milk\" has changed meanwhile")
/// ```
public struct EditConflict: Error, Hashable, CustomStringConvertible {
  /// The reason for users, such as "order 7 is sent already".
  public var reason: String

  /// Creates an error.
  public init(_ reason: String) { self.reason = reason }

  /// The reason.
  public var description: String { reason }
}

extension RowPlace: Equatable where Item: Equatable {}
extension RowPlace: Encodable where Item: Encodable {}
extension RowPlace: Decodable where Item: Decodable {}
extension RowEdit: Equatable where Item: Equatable {}
extension RowEdit: Encodable where Item: Encodable {}
extension RowEdit: Decodable where Item: Decodable {}

extension RowEdit {
  /// The steps of an update of rows. Sections are made by the service, so an edit of them is refused.
  static func edits(of update: Update<Item>) throws(EditConflict) -> [RowEdit] {
    let (old, new, changes) = (update.old, update.new, update.changes)
    guard changes.insertedSections.isEmpty, changes.deletedSections.isEmpty, changes.movedSections.isEmpty,
      changes.updatedSections.isEmpty
    else { throw EditConflict("only rows of a remote list can be edited; its service makes the sections") }
    func place(_ path: ItemPath) -> RowPlace<Item> {
      let section = new[path.section]
      return RowPlace(section: section.id, after: path.item > 0 ? section.items[path.item - 1] : nil)
    }
    let moved = Set(changes.movedItems)
    return changes.deletedItems.map { .delete(old: old[$0]) }
      + Set(changes.updatedItems).union(moved).sorted { $0.to < $1.to }
      .map { .update(old: old[$0.from], new: new[$0.to], to: moved.contains($0) ? place($0.to) : nil) }
      + changes.insertedItems.map { .insert(new: new[$0], at: place($0)) }
  }
}

extension RowEdit where Item: Identifiable {
  /// Makes the change in a list that may be another one by now, as far as it has the rows and sections.
  func apply(to draft: inout Draft<Item>) {
    switch self {
    case .delete(let old): draft.remove(id: old.id)
    case .update(_, let new, let place):
      guard let path = draft.update(new), let place, let section = draft.index(of: place.section) else { return }
      // It counts as gone while its new place is determined.
      let target = draft.index(in: section, after: place.after)
      draft.move(
        from: path,
        to: ItemPath(section: section, item: path.section == section && path.item < target ? target - 1 : target))
    case .insert(let new, let place):
      guard draft.snapshot.path(of: new.id) == nil, let section = draft.index(of: place.section) else { return }
      draft.insert(new, at: ItemPath(section: section, item: draft.index(in: section, after: place.after)))
    }
  }
}

extension Draft where Item: Identifiable {
  fileprivate func index(of section: SectionID) -> Int? { snapshot.firstIndex { $0.id == section } }

  /// The index behind a row: that of the section's end, if the row is not there any more.
  fileprivate func index(in section: Int, after row: Item?) -> Int {
    guard let row else { return 0 }
    let path = snapshot.path(of: row.id)
    return path.flatMap { $0.section == section ? $0.item + 1 : nil } ?? snapshot[section].items.count
  }
}
