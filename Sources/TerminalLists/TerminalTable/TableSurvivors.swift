import DataSources

/// The positions of a table's lines after a change, and the nearest remaining lines for deleted ones.
///
/// It is computed from the change alone: no section and no row is searched, however long the list is.
struct TableSurvivors {
  let layout: TableLayout
  let changes: Changes
  private let numbering: ItemNumbering
  private let numberOfSections: Int

  init(_ layout: TableLayout, _ changes: Changes) {
    self.layout = layout
    self.changes = changes
    numbering = ItemNumbering(changes)
    numberOfSections =
      layout.content.numberOfSections + changes.deletedSections.count - changes.insertedSections.count
  }

  /// The new line of a line of the old list; nil if it was deleted or is folded away.
  func line(of old: TableLine) -> TableLine? {
    let line: TableLine? =
      switch old {
      case .header(let section): numbering.sections.newIndex(of: section).map { .header($0) }
      case .row(let path): numbering.newPath(of: path).map { .row($0) }
      case .footer(let section): numbering.sections.newIndex(of: section).map { .footer($0) }
      }
    return line.flatMap { layout.contains($0) ? $0 : nil }
  }

  /// The inserted line with the identity of a deleted one: differences of items that can't be compared replace rows.
  func line(comingWith identity: TableLineIdentity?) -> TableLine? {
    let content = layout.content
    let line: TableLine? =
      switch identity {
      case .row(let id)?: changes.insertedItems.first { content.itemID(at: $0) == id }.map { .row($0) }
      case .header(let id)?: changes.insertedSections.first { content.sectionID(at: $0) == id }.map { .header($0) }
      case .footer(let id)?: changes.insertedSections.first { content.sectionID(at: $0) == id }.map { .footer($0) }
      case nil: nil
      }
    return line.flatMap { layout.contains($0) ? $0 : nil }
  }

  /// The next remaining selectable line of the old list after a deleted one, or else the one before.
  func nearest(to old: TableLine) -> TableLine? {
    next(after: old) ?? previous(before: old)
  }

  private func next(after old: TableLine) -> TableLine? {
    switch old {
    case .row(let path): if let row = row(in: path.section, from: path.item + 1) { return row }
    case .header(let section): if let row = row(in: section, from: 0) { return row }
    case .footer: break
    }
    // The next section of the old list that remains.
    var section = old.section + 1
    while section < numberOfSections, numbering.sections.newIndex(of: section) == nil {
      if let row = row(in: section, from: 0) { return row }
      section += 1
    }
    guard section < numberOfSections, var new = numbering.sections.newIndex(of: section) else { return nil }
    // Continue in the order of the new list, from one section with rows to the next. It ends soon, because nearly every
    // one has rows that stayed.
    while let line = layout.selectable(fromSection: new) {
      if case .header = line, numbering.sections.oldIndex(of: line.section) != nil { return line }
      if let old = numbering.sections.oldIndex(of: line.section), let row = row(in: old, from: 0) { return row }
      new = line.section + 1
    }
    return nil
  }

  private func previous(before old: TableLine) -> TableLine? {
    switch old {
    case .row(let path): if let row = row(in: path.section, upTo: path.item - 1) { return row }
    case .footer(let section): if let row = row(in: section, upTo: .max) { return row }
    case .header: break
    }
    var section = old.section - 1
    while section >= 0, numbering.sections.newIndex(of: section) == nil {
      if let row = row(in: section, upTo: .max) { return row }
      section -= 1
    }
    guard section >= 0, var new = numbering.sections.newIndex(of: section) else { return nil }
    while let line = layout.selectable(upToSection: new) {
      if case .header = line, numbering.sections.oldIndex(of: line.section) != nil { return line }
      if let old = numbering.sections.oldIndex(of: line.section), let row = row(in: old, upTo: .max) { return row }
      new = line.section - 1
    }
    return nil
  }

  /// The new line of the first remaining row, or folded section, of an old section, from an item on.
  private func row(in section: Int, from item: Int) -> TableLine? {
    let gone = items(changes.deletedItems, section)
    if numbering.sections.newIndex(of: section) == nil {
      // Nothing is left of a deleted section, or it has moved elsewhere.
      let left = numbering.leaving[section] ?? []
      return left[left.partitioningIndex { $0 >= item }...].lazy.compactMap { selectable(section, $0) }.first
    }
    var item = item
    for path in gone[gone.partitioningIndex { $0.item >= item }...] where path.item == item { item += 1 }
    guard item < numberOfOldRows(section) else { return nil }
    return selectable(section, item)
  }

  /// The new line of the last remaining row, or folded section, of an old section, up to an item.
  private func row(in section: Int, upTo item: Int) -> TableLine? {
    let gone = items(changes.deletedItems, section)
    if numbering.sections.newIndex(of: section) == nil {
      let left = numbering.leaving[section] ?? []
      return left[..<left.partitioningIndex { $0 > item }].reversed().lazy.compactMap { selectable(section, $0) }.first
    }
    var item = min(item, numberOfOldRows(section) - 1)
    for path in gone[..<gone.partitioningIndex { $0.item > item }].reversed() where path.item == item { item -= 1 }
    return item < 0 ? nil : selectable(section, item)
  }

  private func selectable(_ section: Int, _ item: Int) -> TableLine? {
    guard let new = numbering.newPath(of: ItemPath(section: section, item: item)) else { return nil }
    return layout.isFolded(new.section) ? .header(new.section) : .row(new)
  }

  private func numberOfOldRows(_ section: Int) -> Int {
    guard let new = numbering.sections.newIndex(of: section) else { return 0 }
    let came = numbering.arriving[new]?.count ?? 0
    let went = numbering.leaving[section]?.count ?? 0
    return layout.content.numberOfItems(inSection: new) - came + went
  }

  /// Those of some ascending paths that are in a section.
  private func items(_ paths: [ItemPath], _ section: Int) -> ArraySlice<ItemPath> {
    paths[paths.partitioningIndex { $0.section >= section }..<paths.partitioningIndex { $0.section > section }]
  }
}
