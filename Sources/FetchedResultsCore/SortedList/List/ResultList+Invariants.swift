import DataSources

extension ResultList {
  /// The first broken invariant of the list's structures; nil if not found. For tests: it visits every row.
  func firstBrokenInvariant() -> String? {
    if let broken = slots.firstBrokenInvariant() { return "slots: \(broken)" }
    if let broken = keys.firstBrokenInvariant() { return "order keys: \(broken)" }
    guard isFollowed, let index else { return nil }
    if let broken = index.firstBrokenInvariant() { return "index: \(broken)" }
    for (number, partner) in partners.enumerated() {
      if let broken = partner.firstBrokenInvariant() { return "partner \(number): \(broken)" }
    }
    let live = slots.slots(0..<slots.count)
    if (live + freeSlots).sorted() != (0..<UInt32(keys.count)).map(\.self) {
      return "of \(keys.count) slots, \(live) are used and \(freeSlots) are free"
    }
    if index.indexedCount != live.count { return "\(index.indexedCount) of \(live.count) rows are indexed" }
    for slot in live where index.slot(of: index.key(slot)) != slot { return "the index does not find slot \(slot)" }
    for (number, partner) in partners.enumerated() {
      if partner.keys.count != keys.count {
        return "partner \(number) has \(partner.keys.count) of \(keys.count) slots"
      }
      for slot in freeSlots where partner.keys[Int(slot)] != nil {
        return "free slot \(slot) has a partner in \(number)"
      }
    }
    if !fingerprints.isEmpty, fingerprints.count != keys.count {
      return "\(fingerprints.count) of \(keys.count) slots have fingerprints"
    }
    return firstBrokenPlace(live)
  }

  /// The first row that is not where its key belongs, in the order or in the sections.
  private func firstBrokenPlace(_ live: [UInt32]) -> String? {
    if shown != min(window.lowerBound, live.count)..<min(window.upperBound, live.count) {
      return "the window \(window) of \(live.count) rows shows \(shown)"
    }
    if storage.path(shown.count) != nil { return "the storage has more than \(shown.count) rows" }
    for place in live.indices {
      let slot = Int(live[place])
      let path = shown.contains(place) ? storage.path(place - shown.lowerBound)?.path : nil
      if shown.contains(place), path == nil { return "the row at \(place) is not in the storage" }
      // Only the engine can compare keys with custom collations.
      guard place > 0, !asksEngine else { continue }
      let before = Int(live[place - 1])
      if KeyBuffer.compare(keys, before, keys, slot) > 0 { return "the row at \(place) belongs before \(place - 1)" }
      guard order.hasSections, shown.contains(place - 1), let path else { continue }
      let isOfOneSection = KeyBuffer.compare(keys.sectionBytes(before), keys.sectionBytes(slot)) == 0
      if isOfOneSection != (path.item > 0) { return "the row at \(place) is in a wrong section: \(path)" }
    }
    return nil
  }
}
