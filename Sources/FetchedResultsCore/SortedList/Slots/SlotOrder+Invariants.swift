extension SlotOrder {
  /// The first broken invariant of the order; nil if not found. For tests: it visits every slot.
  func firstBrokenInvariant() -> String? {
    let state = state.pointee
    let leafCount = state.leafCounts.count
    if state.slots.count != leafCount * Self.leafCapacity || state.leafBlocks.count != leafCount {
      return "\(leafCount) leaves have \(state.slots.count) places and \(state.leafBlocks.count) blocks"
    }
    if (state.order + state.freeBlocks).sorted() != Array(state.blocks.indices) {
      return "of \(state.blocks.count) blocks, \(state.order) are used and \(state.freeBlocks) are free"
    }
    for block in state.freeBlocks where !state.blocks[block].leaves.isEmpty || state.blocks[block].count != 0 {
      return "free block \(block) has \(state.blocks[block])"
    }
    let usedLeaves = state.order.flatMap { state.blocks[$0].leaves }
    if (usedLeaves + state.freeLeaves).sorted() != Array(state.leafCounts.indices) {
      return "of \(state.leafCounts.count) leaves, \(usedLeaves) are used and \(state.freeLeaves) are free"
    }
    // A slot that was removed is looked for in its former leaf.
    for leaf in state.freeLeaves where state.leafCounts[leaf] != 0 {
      return "free leaf \(leaf) has \(state.leafCounts[leaf]) slots"
    }
    var total = 0
    for number in state.order {
      let block = state.blocks[number]
      if block.leaves.isEmpty || block.leaves.count > Self.blockCapacity {
        return "block \(number) has \(block.leaves.count) leaves"
      }
      let sum = block.leaves.reduce(0) { $0 + state.leafCounts[$1] }
      if sum != block.count { return "block \(number) counts \(block.count) slots, but its leaves \(sum)" }
      for leaf in block.leaves where state.leafBlocks[leaf] != number {
        return "leaf \(leaf) of block \(number) is recorded for block \(state.leafBlocks[leaf])"
      }
      total += sum
    }
    if total != state.count { return "the order counts \(state.count) slots, but its blocks \(total)" }
    return Self.firstBrokenLeaf(of: usedLeaves, in: state)
  }

  private static func firstBrokenLeaf(of leaves: [Int], in state: State) -> String? {
    var isSeen = ContiguousArray(repeating: false, count: state.leafOf.count)
    for leaf in leaves {
      let count = state.leafCounts[leaf]
      // `partition` compares with the first slot of each leaf, so none may be empty.
      if count < 1 || count > leafCapacity { return "leaf \(leaf) has \(count) slots" }
      for slot in state.slots[leaf * leafCapacity..<leaf * leafCapacity + count] {
        guard Int(slot) < state.leafOf.count else { return "slot \(slot) has no leaf" }
        if state.leafOf[Int(slot)] != leaf {
          return "slot \(slot) of leaf \(leaf) is recorded for leaf \(state.leafOf[Int(slot)])"
        }
        if isSeen[Int(slot)] { return "slot \(slot) occurs twice" }
        isSeen[Int(slot)] = true
      }
    }
    return nil
  }
}
