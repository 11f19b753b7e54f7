public import DataSources

/// What was on the screen when a change began.
struct TableMemory {
  /// The visible lines, in order.
  var seen: [TableLine]
  /// The selected line.
  var selection: (line: TableLine, identity: TableLineIdentity?)?
  var isAtBeginning: Bool
  var isSelectionSeen: Bool
}

extension TerminalTable {
  /// Records what is on the screen, to find it again afterwards.
  public func updateWillBegin() {
    guard let layout else { return }
    let lines = visibleLines()
    memory = TableMemory(
      seen: lines, selection: selection, isAtBeginning: lines.first == layout.first,
      isSelectionSeen: selection.map { lines.contains($0.line) } ?? false)
  }

  /// Switches the content to the next stage. Nothing is drawn before the last one.
  public func performBatch(_ stage: Changes, switchingContent: () -> Void) { switchingContent() }

  /// Draws the changes, with the same row selected and the same lines visible if they still exist.
  ///
  /// If the selected row was deleted, the next remaining one is selected, or the one before, however many were deleted
  /// with it.
  ///
  /// Complexity: O(k log k) for k changes, however long the list.
  public func updateDidEnd(_ changes: Changes) {
    if let content { folded.follow(changes, foldedSections, in: content) }
    guard let layout, let memory else { return displayIfAutomatic() }
    self.memory = nil
    let survivors = TableSurvivors(layout, changes)
    restoreSelection(memory, survivors)
    restoreTop(memory, survivors)
    isRevealing = memory.isSelectionSeen
    highlight(changes, layout)
    displayIfAutomatic()
  }

  private func restoreSelection(_ memory: TableMemory, _ survivors: TableSurvivors) {
    guard let (old, identity) = memory.selection else { return }
    let layout = survivors.layout
    let same = survivors.line(of: old) ?? survivors.line(comingWith: identity)
    let line = same.flatMap { layout.isSelectable($0) ? $0 : nil } ?? survivors.nearest(to: old)
    selection = line.map { ($0, layout.identity(of: $0)) }
  }

  private func restoreTop(_ memory: TableMemory, _ survivors: TableSurvivors) {
    // A user who looks at the beginning sees rows that are inserted before it.
    guard !memory.isAtBeginning else { return top = nil }
    for (offset, old) in memory.seen.enumerated() {
      guard let line = survivors.line(of: old) else { continue }
      return top = survivors.layout.line(line, offsetBy: -offset)
    }
  }

  private func highlight(_ changes: Changes, _ layout: TableLayout) {
    guard let highlightDuration else { return }
    let end = now().advanced(by: highlightDuration)
    for line in visibleLines() {
      guard case .row(let path) = line, changes.touches(path), let id = layout.content.itemID(at: path) else {
        continue
      }
      highlights.add(id, until: end)
    }
  }
}

extension Changes {
  /// Whether the row at a path of the new list was inserted, moved or updated.
  ///
  /// Complexity: O(log k).
  fileprivate func touches(_ path: ItemPath) -> Bool {
    let index = insertedItems.partitioningIndex { $0 >= path }
    if index < insertedItems.count, insertedItems[index] == path { return true }
    return [movedItems, updatedItems].contains { moves in
      let index = moves.partitioningIndex { $0.to >= path }
      return index < moves.count && moves[index].to == path
    }
  }
}
