/// Finds the rows of the result that contain a row of a joined table.
///
/// The slots of one key are linked to each other, so that a row is added and removed in constant time, however many
/// share the key.
struct PartnerIndex {
  private(set) var keys: ContiguousArray<RowKey?> = []
  private(set) var first: [RowKey: UInt32] = [:]
  private(set) var next: ContiguousArray<UInt32> = []
  private(set) var previous: ContiguousArray<UInt32> = []

  init(_ keys: ContiguousArray<RowKey?>) {
    next = ContiguousArray(repeating: SlotIndex.none, count: keys.count)
    previous = next
    self.keys = ContiguousArray(repeating: nil, count: keys.count)
    for slot in keys.indices { link(UInt32(slot), keys[slot]) }
  }

  /// Calls `body` with every slot of a key.
  func forEachSlot(of key: RowKey, _ body: (UInt32) -> Void) {
    var slot = first[key] ?? SlotIndex.none
    while slot != SlotIndex.none {
      body(slot)
      slot = next[Int(slot)]
    }
  }

  /// Sets the key of a slot, which may be the next new one.
  mutating func set(_ slot: UInt32, _ key: RowKey?) {
    if Int(slot) == keys.count {
      keys.append(nil)
      next.append(SlotIndex.none)
      previous.append(SlotIndex.none)
    } else if keys[Int(slot)] == key {
      return
    } else {
      unlink(slot)
    }
    link(slot, key)
  }

  private mutating func link(_ slot: UInt32, _ key: RowKey?) {
    keys[Int(slot)] = key
    guard let key else { return }
    let head = first.updateValue(slot, forKey: key) ?? SlotIndex.none
    next[Int(slot)] = head
    previous[Int(slot)] = SlotIndex.none
    if head != SlotIndex.none { previous[Int(head)] = slot }
  }

  private mutating func unlink(_ slot: UInt32) {
    guard let key = keys[Int(slot)] else { return }
    let before = previous[Int(slot)]
    let after = next[Int(slot)]
    if before != SlotIndex.none {
      next[Int(before)] = after
    } else if after != SlotIndex.none {
      first[key] = after
    } else {
      first[key] = nil
    }
    if after != SlotIndex.none { previous[Int(after)] = before }
    keys[Int(slot)] = nil
  }
}
