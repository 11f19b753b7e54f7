// All of these write, so the node must not be shared.

extension TreeNode {
  /// Adds to the running sums from a child on.
  @inlinable func add(count: Int, weight: Int, fromSlot slot: Int) {
    withEntries { entries in
      for slot in slot..<self.count {
        entries[slot].endCount &+= count
        entries[slot].endWeight &+= weight
      }
    }
  }

  /// Inserts an element into a leaf that has room.
  @inlinable func insert(_ element: Element, at index: Int) {
    assert(count < room)
    withElements { elements in
      let place = elements + index
      (place + 1).moveInitialize(from: place, count: count - index)
      place.initialize(to: element)
    }
    count += 1
  }

  /// Removes an element from a leaf.
  @inlinable func removeElement(at index: Int) -> Element {
    let element = withElements { elements in
      let place = elements + index
      let element = place.move()
      place.moveInitialize(from: place + 1, count: count - index - 1)
      return element
    }
    count -= 1
    return element
  }

  /// Appends a child, with the sums up to it.
  @inlinable func append(_ entry: TreeEntry<Element>) {
    withEntries { ($0 + count).initialize(to: entry) }
    count += 1
  }

  /// Inserts a child after the one from which it was split. The sums from there on already include both.
  @inlinable func insert(_ child: TreeNode, _ totals: (count: Int, weight: Int), afterSlot slot: Int) {
    withEntries { entries in
      let place = entries + slot
      (place + 2).moveInitialize(from: place + 1, count: count - slot - 1)
      (place + 1).initialize(
        to: TreeEntry(child: child, endCount: place.pointee.endCount, endWeight: place.pointee.endWeight))
      place.pointee.endCount -= totals.count
      place.pointee.endWeight -= totals.weight
    }
    count += 1
  }

  /// Removes a child. The sums of the later ones stay: the child is empty, or another one has its elements.
  @inlinable func removeEntry(at slot: Int) {
    withEntries { entries in
      let place = entries + slot
      place.deinitialize(count: 1)
      place.moveInitialize(from: place + 1, count: count - slot - 1)
    }
    count -= 1
  }

  /// Removes the last children.
  @inlinable func removeEntries(from slot: Int) {
    withEntries { _ = ($0 + slot).deinitialize(count: count - slot) }
    count = slot
  }
}
