import DataSources
import RowModel

extension ResultList {
  /// Moves the shown rows to the window after an edit: rows that are outside leave at either end, and others enter
  /// there.
  ///
  /// As many rows leave and enter as were inserted and removed, however long the window is. The storage holds the rows
  /// at the positions `shown`, without a gap.
  func moveWindow(_ edits: Edits, _ view: any EngineView) throws {
    let target = min(window.lowerBound, slots.count)..<min(window.upperBound, slots.count)
    while shown.lowerBound < target.lowerBound, !shown.isEmpty { try leaveWindow(at: shown.lowerBound, edits, view) }
    while shown.upperBound > target.upperBound, !shown.isEmpty {
      try leaveWindow(at: shown.upperBound - 1, edits, view)
    }
    if shown.isEmpty { shown = target.lowerBound..<target.lowerBound }
    let entering = Array(target.lowerBound..<shown.lowerBound) + Array(shown.upperBound..<target.upperBound)
    work.windowRows += entering.count
    try read(entering.map { slots[$0] }, edits, view)
    for place in (target.lowerBound..<shown.lowerBound).reversed() { try enterWindow(at: place, edits, view) }
    for place in shown.upperBound..<target.upperBound { try enterWindow(at: place, edits, view) }
  }

  /// Reads the rows of slots that the batch doesn't have.
  private func read(_ entering: [UInt32], _ edits: Edits, _ view: any EngineView) throws {
    let missing = entering.filter { edits.fresh[$0] == nil }
    if missing.isEmpty { return }
    let read = try query.rows(of: missing.compactMap { index?.key($0) }, view, onto: storage)
    extraRowsRead += read.count
    work.steps += read.steps
    // Another program has deleted a row, and we have not received that commit yet: the list must be fetched again.
    guard read.count == missing.count else { throw Outdated() }
    for (row, slot) in missing.enumerated() {
      edits.entered[slot] = (row: read.firstItem + row, name: read.names[row] ?? "")
      // Another program may have changed the row, and we have not received that commit yet: record the content that is
      // shown now.
      if !read.fingerprints.isEmpty { note(content: read.fingerprints[row], of: slot) }
    }
  }

  /// Removes the first or the last shown row from the storage.
  private func leaveWindow(at place: Int, _ edits: Edits, _ view: any EngineView) throws {
    work.windowRows += 1
    let isFirst = place == shown.lowerBound
    try takeOff(place, next: isFirst ? place + 1 : nil, edits, view)
    shown = isFirst ? place + 1..<shown.upperBound : shown.lowerBound..<place
  }

  /// Puts the row next to the first or the last shown one in the storage.
  private func enterWindow(at place: Int, _ edits: Edits, _ view: any EngineView) throws {
    let slot = slots[place]
    let isFirst = place < shown.lowerBound
    var neighbours: Neighbours = (before: nil, after: nil)
    if !shown.isEmpty {
      if isFirst { neighbours.after = slots[place + 1] } else { neighbours.before = slots[place - 1] }
    }
    let source = edits.entered[slot] ?? (row: edits.fresh[slot] ?? 0, name: edits.name(of: slot) ?? "")
    try putOn(slot, source.row, source.name, at: isFirst ? 0 : shown.count, neighbours, edits, view)
    shown = isFirst ? place..<shown.upperBound : shown.lowerBound..<place + 1
  }
}
