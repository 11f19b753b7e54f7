import DataSources

/// The change of a list in which one row was read again: enough to know the difference without comparing lists.
///
/// Most commits change one row, and comparing would take longer than everything else.
struct SingleChange {
  /// The row's old path, if it was in the list.
  var old: ItemPath?
  /// Its new path, if it is in the list. Since it is removed first, this is its place in the new list.
  var new: ItemPath?
  /// The section that was deleted with it, by its old index.
  var deletedSection: Int?
  /// The section that was inserted with it, by its new index.
  var insertedSection: Int?
  /// Whether its content has changed.
  var isUpdated = false
  /// The sections that have other names, by their new indices.
  var renamedSections: [Int] = []
  /// Whether more has changed, so that the lists must be compared after all.
  var isUnclear = false

  /// The difference; nil if the lists must be compared.
  var changes: Changes? {
    // A section that is deleted and inserted may be the same one, which has moved.
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
