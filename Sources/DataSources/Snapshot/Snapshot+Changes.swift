extension Snapshot where Item: Identifiable & Equatable {
  /// The difference that leads from another list to this one.
  @inlinable public func changes(from old: Snapshot) -> Changes {
    changes(from: old) { $0 == $1 }
  }
}

extension Snapshot where Item: Identifiable {
  /// The difference that leads from another list to this one, where rows of the same id are the same in content when
  /// `haveEqualContent` says so.
  public func changes(from old: Snapshot, by haveEqualContent: (_ old: Item, _ new: Item) -> Bool) -> Changes {
    var changes = Changes()
    let sectionPairs = Self.pair(old.map(\.id), map(\.id))
    changes.deletedSections = old.indices.filter { sectionPairs.newOfOld[$0] == nil }
    changes.insertedSections = indices.filter { sectionPairs.oldOfNew[$0] == nil }
    let common = indices.compactMap { new in sectionPairs.oldOfNew[new].map { (old: $0, new: new) } }
    let keptSections = Self.longestIncreasing(common.map(\.old))
    for (index, pair) in common.enumerated() {
      if !keptSections.contains(index) { changes.movedSections.append(SectionMove(from: pair.old, to: pair.new)) }
      if !old[pair.old].info.readsLike(self[pair.new].info) {
        changes.updatedSections.append(SectionMove(from: pair.old, to: pair.new))
      }
    }
    let oldPaths = Array(old.paths)
    let newPaths = Array(paths)
    let rows = Self.pair(oldPaths.map { old[$0].id }, newPaths.map { self[$0].id })
    changes.deletedItems = oldPaths.indices.filter { rows.newOfOld[$0] == nil }.map { oldPaths[$0] }
    changes.insertedItems = newPaths.indices.filter { rows.oldOfNew[$0] == nil }.map { newPaths[$0] }
    var staying: [Int: [(old: ItemPath, new: ItemPath)]] = [:]
    for (index, path) in newPaths.enumerated() {
      guard let oldPath = rows.oldOfNew[index].map({ oldPaths[$0] }) else { continue }
      if !haveEqualContent(old[oldPath], self[path]) {
        changes.updatedItems.append(ItemMove(from: oldPath, to: path))
      }
      if sectionPairs.oldOfNew[path.section] == oldPath.section {
        staying[path.section, default: []].append((oldPath, path))
      } else {
        changes.movedItems.append(ItemMove(from: oldPath, to: path))
      }
    }
    for pairs in staying.values {
      let kept = Self.longestIncreasing(pairs.map(\.old.item))
      for (index, pair) in pairs.enumerated() where !kept.contains(index) {
        changes.movedItems.append(ItemMove(from: pair.old, to: pair.new))
      }
    }
    changes.movedItems.sort { $0.to < $1.to }
    return changes
  }

  private static func pair<ID: Hashable>(_ old: [ID], _ new: [ID]) -> (newOfOld: [Int: Int], oldOfNew: [Int: Int]) {
    var places: [ID: [Int]] = [:]
    for (index, id) in old.enumerated().reversed() { places[id, default: []].append(index) }
    var result: (newOfOld: [Int: Int], oldOfNew: [Int: Int]) = ([:], [:])
    for (index, id) in new.enumerated() {
      guard let place = places[id]?.popLast() else { continue }
      result.newOfOld[place] = index
      result.oldOfNew[index] = place
    }
    return result
  }

  private static func longestIncreasing(_ values: [Int]) -> Set<Int> {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: values.count)
    for (index, value) in values.enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? tails[low - 1] : nil
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: Set<Int> = []
    var next = tails.last
    while let index = next {
      result.insert(index)
      next = previous[index]
    }
    return result
  }
}
