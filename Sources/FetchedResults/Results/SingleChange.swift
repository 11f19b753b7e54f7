import DataSources

/// What became of the list where one row was read again: enough to say the difference without comparing any lists.
///
/// One row is what most commits change, and comparing would take longer than all the rest.
struct SingleChange {
  /// Where the row was, if it was.
  var old: ItemPath?
  /// Where it is now, if it is. While it is taken out first, that is its place in the new list.
  var new: ItemPath?
  /// The section that went with it, by its old place.
  var deletedSection: Int?
  /// The section that came with it, by its new place.
  var insertedSection: Int?
  /// Whether its content is another one.
  var isUpdated = false
  /// The sections that have other names, by their new places.
  var renamedSections: [Int] = []
  /// Whether there is more to it, so that the lists have to be compared after all.
  var isUnclear = false

  /// The difference; nil where the lists have to be compared.
  var changes: Changes? {
    // A section that goes and comes again may be the same one, which has moved.
    if isUnclear || deletedSection != nil && insertedSection != nil { return nil }
    var changes = Changes()
    if let deletedSection { changes.deletedSections = [deletedSection] }
    if let insertedSection { changes.insertedSections = [insertedSection] }
    if !renamedSections.isEmpty {
      changes.updatedSections = Set(renamedSections).sorted().map { SectionMove(from: oldPlace(of: $0), to: $0) }
    }
    switch (old, new) {
    case (let old?, nil): changes.deletedItems = [old]
    case (nil, let new?): changes.insertedItems = [new]
    case (let old?, let new?):
      let move = ItemMove(from: old, to: new)
      let isInPlace = deletedSection == nil && insertedSection == nil && old == new
      if !isInPlace { changes.movedItems = [move] }
      if isUpdated { changes.updatedItems = [move] }
    case (nil, nil): break
    }
    return changes
  }

  private func oldPlace(of section: Int) -> Int {
    var place = section
    if let insertedSection, place > insertedSection { place -= 1 }
    if let deletedSection, place >= deletedSection { place += 1 }
    return place
  }
}
