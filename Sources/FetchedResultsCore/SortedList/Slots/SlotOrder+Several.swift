import FetchedResultsSupport

// Finding several slots or positions at the same time, so that the memory of all is loaded at the same time.

extension SlotOrder {
  /// Begins to load what `place(of:)` reads for these slots.
  func prefetch(_ several: [UInt32]) {
    state.pointee.leafOf.withUnsafeBufferPointer { leafOf in
      guard let first = leafOf.baseAddress else { return }
      for slot in several { Processor.prefetch(first + Int(slot)) }
      state.pointee.slots.withUnsafeBufferPointer { slots in
        guard let base = slots.baseAddress else { return }
        for slot in several where Int(slot) < leafOf.count {
          let leaf = Int(leafOf[Int(slot)])
          Processor.prefetch(
            base + leaf * Self.leafCapacity, state.pointee.leafCounts[leaf] * MemoryLayout<UInt32>.stride)
        }
      }
    }
  }

  /// For each of several searches, the first position whose slot doesn't come before something. See `partition`.
  ///
  /// All searches go one step before the next step, so that the memory of all is loaded at the same time: before slots
  /// are compared, `prefetch` is called for all of them, once for each stage.
  @inline(__always)
  func partitions(
    _ searches: Int, prefetching prefetch: (UInt32, PrefetchStage) -> Void,
    _ comesBefore: (UInt32, _ search: Int) throws -> Bool
  ) rethrows -> [Int] {
    var places = [Int](repeating: 0, count: searches)
    guard count > 0 else { return places }
    // The last block, leaf and slot of each search that begin before its position.
    let state = state
    var bisection = Bisection(searches)
    try bisection.run(
      state, count: { _ in state.pointee.order.count },
      location: { state.pointee.blocks[state.pointee.order[$1]].leaves[0] * Self.leafCapacity }, prefetch, comesBefore)
    var blocks = bisection.found
    for search in 0..<searches {
      let block = max(0, blocks[search] - 1)
      for other in state.pointee.order[..<block] { places[search] += state.pointee.blocks[other].count }
      blocks[search] = state.pointee.order[block]
    }
    try bisection.run(
      state, count: { state.pointee.blocks[blocks[$0]].leaves.count },
      location: { state.pointee.blocks[blocks[$0]].leaves[$1] * Self.leafCapacity }, prefetch, comesBefore)
    var leaves = bisection.found
    for search in 0..<searches {
      let leaf = max(0, leaves[search] - 1)
      let block = state.pointee.blocks[blocks[search]].leaves
      for other in block[..<leaf] { places[search] += state.pointee.leafCounts[other] }
      leaves[search] = block[leaf]
    }
    try bisection.run(
      state, count: { state.pointee.leafCounts[leaves[$0]] },
      location: { leaves[$0] * Self.leafCapacity + $1 }, prefetch, comesBefore)
    for search in 0..<searches { places[search] += bisection.found[search] }
    return places
  }

  /// What is loaded before slots are compared: where the data of each is, and then the data.
  enum PrefetchStage { case reference, content }

  /// Several bisections at the same time, each in a range of its own.
  private struct Bisection {
    /// The result of each: the first index whose slot doesn't come before something.
    private(set) var found: [Int]
    private var ends: [Int]
    private var slots: [UInt32]
    private var locations: [Int]
    private var active: [Int] = []

    init(_ searches: Int) {
      found = [Int](repeating: 0, count: searches)
      (ends, locations) = (found, found)
      slots = [UInt32](repeating: 0, count: searches)
    }

    /// Bisects `count` indices for each search. `location` says where the slot with an index is.
    @inline(__always)
    mutating func run(
      _ state: UnsafeMutablePointer<State>, count: (_ search: Int) -> Int,
      location: (_ search: Int, _ index: Int) -> Int, _ prefetch: (UInt32, PrefetchStage) -> Void,
      _ comesBefore: (UInt32, _ search: Int) throws -> Bool
    ) rethrows {
      active = Array(found.indices)
      for search in active {
        found[search] = 0
        ends[search] = count(search)
      }
      while true {
        active.removeAll { found[$0] >= ends[$0] }
        if active.isEmpty { return }
        state.pointee.slots.withUnsafeBufferPointer { all in
          guard let first = all.baseAddress else { return }
          for search in active {
            locations[search] = location(search, (found[search] + ends[search]) / 2)
            Processor.prefetch(first + locations[search])
          }
          for search in active {
            slots[search] = all[locations[search]]
            prefetch(slots[search], .reference)
          }
        }
        for search in active { prefetch(slots[search], .content) }
        for search in active {
          let middle = (found[search] + ends[search]) / 2
          if try comesBefore(slots[search], search) { found[search] = middle + 1 } else { ends[search] = middle }
        }
      }
    }
  }
}
