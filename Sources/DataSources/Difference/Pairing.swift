/// Pairs the equal ids of two lists, the first with the first, the second with the second and so on. It is reused for
/// the next pair of lists, to reuse its memory.
@usableFromInline struct Pairing {
  /// For each element of the new list, its partner in the old one, or -1.
  @usableFromInline var oldOfNew: [Int32] = []
  /// For each element of the old list, whether it has a partner.
  @usableFromInline var isPaired: [Bool] = []
  /// A hash table of the old list's ids. Each slot has a part of the hash, and the first remaining element with that
  /// id, counted from 1.
  @usableFromInline var slots: [Slot] = []
  /// For each element of the old list, the next one with the same id, counted from 1; 0 at the end.
  @usableFromInline var next: [Int32] = []

  @usableFromInline struct Slot {
    /// 0 when the slot was never used.
    @usableFromInline var tag: UInt32
    @usableFromInline var first: Int32

    @inlinable init(tag: UInt32, first: Int32) {
      self.tag = tag
      self.first = first
    }
  }

  @inlinable init() {}

  /// Pairs two lists. `isSame` says whether two ids are equal, perhaps without reading them.
  ///
  /// Complexity: O(n), on average.
  @inlinable mutating func pair<ID: Hashable>(
    old oldCount: Int, new newCount: Int, isSame: (_ old: Int, _ new: Int) -> Bool, oldID: (Int) -> ID,
    newID: (Int) -> ID
  ) {
    oldOfNew.removeAll(keepingCapacity: true)
    oldOfNew.append(contentsOf: repeatElement(-1, count: newCount))
    isPaired.removeAll(keepingCapacity: true)
    isPaired.append(contentsOf: repeatElement(false, count: oldCount))
    // Equal elements at the start need no table.
    var start = 0
    let shorter = min(oldCount, newCount)
    while start < shorter, isSame(start, start) {
      oldOfNew[start] = Int32(truncatingIfNeeded: start)
      isPaired[start] = true
      start += 1
    }
    if start == oldCount || start == newCount { return }
    if (oldCount - start) * (newCount - start) <= 16 {
      pairFew(from: start, oldID: oldID, newID: newID)
    } else {
      fill(from: start, oldID: oldID)
      take(from: start, oldID: oldID, newID: newID)
    }
  }

  @inlinable mutating func pairFew<ID: Hashable>(from start: Int, oldID: (Int) -> ID, newID: (Int) -> ID) {
    for new in start..<oldOfNew.count {
      let id = newID(new)
      for old in start..<isPaired.count where !isPaired[old] && areSame(oldID(old), id) {
        oldOfNew[new] = Int32(truncatingIfNeeded: old)
        isPaired[old] = true
        break
      }
    }
  }

  @inlinable mutating func fill<ID: Hashable>(from start: Int, oldID: (Int) -> ID) {
    let count = isPaired.count
    var size = 16
    while size < 2 * (count - start) { size *= 2 }
    slots.removeAll(keepingCapacity: true)
    slots.append(contentsOf: repeatElement(Slot(tag: 0, first: 0), count: size))
    next.removeAll(keepingCapacity: true)
    next.append(contentsOf: repeatElement(0, count: count))
    let mask = size - 1
    slots.withUnsafeMutableBufferPointer { slots in
      // Backwards, so that the first of several is found first.
      for old in (start..<count).reversed() {
        let id = oldID(old)
        let hash = UInt(bitPattern: id.hashValue)
        let tag = UInt32(truncatingIfNeeded: hash >> 32) | 1
        var place = Int(bitPattern: hash) & mask
        while slots[place].tag != 0 {
          if slots[place].tag == tag, areSame(oldID(Int(slots[place].first) - 1), id) {
            next[old] = slots[place].first
            break
          }
          place = (place + 1) & mask
        }
        slots[place] = Slot(tag: tag, first: Int32(truncatingIfNeeded: old + 1))
      }
    }
  }

  @inlinable mutating func take<ID: Hashable>(from start: Int, oldID: (Int) -> ID, newID: (Int) -> ID) {
    let mask = slots.count - 1
    slots.withUnsafeMutableBufferPointer { slots in
      for new in start..<oldOfNew.count {
        let id = newID(new)
        let hash = UInt(bitPattern: id.hashValue)
        let tag = UInt32(truncatingIfNeeded: hash >> 32) | 1
        var place = Int(bitPattern: hash) & mask
        while slots[place].tag != 0 {
          let old = Int(slots[place].first) - 1
          // A slot whose rows are all paired stays, so that the search continues after it.
          if slots[place].tag == tag, old >= 0, areSame(oldID(old), id) {
            oldOfNew[new] = Int32(truncatingIfNeeded: old)
            isPaired[old] = true
            slots[place].first = next[old]
            break
          }
          place = (place + 1) & mask
        }
      }
    }
  }
}
