extension CountedTree {
  /// Creates a list from any sequence.
  ///
  /// Complexity: O(n).
  @inlinable package init(_ elements: some Sequence<Element>) {
    var leaves: [TreeEntry<Element>] = []
    leaves.reserveCapacity(elements.underestimatedCount / Measure.leafCapacity + 1)
    if elements.withContiguousStorageIfAvailable({ Self.append(copiesOf: $0, to: &leaves) }) == nil {
      Self.append(elements, to: &leaves)
    }
    self.init(leaves: leaves)
  }

  @inlinable static func append(
    copiesOf elements: UnsafeBufferPointer<Element>, to leaves: inout [TreeEntry<Element>]
  ) {
    var rest = elements[...]
    while !rest.isEmpty {
      let part = UnsafeBufferPointer(rebasing: rest.prefix(Measure.leafCapacity))
      let leaf = Node.leaf(capacity: part.count)
      leaf.withElements { place in
        if let start = part.baseAddress { place.initialize(from: start, count: part.count) }
      }
      leaf.count = part.count
      append(leaf, Measure.weight(of: part), to: &leaves)
      rest = rest.dropFirst(part.count)
    }
  }

  @inlinable static func append(_ elements: some Sequence<Element>, to leaves: inout [TreeEntry<Element>]) {
    // The guaranteed number of elements goes into leaves at once. If there are more, they are counted first.
    var expected = elements.underestimatedCount
    var iterator = elements.makeIterator()
    while expected > 0 {
      let room = Swift.min(Measure.leafCapacity, expected)
      let leaf = Node.leaf(capacity: room)
      // The leaf is used below, so its memory stays valid during the loop; a closure around it would make it slower.
      let place = leaf.withElements { $0 }
      var filled = 0
      while filled < room, let element = iterator.next() {
        (place + filled).initialize(to: element)
        filled += 1
      }
      leaf.count = filled
      expected = filled < room ? 0 : expected - filled
      if filled > 0 { append(leaf, leaf.withLeafElements { Measure.weight(of: $0) }, to: &leaves) }
    }
    ContiguousArray(IteratorSequence(iterator)).withUnsafeBufferPointer { append(copiesOf: $0, to: &leaves) }
  }

  @inlinable static func append(_ leaf: Node, _ weight: Int, to leaves: inout [TreeEntry<Element>]) {
    leaves.append(
      TreeEntry(
        child: leaf, endCount: (leaves.last?.endCount ?? 0) + leaf.count,
        endWeight: (leaves.last?.endWeight ?? 0) + weight))
  }

  /// Creates a list from leaves, with the sums up to each.
  @inlinable init(leaves: [TreeEntry<Element>]) {
    guard let last = leaves.last else {
      self.init()
      return
    }
    var level = leaves
    var height = 0
    while level.count > 1 {
      height += 1
      var parents: [TreeEntry<Element>] = []
      let groups = (level.count + Node.branchCapacity - 1) / Node.branchCapacity
      parents.reserveCapacity(groups)
      for group in 0..<groups {
        let start = level.count * group / groups
        let end = level.count * (group + 1) / groups
        let count = start == 0 ? 0 : level[start - 1].endCount
        let weight = start == 0 ? 0 : level[start - 1].endWeight
        let branch = Node.branch(height: height)
        for index in start..<end {
          var entry = level[index]
          entry.endCount -= count
          entry.endWeight -= weight
          branch.append(entry)
        }
        parents.append(
          TreeEntry(child: branch, endCount: level[end - 1].endCount, endWeight: level[end - 1].endWeight))
      }
      level = parents
    }
    self.init(root: level[0].child, count: last.endCount, weight: last.endWeight)
  }
}
