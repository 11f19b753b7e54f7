import DataSources

/// The paths of a difference as a delegate receives them: moved sections are replaced, and rows are left out if they
/// are inserted or deleted with their section.
struct DelegatePlaces {
  private(set) var deletedSections: [Int]
  private(set) var insertedSections: [Int]
  private(set) var updatedSections: [SectionMove]
  private(set) var deletedItems: [ItemPath] = []
  private(set) var insertedItems: [ItemPath] = []
  private(set) var movedItems: [ItemMove] = []
  private(set) var updatedItems: [ItemMove] = []

  var count: Int {
    deletedSections.count + insertedSections.count + updatedSections.count + deletedItems.count + insertedItems.count
      + movedItems.count + updatedItems.count
  }

  init(_ changes: Changes) {
    deletedSections = changes.deletedSections + changes.movedSections.map(\.from)
    insertedSections = changes.insertedSections + changes.movedSections.map(\.to)
    let moved = Set(changes.movedSections)
    updatedSections = changes.updatedSections.filter { !moved.contains($0) }
    takeRows(of: changes)
    if !updatedSections.isEmpty {
      let replaced = updatedSections.filter(touchesRows())
      if !replaced.isEmpty {
        // A row that these share with another section is reported there too, so no further section is touched by it.
        updatedSections.removeAll(where: Set(replaced).contains)
        deletedSections += replaced.map(\.from)
        insertedSections += replaced.map(\.to)
        takeRows(of: changes)
      }
    }
    deletedSections.sort()
    insertedSections.sort()
  }

  /// Collects the rows of a difference, except those inserted or deleted with the sections collected so far.
  private mutating func takeRows(of changes: Changes) {
    let gone = Set(deletedSections)
    let come = Set(insertedSections)
    deletedItems = changes.deletedItems.filter { !gone.contains($0.section) }
    insertedItems = changes.insertedItems.filter { !come.contains($0.section) }
    movedItems = []
    for move in changes.movedItems {
      switch (gone.contains(move.from.section), come.contains(move.to.section)) {
      case (true, true): break
      case (true, false): insertedItems.append(move.to)
      case (false, true): deletedItems.append(move.from)
      case (false, false): movedItems.append(move)
      }
    }
    deletedItems.sort()
    insertedItems.sort()
    let moved = Set(changes.movedItems)
    updatedItems = changes.updatedItems.filter { !gone.contains($0.from.section) && !moved.contains($0) }
  }

  /// Whether a reported row leaves or enters a section.
  private func touchesRows() -> (SectionMove) -> Bool {
    let from = Set((deletedItems + movedItems.map(\.from) + updatedItems.map(\.from)).map(\.section))
    let to = Set((insertedItems + movedItems.map(\.to)).map(\.section))
    return { from.contains($0.from) || to.contains($0.to) }
  }
}
