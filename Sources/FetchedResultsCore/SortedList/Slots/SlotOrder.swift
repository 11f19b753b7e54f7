import DataSources
import FetchedResultsSupport

/// The slots of a list in the order of its rows: finds the slot at a position, and the position of a slot.
///
/// It has three levels: slots are in leaves, leaves in blocks, blocks in one list. Each slot knows its leaf and each
/// leaf its block. So a position is computed from below, by adding a few counts, without comparing keys. Leaves are
/// changed in place: earlier versions are not kept, because the snapshots of the rows are.
///
/// Used by one thread at a time.
final class SlotOrder {
  /// Behind a pointer, because each access to a variable of a class is checked for exclusiveness.
  let state: UnsafeMutablePointer<State>

  static let leafCapacity = 128
  static let blockCapacity = 128

  struct State {
    var count = 0
    /// The slots of all leaves; each leaf has a stretch of `leafCapacity`.
    var slots: ContiguousArray<UInt32> = []
    /// The number of slots in each leaf.
    var leafCounts: ContiguousArray<Int> = []
    /// The block of each leaf.
    var leafBlocks: ContiguousArray<Int> = []
    var freeLeaves: [Int] = []
    var blocks: ContiguousArray<Block> = []
    /// The blocks in order.
    var order: ContiguousArray<Int> = []
    var freeBlocks: [Int] = []
    /// The leaf of each slot.
    var leafOf: ContiguousArray<UInt32> = []
  }

  struct Block {
    /// Its leaves in order.
    var leaves: ContiguousArray<Int> = []
    /// The number of slots in all its leaves.
    var count = 0
  }

  /// A position: the index of a block in the order, of a leaf in the block, and of a slot in the leaf.
  private struct Position {
    var block: Int
    var leaf: Int
    var item: Int
    /// The position in the whole order.
    var place: Int
  }

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  var count: Int { state.pointee.count }

  /// Resets it to the slots from 0, in that order.
  func reset(count: Int) {
    var fresh = State()
    fresh.count = count
    // Three quarters full, to leave room for insertions.
    let fill = Self.leafCapacity * 3 / 4
    let leaves = (count + fill - 1) / fill
    fresh.slots = ContiguousArray(repeating: 0, count: leaves * Self.leafCapacity)
    fresh.leafOf = ContiguousArray(repeating: 0, count: count)
    for leaf in 0..<leaves {
      let range = leaf * fill..<min(count, (leaf + 1) * fill)
      for (item, slot) in range.enumerated() {
        fresh.slots[leaf * Self.leafCapacity + item] = UInt32(slot)
        fresh.leafOf[slot] = UInt32(leaf)
      }
      fresh.leafCounts.append(range.count)
      let isNew = leaf % (Self.blockCapacity * 3 / 4) == 0
      if isNew {
        fresh.order.append(fresh.blocks.count)
        fresh.blocks.append(Block())
      }
      let block = fresh.blocks.count - 1
      fresh.blocks[block].leaves.append(leaf)
      fresh.blocks[block].count += range.count
      fresh.leafBlocks.append(block)
    }
    state.pointee = fresh
  }

  // MARK: Finding

  /// The slot at a position, which must exist.
  subscript(place: Int) -> UInt32 {
    require(place >= 0 && place < count, "there is no row at \(place)")
    let position = position(ofPlace: place)
    return slot(position)
  }

  @inline(__always)
  private func slot(_ position: Position) -> UInt32 {
    let leaf = state.pointee.blocks[state.pointee.order[position.block]].leaves[position.leaf]
    return state.pointee.slots[leaf * Self.leafCapacity + position.item]
  }

  /// The slots at a range of positions.
  func slots(_ range: Range<Int>) -> [UInt32] {
    var result: [UInt32] = []
    guard !range.isEmpty else { return [] }
    result.reserveCapacity(range.count)
    var position = position(ofPlace: range.lowerBound)
    while result.count < range.count {
      let block = state.pointee.blocks[state.pointee.order[position.block]]
      let leaf = block.leaves[position.leaf]
      let end = min(state.pointee.leafCounts[leaf], position.item + range.count - result.count)
      let base = leaf * Self.leafCapacity
      result.append(contentsOf: state.pointee.slots[base + position.item..<base + end])
      position.item = 0
      position.leaf += 1
      if position.leaf == block.leaves.count {
        position.leaf = 0
        position.block += 1
      }
    }
    return result
  }

  /// The position of a slot; nil if it is not in the order.
  func place(of slot: UInt32) -> Int? {
    guard Int(slot) < state.pointee.leafOf.count else { return nil }
    let leaf = Int(state.pointee.leafOf[Int(slot)])
    guard let item = item(of: slot, inLeaf: leaf) else { return nil }
    let block = state.pointee.leafBlocks[leaf]
    var place = 0
    for other in state.pointee.order {
      if other == block { break }
      place += state.pointee.blocks[other].count
    }
    for other in state.pointee.blocks[block].leaves {
      if other == leaf { break }
      place += state.pointee.leafCounts[other]
    }
    return place + item
  }

  private func item(of slot: UInt32, inLeaf leaf: Int) -> Int? {
    let count = state.pointee.leafCounts[leaf]
    return state.pointee.slots.withUnsafeBufferPointer { slots in
      let base = leaf * Self.leafCapacity
      for item in 0..<count where slots[base + item] == slot { return item }
      return nil
    }
  }

  /// The first position whose slot doesn't come before something. The slots that come before it must precede all
  /// others.
  ///
  /// `touch` reads some of the data by which a slot is compared. It is called for several slots at once, because each
  /// read waits for memory.
  @inline(__always)
  func partition(touching touch: (UInt32) -> UInt32 = { _ in 0 }, _ comesBefore: (UInt32) throws -> Bool) rethrows
    -> Int
  {
    // The last block, leaf and slot that begin before the position.
    guard count > 0 else { return 0 }
    let block = max(
      0,
      try Self.firstIndex(
        state.pointee.order.count,
        slot: { first(ofLeaf: state.pointee.blocks[state.pointee.order[$0]].leaves[0]) }, touching: touch
      ) { try !comesBefore($0) } - 1)
    var place = 0
    for other in state.pointee.order[..<block] { place += state.pointee.blocks[other].count }
    let number = state.pointee.order[block]
    let leaf = max(
      0,
      try Self.firstIndex(
        state.pointee.blocks[number].leaves.count, slot: { first(ofLeaf: state.pointee.blocks[number].leaves[$0]) },
        touching: touch
      ) { try !comesBefore($0) } - 1)
    for other in state.pointee.blocks[number].leaves[..<leaf] { place += state.pointee.leafCounts[other] }
    let base = state.pointee.blocks[number].leaves[leaf]
    return try place
      + Self.firstIndex(
        state.pointee.leafCounts[base], slot: { state.pointee.slots[base * Self.leafCapacity + $0] }, touching: touch
      ) { try !comesBefore($0) }
  }

  @inline(__always)
  private func first(ofLeaf leaf: Int) -> UInt32 { state.pointee.slots[leaf * Self.leafCapacity] }

  /// The first of several indices for whose slot `belongsBehind` is true. It must be true for all later ones.
  @inline(__always)
  private static func firstIndex(
    _ count: Int, slot: (Int) -> UInt32, touching touch: (UInt32) -> UInt32, _ belongsBehind: (UInt32) throws -> Bool
  ) rethrows -> Int {
    var low = 0
    var high = count
    var steps = 0
    while low < high {
      let middle = (low + high) / 2
      if steps.isMultiple(of: 3), high - low >= 8 {
        // Load what the next three comparisons may need, whichever they are.
        let (left, right) = ((low + middle) / 2, (middle + 1 + high) / 2)
        let all =
          touch(slot(middle)) | touch(slot(left)) | touch(slot(right)) | touch(slot((low + left) / 2))
          | touch(slot((left + 1 + middle) / 2)) | touch(slot((middle + 1 + right) / 2))
          | touch(slot((right + 1 + high) / 2))
        // No entry is that long, but the compiler does not know it, and so must read the lengths.
        if all == .max { fatalError("an order key is too long") }
      }
      if try belongsBehind(slot(middle)) { high = middle } else { low = middle + 1 }
      steps += 1
    }
    return low
  }

  /// The position with an index, or the end.
  private func position(ofPlace place: Int) -> Position {
    var rest = place
    var block = 0
    while block < state.pointee.order.count - 1 {
      let count = state.pointee.blocks[state.pointee.order[block]].count
      if rest < count { break }
      rest -= count
      block += 1
    }
    let number = state.pointee.order[block]
    var leaf = 0
    while leaf < state.pointee.blocks[number].leaves.count - 1 {
      let count = state.pointee.leafCounts[state.pointee.blocks[number].leaves[leaf]]
      if rest < count { break }
      rest -= count
      leaf += 1
    }
    return Position(block: block, leaf: leaf, item: rest, place: place)
  }

  // MARK: Changing

  /// Inserts a slot before the one at a position.
  func insert(_ slot: UInt32, at place: Int) {
    require(place >= 0 && place <= count, "there is no place \(place)")
    if state.pointee.order.isEmpty { makeFirstLeaf() }
    var position = position(ofPlace: place)
    var number = state.pointee.order[position.block]
    var leaf = state.pointee.blocks[number].leaves[position.leaf]
    if state.pointee.leafCounts[leaf] == Self.leafCapacity {
      split(leaf, number, position)
      position = self.position(ofPlace: place)
      number = state.pointee.order[position.block]
      leaf = state.pointee.blocks[number].leaves[position.leaf]
    }
    let base = leaf * Self.leafCapacity
    let leafCount = state.pointee.leafCounts[leaf]
    state.pointee.slots.withUnsafeMutableBufferPointer { slots in
      guard let start = slots.baseAddress.map({ $0 + base + position.item }) else { return }
      (start + 1).update(from: start, count: leafCount - position.item)
      start.pointee = slot
    }
    while state.pointee.leafOf.count <= Int(slot) { state.pointee.leafOf.append(0) }
    state.pointee.leafOf[Int(slot)] = UInt32(leaf)
    state.pointee.leafCounts[leaf] += 1
    state.pointee.blocks[number].count += 1
    state.pointee.count += 1
  }

  /// Removes the slot at a position.
  func remove(at place: Int) {
    require(place >= 0 && place < count, "there is no row at \(place)")
    let position = position(ofPlace: place)
    let number = state.pointee.order[position.block]
    let leaf = state.pointee.blocks[number].leaves[position.leaf]
    let base = leaf * Self.leafCapacity
    let leafCount = state.pointee.leafCounts[leaf]
    state.pointee.slots.withUnsafeMutableBufferPointer { slots in
      guard let start = slots.baseAddress.map({ $0 + base + position.item }) else { return }
      start.update(from: start + 1, count: leafCount - position.item - 1)
    }
    state.pointee.leafCounts[leaf] -= 1
    state.pointee.blocks[number].count -= 1
    state.pointee.count -= 1
    if leafCount - 1 < Self.leafCapacity / 4 { mergeLeaf(position) }
  }

  private func makeFirstLeaf() {
    let leaf = makeLeaf(in: 0)
    state.pointee.blocks = [Block(leaves: [leaf])]
    state.pointee.freeBlocks = []
    state.pointee.order = [0]
  }

  private func makeLeaf(in block: Int) -> Int {
    if let leaf = state.pointee.freeLeaves.popLast() {
      state.pointee.leafCounts[leaf] = 0
      state.pointee.leafBlocks[leaf] = block
      return leaf
    }
    state.pointee.slots.append(contentsOf: repeatElement(0, count: Self.leafCapacity))
    state.pointee.leafCounts.append(0)
    state.pointee.leafBlocks.append(block)
    return state.pointee.leafCounts.count - 1
  }

  private func split(_ leaf: Int, _ number: Int, _ position: Position) {
    let fresh = makeLeaf(in: number)
    move(from: leaf, Self.leafCapacity / 2, to: fresh)
    state.pointee.blocks[number].leaves.insert(fresh, at: position.leaf + 1)
    guard state.pointee.blocks[number].leaves.count > Self.blockCapacity else { return }
    let half = Self.blockCapacity / 2
    let moved = ContiguousArray(state.pointee.blocks[number].leaves[half...])
    state.pointee.blocks[number].leaves.removeSubrange(half...)
    let block = Block(leaves: moved, count: moved.reduce(0) { $0 + state.pointee.leafCounts[$1] })
    state.pointee.blocks[number].count -= block.count
    let name: Int
    if let free = state.pointee.freeBlocks.popLast() {
      name = free
      state.pointee.blocks[name] = block
    } else {
      name = state.pointee.blocks.count
      state.pointee.blocks.append(block)
    }
    for leaf in moved { state.pointee.leafBlocks[leaf] = name }
    state.pointee.order.insert(name, at: position.block + 1)
  }

  /// Moves a leaf's slots, from one on, to the end of another leaf.
  private func move(from leaf: Int, _ start: Int, to other: Int) {
    let end = state.pointee.leafCounts[leaf]
    var count = state.pointee.leafCounts[other]
    for item in start..<end {
      let slot = state.pointee.slots[leaf * Self.leafCapacity + item]
      state.pointee.slots[other * Self.leafCapacity + count] = slot
      state.pointee.leafOf[Int(slot)] = UInt32(other)
      count += 1
    }
    state.pointee.leafCounts[leaf] = start
    state.pointee.leafCounts[other] = count
  }

  /// Merges a leaf that has become small with a neighbour in its block, if there is room.
  private func mergeLeaf(_ position: Position) {
    let number = state.pointee.order[position.block]
    let leaves = state.pointee.blocks[number].leaves
    let counts = leaves.count
    if counts == 1 {
      guard state.pointee.leafCounts[leaves[0]] == 0 else { return }
      state.pointee.freeLeaves.append(leaves[0])
      state.pointee.blocks[number] = Block()
      state.pointee.freeBlocks.append(number)
      state.pointee.order.remove(at: position.block)
      return
    }
    let first = position.leaf + 1 < counts ? position.leaf : position.leaf - 1
    let (left, right) = (leaves[first], leaves[first + 1])
    let isEmpty = state.pointee.leafCounts[left] == 0 || state.pointee.leafCounts[right] == 0
    let sum = state.pointee.leafCounts[left] + state.pointee.leafCounts[right]
    guard isEmpty || sum <= Self.leafCapacity / 2 else { return }
    move(from: right, 0, to: left)
    state.pointee.freeLeaves.append(right)
    state.pointee.blocks[number].leaves.remove(at: first + 1)
  }
}
