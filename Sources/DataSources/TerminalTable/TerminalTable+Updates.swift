/// What was on the screen when a change began.
struct TableMemory {
  /// The lines that were seen, in order.
  var seen: [TableLine]
  /// The selected line.
  var selection: (line: TableLine, identity: TableLineIdentity?)?
  var isAtBeginning: Bool
  var isSelectionSeen: Bool
}

extension TerminalTable {
  /// Takes down what is on the screen, so as to find it again afterwards.
  public func updateWillBegin() {
    guard let layout else { return }
    let lines = visibleLines()
    memory = TableMemory(
      seen: lines, selection: selection, isAtBeginning: lines.first == layout.first,
      isSelectionSeen: selection.map { lines.contains($0.line) } ?? false)
  }

  /// Lets the content go on to the next stage. Nothing is drawn before the last one.
  public func performBatch(_ stage: Changes, switchingContent: () -> Void) { switchingContent() }

  /// Draws what changed, with the same row selected and the same lines in sight as far as they are still there.
  ///
  /// Where the selected row is gone, the next one that is left is selected, or the one before, however many went with it.
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
    // Who looks at the beginning sees what comes before it.
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
  /// Whether the row at a path of the new list came, moved or changed.
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
