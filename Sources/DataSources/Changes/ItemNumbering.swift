/// The new paths of the old list's rows, and the reverse, from a difference alone.
///
/// In a section that stays, the rows that are neither deleted nor moved keep their order, and fill the places that are
/// neither inserted nor moved to.
package struct ItemNumbering {
  package let sections: SectionNumbering
  /// For each old section, the items that are deleted or moved, ascending.
  package private(set) var leaving: [Int: [Int]] = [:]
  /// For each new section, the items that are inserted or moved to, ascending.
  package private(set) var arriving: [Int: [Int]] = [:]
  private let newOfMoved: [ItemPath: ItemPath]
  private let oldOfMoved: [ItemPath: ItemPath]

  package init(_ changes: Changes) {
    sections = SectionNumbering(changes)
    for path in changes.deletedItems { leaving[path.section, default: []].append(path.item) }
    for path in changes.insertedItems { arriving[path.section, default: []].append(path.item) }
    for move in changes.movedItems {
      leaving[move.from.section, default: []].append(move.from.item)
      arriving[move.to.section, default: []].append(move.to.item)
    }
    for key in leaving.keys { leaving[key]?.sort() }
    for key in arriving.keys { arriving[key]?.sort() }
    newOfMoved = Dictionary(changes.movedItems.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
    oldOfMoved = Dictionary(changes.movedItems.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
  }

  /// The path in the new list of a row of the old one; nil if it is deleted.
  package func newPath(of old: ItemPath) -> ItemPath? {
    if let new = newOfMoved[old] { return new }
    guard let section = sections.newIndex(of: old.section),
      let rank = (leaving[old.section] ?? []).rankOutside(old.item)
    else { return nil }
    return ItemPath(section: section, item: (arriving[section] ?? []).elementOutside(rank))
  }

  /// The path in the old list of a row of the new one; nil if it is inserted.
  package func oldPath(of new: ItemPath) -> ItemPath? {
    if let old = oldOfMoved[new] { return old }
    guard let section = sections.oldIndex(of: new.section),
      let rank = (arriving[new.section] ?? []).rankOutside(new.item)
    else { return nil }
    return ItemPath(section: section, item: (leaving[section] ?? []).elementOutside(rank))
  }
}
