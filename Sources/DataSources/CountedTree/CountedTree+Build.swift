extension CountedTree {
  /// Makes a list of any sequence.
  ///
  /// Complexity: O(n), each element is written once.
  @inlinable package init(_ elements: some Sequence<Element>) {
    var leaves: [TreeEntry<Element>] = []
    let limit = Measure.leafCapacity
    let expected = elements.underestimatedCount
    leaves.reserveCapacity(expected / limit + 1)
    var count = 0
    var weight = 0
    var iterator = elements.makeIterator()
    var next = iterator.next()
    while next != nil {
      var room = expected > count ? Swift.min(limit, expected - count) : limit
      var leaf = Node.leaf(capacity: room)
      let filled = leaf.withElements { place in
        var filled = 0
        while filled < room, let element = next {
          (place + filled).initialize(to: element)
          filled += 1
          next = iterator.next()
        }
        return filled
      }
      leaf.count = filled
      if filled < room {
        // The sequence ended before the leaf did.
        room = filled
        leaf = leaf.leaf(of: 0..<filled, capacity: room)
      }
      count += filled
      weight += leaf.withLeafElements { Measure.weight(of: $0) }
      leaves.append(TreeEntry(child: leaf, endCount: count, endWeight: weight))
    }
    self.init(leaves: leaves)
  }

  /// Makes a list of leaves, with the sums up to each.
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
