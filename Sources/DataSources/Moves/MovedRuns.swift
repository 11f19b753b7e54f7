/// Consecutive elements that are consecutive, in the same order, in the old list and in the new one.
@usableFromInline package struct Run: Equatable {
  /// The first one's index in the old list.
  @usableFromInline package var old: Int
  /// The first one's index in the new list.
  @usableFromInline package var new: Int
  /// How many there are.
  @usableFromInline package var count: Int

  @inlinable package init(old: Int, new: Int, count: Int) {
    self.old = old
    self.new = new
    self.count = count
  }
}

extension [Run] {
  /// The runs to move, so that the others have the same order before and after, with as few single moves as possible.
  /// The array is ascending by `new`; so is the result.
  ///
  /// A run is kept or moved as a whole, which loses nothing: no other element is inside it in either list, so what can
  /// be kept together with one of its elements can be kept together with all of them.
  ///
  /// Complexity: O(n) if nothing moves, otherwise O(n log n) for n runs.
  @usableFromInline package func moved() -> [Run] {
    var isAscending = true
    for index in indices.dropFirst() where self[index - 1].old >= self[index].old {
      isAscending = false
      break
    }
    if isAscending { return [] }
    return zip(self, keptInHeaviestOrder(ranksByOld())).compactMap { run, isKept in isKept ? nil : run }
  }

  /// For each run, how many others come before it in the old list.
  private func ranksByOld() -> [Int] {
    var ranks = [Int](repeating: 0, count: count)
    let low = self.lazy.map(\.old).min() ?? 0
    let span = (self.lazy.map(\.old).max() ?? 0) - low + 1
    var rank = 0
    if span / 16 < count {
      // The indices are dense, so a table is faster than sorting.
      var slots = [Int32](repeating: -1, count: span)
      for index in indices { slots[self[index].old - low] = Int32(truncatingIfNeeded: index) }
      for slot in slots where slot >= 0 {
        ranks[Int(slot)] = rank
        rank += 1
      }
    }
    // Even if an index occurs twice, as in changes from elsewhere that fit no list, the ranks differ.
    if rank < count {
      for (rank, index) in indices.sorted(by: { self[$0].old < self[$1].old }).enumerated() { ranks[index] = rank }
    }
    return ranks
  }

  /// Which runs are in one of the heaviest sequences of ascending rank, by number of elements.
  private func keptInHeaviestOrder(_ ranks: [Int]) -> [Bool] {
    var kept = [Bool](repeating: true, count: count)
    // Runs at the same end of both lists stay.
    var first = 0
    while first < count, ranks[first] == first { first += 1 }
    var end = count
    while end > first, ranks[end - 1] == end - 1 { end -= 1 }

    // `tree` is a Fenwick tree over ranks: for a prefix of the ranks, the run that ends the heaviest sequence there.
    let size = end - first
    var tree = [Int](repeating: -1, count: size + 1)
    var weights = [Int](repeating: 0, count: size)
    var previous = [Int](repeating: -1, count: size)
    var heaviest = -1
    for index in 0..<size {
      let rank = ranks[first + index] - first
      var best = -1
      var node = rank
      while node > 0 {
        let candidate = tree[node]
        if candidate >= 0, best < 0 || weights[candidate] > weights[best] { best = candidate }
        node &= node - 1
      }
      previous[index] = best
      let weight = self[first + index].count + (best < 0 ? 0 : weights[best])
      weights[index] = weight
      if heaviest < 0 || weight > weights[heaviest] { heaviest = index }
      node = rank + 1
      while node <= size {
        if tree[node] < 0 || weights[tree[node]] < weight { tree[node] = index }
        node += node & -node
      }
      kept[first + index] = false
    }
    while heaviest >= 0 {
      kept[first + heaviest] = true
      heaviest = previous[heaviest]
    }
    return kept
  }
}
