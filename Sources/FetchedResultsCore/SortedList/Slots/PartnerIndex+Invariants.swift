extension PartnerIndex {
  /// The first broken invariant of the index; nil if not found. For tests: it visits every slot.
  func firstBrokenInvariant() -> String? {
    if next.count != keys.count || previous.count != keys.count {
      return "\(keys.count) slots have \(next.count) next and \(previous.count) previous ones"
    }
    var linked: Set<UInt32> = []
    for (key, head) in first {
      var before = SlotIndex.none
      var slot = head
      while slot != SlotIndex.none {
        guard Int(slot) < keys.count else { return "there is no slot \(slot), which \(key) leads to" }
        if keys[Int(slot)] != key { return "slot \(slot) of \(key) has the key \(String(describing: keys[Int(slot)]))" }
        if previous[Int(slot)] != before { return "slot \(slot) follows \(before), and not \(previous[Int(slot)])" }
        // This also ends the walk if the links form a circle.
        if !linked.insert(slot).inserted { return "slot \(slot) is linked twice" }
        before = slot
        slot = next[Int(slot)]
      }
      if before == SlotIndex.none { return "\(key) leads to no slot" }
    }
    for slot in keys.indices where (keys[slot] != nil) != linked.contains(UInt32(slot)) {
      return "slot \(slot) has the key \(String(describing: keys[slot])), but its key does not lead to it"
    }
    return nil
  }
}
