extension SlotIndex {
  /// The first broken invariant of the index; nil if not found. For tests: it visits every key.
  func firstBrokenInvariant() -> String? { isNumbered ? firstBrokenPlace() : firstBrokenValue() }

  /// The number of keys that are found. For tests.
  var indexedCount: Int { isNumbered ? places.count { $0 < Self.removed } : slotsOfValues.count }

  private func firstBrokenPlace() -> String? {
    if places.count < 16 || places.count & mask != 0 || mask != places.count - 1 {
      return "\(places.count) places have the mask \(mask)"
    }
    let free = places.count { $0 == Self.none }
    if used != places.count - free { return "\(used) places count as used, but \(places.count - free) are" }
    // A search ends at a free place.
    if free == 0 { return "no place is free" }
    var slots: Set<UInt32> = []
    var numbers: Set<Int64> = []
    for (place, slot) in places.enumerated() where slot < Self.removed {
      guard Int(slot) < keys.numbers.count else { return "slot \(slot) has no key" }
      let key = keys.numbers[Int(slot)]
      if !slots.insert(slot).inserted { return "slot \(slot) is in two places" }
      if !numbers.insert(key).inserted { return "key \(key) is in two places" }
      var searched = start(key)
      while searched != place {
        if places[searched] == Self.none { return "the search for key \(key) ends before its place \(place)" }
        searched = (searched + 1) & mask
      }
    }
    return nil
  }

  private func firstBrokenValue() -> String? {
    var slots: Set<UInt32> = []
    for (values, slot) in slotsOfValues {
      guard Int(slot) < keys.values.count else { return "slot \(slot) has no key" }
      if keys.values[Int(slot)] != values { return "slot \(slot) of \(values) has the key \(keys.values[Int(slot)])" }
      if !slots.insert(slot).inserted { return "slot \(slot) has two keys" }
    }
    return nil
  }
}
