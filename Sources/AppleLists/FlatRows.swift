package import DataSources

/// The rows of a table that has no sections: those of each section, below a row for its header if there are such rows.
package struct FlatRows {
  let content: any ListContent
  let hasHeaders: Bool

  package init(_ content: any ListContent, hasHeaders: Bool) {
    (self.content, self.hasHeaders) = (content, hasHeaders)
  }

  /// The number of rows.
  package var count: Int { start(ofSection: content.numberOfSections) }

  /// The rows of a section, the header included.
  package func rows(ofSection section: Int) -> Range<Int> {
    start(ofSection: section)..<start(ofSection: section + 1)
  }

  /// The row of a path.
  package func row(of path: ItemPath) -> Int {
    start(ofSection: path.section) + (hasHeaders ? 1 : 0) + path.item
  }

  /// What a row shows: a section's header, or an item of it. Nil for a row that does not exist.
  ///
  /// Complexity: O(log n) steps of O(log n).
  package func place(at row: Int) -> (section: Int, item: Int?)? {
    guard row >= 0, row < count else { return nil }
    guard hasHeaders else { return content.path(atOffset: row).map { ($0.section, $0.item) } }
    let section = (0..<content.numberOfSections).partitioningIndex { start(ofSection: $0) > row } - 1
    let item = row - start(ofSection: section) - 1
    return (section, item < 0 ? nil : item)
  }

  private func start(ofSection section: Int) -> Int {
    content.offset(ofSection: section) + (hasHeaders ? section : 0)
  }
}

/// The steps that turn the rows of a table without sections into those after a stage, one after the other.
package struct RowSteps {
  /// Rows to remove, ascending and all at once: rows before the stage.
  package private(set) var removed: [Int] = []
  /// Rows to move, one by one: each step sees the rows after the one before it.
  package private(set) var moved: [(from: Int, to: Int)] = []
  /// Rows to insert, ascending and all at once: rows after the stage.
  package private(set) var inserted: [Int] = []
  /// Rows whose content differs: rows after the stage.
  package private(set) var updated: [Int] = []

  /// The steps of a stage. A section that moves is removed and inserted, and so are rows that move, if there are more
  /// than `mostMoves`: each move of k takes O(k).
  package init(_ stage: Changes, of rows: FlatRows, mostMoves: Int = 500, switchingContent: () -> Void) {
    removed = stage.deletedItems.map(rows.row(of:))
    for section in stage.deletedSections + stage.movedSections.map(\.from) { removed += rows.rows(ofSection: section) }
    let sources = stage.movedItems.map { rows.row(of: $0.from) }
    switchingContent()
    inserted = stage.insertedItems.map(rows.row(of:))
    for section in stage.insertedSections + stage.movedSections.map(\.to) { inserted += rows.rows(ofSection: section) }
    let targets = stage.movedItems.map { rows.row(of: $0.to) }
    updated = stage.updatedItems.map { rows.row(of: $0.to) }
    if rows.hasHeaders { updated += stage.updatedSections.map { rows.rows(ofSection: $0.to).lowerBound } }
    if sources.count > mostMoves {
      removed += sources
      inserted += targets
    }
    removed.sort()
    inserted.sort()
    if sources.count <= mostMoves { move(sources, to: targets) }
  }

  /// Moves rows from the lowest target to the highest, so that above each target the list is complete already, except
  /// for the rows that are still to move away from there.
  private mutating func move(_ sources: [Int], to targets: [Int]) {
    // The rows between the removals and the insertions.
    var moves = zip(sources, targets).map { source, target in
      (
        from: source - removed.partitioningIndex { $0 >= source },
        to: target - inserted.partitioningIndex { $0 >= target }
      )
    }
    moves.sort { $0.to < $1.to }
    // How many rows that stay are above the old and the new place of each row that moves.
    let above = moves.map { move in move.from - moves.count { $0.from < move.from } }
    let aboveTarget = moves.enumerated().map { $1.to - $0 }
    for (index, move) in moves.enumerated() {
      let later = moves.indices[(index + 1)...]
      let from =
        above[index] + later.count { moves[$0].from < move.from }
        + (0..<index).count { aboveTarget[$0] <= above[index] }
      let to = move.to + later.count { above[$0] < aboveTarget[index] }
      if from != to { moved.append((from, to)) }
    }
  }
}
