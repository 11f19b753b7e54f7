extension Update {
  /// The stages of ``Changes/batches()``, each with the list before and after it, from `old` to `new`.
  ///
  /// A list view that gets the stages in order, and shows each stage's `new` inside the batch, never asks for a row
  /// that doesn't exist. Between stages, inserted rows show their new content, and rows that stay show the old one
  /// until the stage that updates them.
  ///
  /// Complexity: O(k log n) for k changes.
  public func batches() -> [Update] {
    let stages = changes.batches()
    var updates: [Update] = []
    var current = old
    for (index, stage) in stages.enumerated() {
      // Insertions of a stage are places of `new`: whichever stage has them leaves the list in the new numbering.
      let next =
        index == stages.count - 1
        ? new
        : current.performing(
          stage, insertedSections: stage.insertedSections.map { new[$0] },
          updatedSections: stage.updatedSections.map { new[$0.to] },
          insertedItems: stage.insertedItems.map { new[$0] }, updatedItems: stage.updatedItems.map { new[$0.to] })
      updates.append(Update(old: current, new: next, changes: stage))
      current = next
    }
    return updates
  }
}
