extension Changes {
  /// Splits the difference into stages, each of which a table or collection view accepts as one batch.
  ///
  /// ```swift
  /// for stage in update.changes.batches() { print(stage.deletedItems, stage.insertedItems, stage.movedItems) }
  /// ```
  ///
  /// In each stage, deletions, updates and the sources of moves are places of the list before the stage; insertions and
  /// the targets of moves are places of the list after it. An inserted section contains the rows that it has in the new
  /// list, and a deleted one the rows that it still has; these rows are not listed. A row that moves from a deleted
  /// section to one that stays is an insertion; one that moves from a section that stays to an inserted one is a
  /// deletion. Nothing is listed inside a section that is inserted, deleted, moved or updated in the same stage, and no
  /// stage has both moves and updates. Most differences are one stage; an empty one has none.
  ///
  /// The stages, if they are needed, are:
  /// 1. deletions of rows that leave a moved section for an inserted one;
  /// 2. sections, and the rows too unless some of them are in moved sections;
  /// 3. the rows, if not in 2;
  /// 4. updates of rows, if there were moves just before;
  /// 5. updates of sections, if rows inside them were changed just before.
  ///
  /// ``Update/batches()`` also gives the lists between the stages.
  ///
  /// Complexity: O(k log k) for k changes, however long the list.
  public func batches() -> [Changes] {
    if isEmpty { return [] }
    let staging = Staging(self)
    var stages = staging.isTouchingMovedSections ? staging.rowsAfterSections() : [staging.rowsWithSections()]
    var last = stages.removeLast()
    if last.movesNothing {
      last.updatedItems = staging.isTouchingMovedSections ? staging.updatesAfterSections() : staging.updates
    } else {
      stages.append(last)
      last = Changes(updatedItems: staging.updates.map { ItemMove(from: $0.to, to: $0.to) })
    }
    // Only a stage that changes sections has two numberings of them; after it, there is only the new one.
    let inPlace = updatedSections.map { SectionMove(from: $0.to, to: $0.to) }
    let sections = last.deletedSections.isEmpty && last.insertedSections.isEmpty ? inPlace : updatedSections
    if last.touchesNoRow(in: sections) {
      last.updatedSections = sections
      stages.append(last)
    } else {
      stages += [last, Changes(updatedSections: inPlace)]
    }
    return stages.filter { !$0.isEmpty }
  }

  private var movesNothing: Bool { movedSections.isEmpty && movedItems.isEmpty }

  /// Whether no row operation is in any of these sections. Called only for stages without moves.
  private func touchesNoRow(in sections: [SectionMove]) -> Bool {
    if sections.isEmpty { return true }
    let from = Set(sections.map(\.from))
    let to = Set(sections.map(\.to))
    return !deletedItems.contains { from.contains($0.section) }
      && !updatedItems.contains { from.contains($0.from.section) }
      && !insertedItems.contains { to.contains($0.section) }
  }
}

/// The rows of a difference that a list view needs: only those in sections that stay.
private struct Staging {
  let changes: Changes
  /// Rows that are deleted.
  var deletions: [ItemPath] = []
  /// Rows that move to an inserted section, which contains them.
  var departures: [ItemPath] = []
  var insertions: [ItemPath] = []
  var moves: [ItemMove] = []
  var updates: [ItemMove] = []
  var isTouchingMovedSections = false
  private let movedFrom: Set<Int>

  init(_ changes: Changes) {
    self.changes = changes
    let deleted = Set(changes.deletedSections)
    let inserted = Set(changes.insertedSections)
    movedFrom = Set(changes.movedSections.map(\.from))
    let movedTo = Set(changes.movedSections.map(\.to))
    deletions = changes.deletedItems.filter { !deleted.contains($0.section) }
    insertions = changes.insertedItems.filter { !inserted.contains($0.section) }
    for move in changes.movedItems {
      switch (deleted.contains(move.from.section), inserted.contains(move.to.section)) {
      case (true, true): break
      case (true, false): insertions.append(move.to)
      case (false, true): departures.append(move.from)
      case (false, false): moves.append(move)
      }
    }
    departures.sort()
    insertions.sort()
    updates = changes.updatedItems.filter {
      !deleted.contains($0.from.section) && !inserted.contains($0.to.section)
    }
    if !movedFrom.isEmpty {
      isTouchingMovedSections =
        deletions.contains { [movedFrom] in movedFrom.contains($0.section) }
        || departures.contains { [movedFrom] in movedFrom.contains($0.section) }
        || insertions.contains { movedTo.contains($0.section) }
        || moves.contains { [movedFrom] in movedFrom.contains($0.from.section) || movedTo.contains($0.to.section) }
    }
  }

  func rowsWithSections() -> Changes {
    Changes(
      deletedSections: changes.deletedSections, insertedSections: changes.insertedSections,
      movedSections: changes.movedSections, deletedItems: (deletions + departures).sorted(),
      insertedItems: insertions, movedItems: moves)
  }

  func rowsAfterSections() -> [Changes] {
    let renumbering = Renumbering(changes, gone: departures)
    return [
      Changes(deletedItems: departures.filter { movedFrom.contains($0.section) }),
      Changes(
        deletedSections: changes.deletedSections, insertedSections: changes.insertedSections,
        movedSections: changes.movedSections, deletedItems: departures.filter { !movedFrom.contains($0.section) }),
      Changes(
        deletedItems: deletions.map(renumbering.path).sorted(), insertedItems: insertions,
        movedItems: moves.map { ItemMove(from: renumbering.path($0.from), to: $0.to) }),
    ]
  }

  func updatesAfterSections() -> [ItemMove] {
    let renumbering = Renumbering(changes, gone: departures)
    return updates.map { ItemMove(from: renumbering.path($0.from), to: $0.to) }
  }
}

/// The positions of the old list's rows after the sections have changed and some rows have been deleted, but nothing
/// else.
private struct Renumbering {
  let sections: SectionNumbering
  let gone: [ItemPath]

  init(_ changes: Changes, gone: [ItemPath]) {
    sections = SectionNumbering(changes)
    self.gone = gone
  }

  func path(_ old: ItemPath) -> ItemPath {
    let before = gone.partitioningIndex { $0 >= old } - gone.partitioningIndex { $0.section >= old.section }
    return ItemPath(section: sections.newIndex(of: old.section) ?? old.section, item: old.item - before)
  }
}
