import DataSources

// What a change of a few rows records while it edits the list, so that the difference is known without comparing two
// lists (`SingleChange` and `SeveralChanges` make it from that), and so that the change can be undone after an error.

extension ResultList {
  /// Remembers the contents of the ids that may change, if rows can't be compared. It goes by ids and not by slots,
  /// because an id may belong to another row afterwards: one that replaces the old row, or one with which it is
  /// exchanged.
  func noteOldContents(_ plan: Plan, _ old: [OldRow], _ edits: Edits) {
    if storage.canCompare { return }
    if plan.count == 1, !isWindowed, let (slot, row) = (plan.staying + plan.moving).first {
      edits.isOnlyRowUpdated = fingerprints[Int(slot)] != edits.batch.fingerprints[row]
      return
    }
    for (place, slot, _) in old {
      guard let path = path(ofPlace: place) else { continue }
      storage.remember(path, fingerprints[Int(slot)])
    }
  }

  /// Finds the ids whose content has changed, after all edits. Of a window, only the rows count that are shown: outside
  /// it an id may occur again, and a row that enters may have the id of one that leaves.
  func noteChangedIDs(_ plan: Plan, _ edits: Edits) {
    if storage.canCompare { return }
    if isWindowed {
      for (slot, row) in edits.shown { if let row { storage.mark(row, fingerprints[Int(slot)]) } }
      return
    }
    for (_, row) in plan.staying + plan.moving + plan.arriving {
      if let isUpdated = edits.isOnlyRowUpdated {
        if isUpdated { storage.mark(row, nil) }
      } else {
        storage.mark(row, edits.batch.fingerprints[row])
      }
    }
  }

  /// Checks whether the single row that moves has other content, while it is in its old place.
  func noteContent(_ slot: UInt32, _ row: Int, _ edits: Edits, at place: Int) {
    guard let path = path(ofPlace: place) else { return }
    let isSame = storage.isSame(path, row)
    if !isSame.id { single?.isUnclear = true }
    single?.isUpdated =
      !storage.canCompare ? fingerprints[Int(slot)] != edits.batch.fingerprints[row] : !isSame.content
  }

  /// Whether so few rows of the list change that looking at each takes less time than comparing two snapshots. A
  /// comparison looks at some hundred rows for each changed row, and at all rows at most.
  func isFew(_ count: Int) -> Bool { count <= max(16, slots.count / 64) }

  /// Records the old paths of several rows, while they are in their old places.
  func noteOldPaths(_ removals: [OldRow], _ plan: Plan, _ edits: Edits) {
    if several == nil { return }
    var leaving: [ItemPath] = []
    for (place, slot, row) in removals {
      guard let (path, count) = storage.path(place) else { return several = nil }
      several?.oldCounts[path.section] = count
      guard let row else {
        leaving.append(path)
        several?.rows.append(.init(kind: .leaves, slot: slot, old: path))
        continue
      }
      let isSame = storage.isSame(path, row)
      guard isSame.id else { return several = nil }
      let isUpdated =
        storage.canCompare ? !isSame.content : fingerprints[Int(slot)] != edits.batch.fingerprints[row]
      several?.rows.append(.init(kind: .moves, slot: slot, old: path, isUpdated: isUpdated))
    }
    // A row with another key but the id of one that leaves is that row, for those who see the list.
    if !leaving.isEmpty, !plan.arriving.isEmpty, storage.shareIDs(leaving, plan.arriving.map(\.row)) {
      return several = nil
    }
    for (slot, _) in plan.arriving { several?.rows.append(.init(kind: .arrives, slot: slot)) }
  }

  /// Records the new paths of several rows, after all edits.
  func noteNewPaths() {
    guard var changes = several else { return }
    several = nil
    for index in changes.rows.indices where changes.rows[index].kind != .leaves {
      guard let path = path(ofPlace: slots.place(of: changes.rows[index].slot)) else { return }
      changes.rows[index].new = path
    }
    several = changes
  }

  // MARK: Undoing

  /// Called after an error interrupted a change. The list can't be used any more, but this restores the contents of the
  /// published rows, so that the next list can be compared with it.
  func restoreContents() {
    guard let before else { return }
    for (slot, content) in before.fingerprints.reversed() { fingerprints[Int(slot)] = content }
    for edit in before.edits.reversed() {
      if edit.isInsertion { slots.remove(at: edit.place) } else { slots.insert(edit.slot, at: edit.place) }
    }
    shown = before.shown
    storage.undoChange()
    endChange()
  }

  /// The change has been published, so nothing has to be undone any more.
  func endChange() {
    if before == nil { return }
    before = nil
    storage.endChange()
  }
}
