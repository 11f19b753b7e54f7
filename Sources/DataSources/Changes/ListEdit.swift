/// One step of a change, at places as they are when the steps before it are done: what a JSON Patch or a page's nodes
/// need.
///
/// ```swift
/// for edit in update.changes.edits {
///   switch edit {
///   case .removeItem(let path): print("remove /\(path.section)/items/\(path.item)")
///   case .removeSection(let section): print("remove /\(section)")
///   case .insertSection(let section, _): print("add /\(section)", update.new[section].name)
///   case .insertItem(let path, _): print("add /\(path.section)/items/\(path.item)", update.new[path])
///   case .updateSection(let section): print("replace /\(section)/name", update.new[section].name)
///   case .updateItem(let path): print("replace /\(path.section)/items/\(path.item)", update.new[path])
///   }
/// }
/// ```
///
/// What moves is removed first and inserted later. `from` is its place in the old list, by which a page that kept the
/// removed node finds it again. A removed section takes the rows with it that are left in it; one that is inserted
/// without `from` is empty.
public enum ListEdit: Hashable, Sendable {
  /// Remove a row.
  case removeItem(ItemPath)
  /// Remove a section with its rows.
  case removeSection(Int)
  /// Insert a section, with the rows that a moved one has kept.
  case insertSection(Int, from: Int?)
  /// Insert a row.
  case insertItem(ItemPath, from: ItemPath?)
  /// Show the new titles of a section.
  case updateSection(Int)
  /// Show the new content of a row.
  case updateItem(ItemPath)
}

extension Changes {
  /// The change as steps to be done one after another.
  ///
  /// From the last place to the first, rows and then sections are removed; from the first to the last, sections and
  /// then rows are inserted; then what stays is updated.
  ///
  /// Complexity: O(k log k) for k changes.
  public var edits: [ListEdit] {
    let deleted = Set(deletedSections)
    let removed = deletedItems.filter { !deleted.contains($0.section) } + movedItems.map(\.from)
    let sections = insertedSections.map { ($0, Int?.none) } + movedSections.map { ($0.to, $0.from) }
    let items = insertedItems.map { ($0, ItemPath?.none) } + movedItems.map { ($0.to, $0.from) }
    return removed.sorted(by: >).map { .removeItem($0) }
      + (deletedSections + movedSections.map(\.from)).sorted(by: >).map { .removeSection($0) }
      + sections.sorted { $0.0 < $1.0 }.map { .insertSection($0.0, from: $0.1) }
      + items.sorted { $0.0 < $1.0 }.map { .insertItem($0.0, from: $0.1) }
      + updatedSections.map { .updateSection($0.to) } + updatedItems.map { .updateItem($0.to) }
  }
}
