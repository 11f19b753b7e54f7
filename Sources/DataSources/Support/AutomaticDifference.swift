/// Differences between lists whose items are only known to be `Sendable` at compile time.
///
/// A source finds out here what its items support.
enum AutomaticDifference<Item: Sendable> {
  /// The exact difference; nil if items are not both identifiable and equatable, or if they are objects: an object that
  /// changed is the same in both lists.
  static var exact: (@Sendable (_ old: Snapshot<Item>, _ new: Snapshot<Item>) -> Changes)? {
    guard !ItemTraits.areObjects(Item.self), Snapshot<Item>.self is any ExactlyComparable.Type else { return nil }
    return { old, new in (new as? any ExactlyComparable)?.exactChanges(from: old) ?? Changes() }
  }

  /// A difference between any two lists, as exact as the items allow.
  ///
  /// Sections are paired by their ids. Rows are paired by id, and reported as updated if they differ or can't be
  /// compared. Rows without an id are paired by their value, if they are hashable. If they are only equatable, equal
  /// rows at both ends of a section stay, and those in between are replaced. Otherwise all rows are replaced.
  static func changes(from old: Snapshot<Item>, to new: Snapshot<Item>) -> Changes {
    if old.isIdentical(to: new) { return Changes() }
    if let new = new as? any ExactlyComparable { return new.exactChanges(from: old) }
    if let new = new as? any Identified { return new.changesOfIdentified(from: old) }
    if let new = new as? any HashableRows { return new.changesOfHashable(from: old) }
    if let new = new as? any EquatableRows { return new.changesOfEquatable(from: old) }
    return new.replacement(of: old) { _, _ in false }
  }
}

// What a snapshot supports depends on its item; a conditional conformance makes that known at run time.

private protocol ExactlyComparable { func exactChanges(from old: Any) -> Changes }
private protocol Identified { func changesOfIdentified(from old: Any) -> Changes }
private protocol HashableRows { func changesOfHashable(from old: Any) -> Changes }
private protocol EquatableRows { func changesOfEquatable(from old: Any) -> Changes }

extension Snapshot: ExactlyComparable where Item: Identifiable & Equatable {
  func exactChanges(from old: Any) -> Changes { (old as? Snapshot).map { changes(from: $0) } ?? Changes() }
}

extension Snapshot: Identified where Item: Identifiable {
  func changesOfIdentified(from old: Any) -> Changes {
    (old as? Snapshot).map { changes(from: $0) { _, _ in false } } ?? Changes()
  }
}

extension Snapshot: HashableRows where Item: Hashable {
  func changesOfHashable(from old: Any) -> Changes {
    (old as? Snapshot).map { changes(from: $0, identifiedBy: { $0 }, by: { _, _ in true }) } ?? Changes()
  }
}

extension Snapshot: EquatableRows where Item: Equatable {
  func changesOfEquatable(from old: Any) -> Changes {
    (old as? Snapshot).map { old in
      replacement(of: old) { first, second in
        withUnsafePointer(to: first) { first in withUnsafePointer(to: second) { haveSameContent(first, $0) } }
      }
    } ?? Changes()
  }
}

extension Snapshot {
  /// The difference that keeps the rows at both ends of each section as long as they are equal, and replaces all
  /// others.
  fileprivate func replacement(of old: Snapshot, _ areSame: (Item, Item) -> Bool) -> Changes {
    // The sections alone, without rows: their part of the difference is exact.
    var changes = titlesOnly.changes(from: old.titlesOnly, identifiedBy: { _ in 0 }, by: { _, _ in true })
    let numbering = SectionNumbering(changes)
    for (index, section) in old.enumerated() where numbering.newIndex(of: index) == nil {
      changes.deletedItems += section.items.indices.map { ItemPath(section: index, item: $0) }
    }
    for (index, section) in enumerated() {
      guard let oldIndex = numbering.oldIndex(of: index) else {
        changes.insertedItems += section.items.indices.map { ItemPath(section: index, item: $0) }
        continue
      }
      let (before, after) = (old[oldIndex].items, section.items)
      let prefix = zip(before, after).prefix { areSame($0, $1) }.count
      let rest = zip(before.dropFirst(prefix).reversed(), after.dropFirst(prefix).reversed())
      let suffix = rest.prefix { areSame($0, $1) }.count
      changes.deletedItems += (prefix..<before.count - suffix).map { ItemPath(section: oldIndex, item: $0) }
      changes.insertedItems += (prefix..<after.count - suffix).map { ItemPath(section: index, item: $0) }
    }
    changes.deletedItems.sort()
    return changes
  }

  private var titlesOnly: Snapshot<NoRow> {
    Snapshot<NoRow>(
      map { section in
        Section<NoRow>(
          id: section.id, name: section.name, indexTitle: section.indexTitle, header: section.header,
          footer: section.footer, items: [])
      })
  }
}

/// The row type of a list without rows.
private struct NoRow: Sendable {}
