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

/// The new indices of the old list's sections, and the reverse, from a difference alone.
///
/// Sections that are neither deleted nor moved keep their order, and fill the places that are neither inserted nor
/// moved to.
package struct SectionNumbering {
  private let leaving: [Int]
  private let arriving: [Int]
  private let newOfMoved: [Int: Int]
  private let oldOfMoved: [Int: Int]

  package init(_ changes: Changes) {
    leaving = (changes.deletedSections + changes.movedSections.map(\.from)).sorted()
    arriving = (changes.insertedSections + changes.movedSections.map(\.to)).sorted()
    newOfMoved = Dictionary(changes.movedSections.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
    oldOfMoved = Dictionary(changes.movedSections.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
  }

  /// The index in the new list of a section of the old one; nil if it is deleted.
  package func newIndex(of old: Int) -> Int? {
    if let new = newOfMoved[old] { return new }
    guard let rank = leaving.rankOutside(old) else { return nil }
    return arriving.elementOutside(rank)
  }

  /// The index in the old list of a section of the new one; nil if it is inserted.
  package func oldIndex(of new: Int) -> Int? {
    if let old = oldOfMoved[new] { return old }
    guard let rank = arriving.rankOutside(new) else { return nil }
    return leaving.elementOutside(rank)
  }
}
