extension Snapshot {
  /// This list after a patch.
  ///
  /// A patch that does not fit is an error that says why, and never stops the program: it may come from an unknown
  /// source. So is one that inserts a section that exists already. A patch whose numbers fit is applied; the two ends
  /// must ensure that this is the list that the other end meant. The result shares memory with this list, so
  /// `changes(from:)` is fast between them.
  ///
  /// Complexity: O(k log n) for k changes, and O(number of sections) if sections are inserted.
  public func applying(_ patch: Patch<Item>) throws -> Snapshot {
    let changes = patch.changes
    if patch.numberOfSections != count {
      throw PatchError("it is for \(patch.numberOfSections) sections, the list has \(count)")
    }
    if patch.numberOfItems != numberOfItems {
      throw PatchError("it is for \(patch.numberOfItems) rows, the list has \(numberOfItems)")
    }
    for (part, expected, found) in [
      ("insertedSections", changes.insertedSections.count, patch.insertedSections.count),
      ("updatedSections", changes.updatedSections.count, patch.updatedSections.count),
      ("insertedItems", changes.insertedItems.count, patch.insertedItems.count),
      ("updatedItems", changes.updatedItems.count, patch.updatedItems.count),
    ] where expected != found {
      throw PatchError("\(part) should hold \(expected), but holds \(found)")
    }
    var check = PatchCheck(changes: changes, numberOfSections: count)
    try check.checkSections()
    try check.checkItems { self[$0].items.count }
    for (update, section) in zip(changes.updatedSections, patch.updatedSections)
    where self[update.from].id != section.id {
      throw PatchError("\(update) pairs two different sections")
    }
    try checkInsertedSections(patch)
    return performing(
      changes, insertedSections: patch.insertedSections.map(\.withoutItems), updatedSections: patch.updatedSections,
      insertedItems: patch.insertedItems, updatedItems: patch.updatedItems)
  }

  private func checkInsertedSections(_ patch: Patch<Item>) throws {
    if patch.insertedSections.isEmpty { return }
    let deleted = Set(patch.changes.deletedSections)
    var ids: Set<SectionID> = []
    for (index, section) in enumerated() where !deleted.contains(index) { ids.insert(section.id) }
    for section in patch.insertedSections where !ids.insert(section.id).inserted {
      throw PatchError("it inserts a section \(section.id), which the list has already")
    }
  }

  /// This list after changes that fit, whose content is given in the order of the changes. Either the changes list the
  /// rows of an inserted section, or the section contains them.
  func performing(
    _ changes: Changes, insertedSections: [Section<Item>], updatedSections: [Section<Item>], insertedItems: [Item],
    updatedItems: [Item]
  ) -> Snapshot {
    var result = self
    var arrivals = Array(zip(changes.insertedItems, insertedItems))
    var departures = changes.deletedItems
    for move in changes.movedItems {
      arrivals.append((move.to, self[move.from]))
      departures.append(move.from)
    }
    let deleted = Set(changes.deletedSections)
    for path in departures.sorted().reversed() where !deleted.contains(path.section) { result.remove(at: path) }

    for (update, section) in zip(changes.updatedSections, updatedSections) {
      result.replaceSection(at: update.from, with: result[update.from].named(as: section))
    }
    var sections = Array(zip(changes.insertedSections, insertedSections))
    for move in changes.movedSections { sections.append((move.to, result[move.from])) }
    for index in (changes.deletedSections + changes.movedSections.map(\.from)).sorted().reversed() {
      result.removeSection(at: index)
    }
    for (index, section) in sections.sorted(by: { $0.0 < $1.0 }) { result.insertSection(section, at: index) }

    arrivals.sort { $0.0 < $1.0 }
    var rest = arrivals[...]
    while let first = rest.first {
      let group = rest.prefix { $0.0.section == first.0.section }
      rest.removeFirst(group.count)
      result.updateSection(at: first.0.section) { section in
        if section.items.isEmpty {
          section.rows = Section.Items(group.lazy.map(\.1))
        } else {
          for (path, item) in group { section.insert(item, at: path.item) }
        }
      }
    }
    for (update, item) in zip(changes.updatedItems, updatedItems) { result.replace(at: update.to, with: item) }
    return result
  }
}
