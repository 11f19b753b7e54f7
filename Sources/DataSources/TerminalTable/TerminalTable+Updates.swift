/// What was on the screen when a change began, as things that may be found again.
struct TableMemory {
  /// The lines that were seen, in order.
  var seen: [TableLineIdentity?]
  /// What to select: the selected line, then those after it, then those before it.
  var toSelect: [TableLineIdentity]
  /// Where the selection was.
  var selected: TableLine?
  var isAtBeginning: Bool
  var isSelectionSeen: Bool
}

extension TerminalTable {
  /// Takes down what is on the screen, so as to find it again afterwards.
  public func updateWillBegin() {
    guard let layout else { return }
    let lines = visibleLines()
    var toSelect: [TableLineIdentity] = []
    if let selection {
      toSelect = selection.identity.map { [$0] } ?? []
      for step in [1, -1] {
        var line = selection.line
        for _ in 0..<area.count {
          guard let next = step > 0 ? layout.line(after: line) : layout.line(before: line) else { break }
          line = next
          if layout.isSelectable(line), let identity = layout.identity(of: line) { toSelect.append(identity) }
        }
      }
    }
    memory = TableMemory(
      seen: lines.map(layout.identity), toSelect: toSelect, selected: selection?.line,
      isAtBeginning: lines.first == layout.first,
      isSelectionSeen: selection.map { lines.contains($0.line) } ?? false)
  }

  /// Lets the content go on to the next stage. Nothing is drawn before the last one.
  public func performBatch(_ stage: Changes, switchingContent: () -> Void) { switchingContent() }

  /// Draws what changed, with the same row selected and the same lines in sight as far as they are still there.
  ///
  /// Where the selected row is gone, the next one that is left is selected, or the one before.
  public func updateDidEnd(_ changes: Changes) {
    guard let layout, let memory else { return displayIfAutomatic() }
    self.memory = nil
    restoreSelection(memory, layout)
    restoreTop(memory, layout)
    isRevealing = memory.isSelectionSeen
    highlight(changes, layout)
    displayIfAutomatic()
  }

  private func restoreSelection(_ memory: TableMemory, _ layout: TableLayout) {
    guard let selected = memory.selected else { return }
    let found = memory.toSelect.lazy.compactMap(layout.line).first { layout.isSelectable($0) }
    // Without ids, what stands at the same place is taken for the same.
    let line = found ?? layout.nearest(selected).flatMap { layout.isSelectable($0) ? $0 : nil }
    selection = line.map { ($0, layout.identity(of: $0)) }
  }

  private func restoreTop(_ memory: TableMemory, _ layout: TableLayout) {
    // Who looks at the beginning sees what comes before it.
    guard !memory.isAtBeginning else { return top = nil }
    for (offset, identity) in memory.seen.enumerated() {
      guard let line = identity.flatMap(layout.line) else { continue }
      return top = layout.line(line, offsetBy: -offset)
    }
  }

  private func highlight(_ changes: Changes, _ layout: TableLayout) {
    guard let highlightDuration else { return }
    let end = now().advanced(by: highlightDuration)
    for line in visibleLines() {
      guard case .row(let path) = line, changes.touches(path), let id = layout.content.itemID(at: path) else {
        continue
      }
      highlights[id] = end
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
