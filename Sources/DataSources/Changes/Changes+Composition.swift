extension Changes {
  /// Combines this difference with the next one: from the list before this one to the list after `next`.
  ///
  /// ```swift
  /// let first = list.snapshot
  /// list.append(order, toSection: 0)
  /// let second = list.snapshot
  /// list.append(gift, toSection: 0)
  /// let both = second.changes(from: first).appending(list.snapshot.changes(from: second))
  /// ```
  ///
  /// The result has as few moves as possible: a row that moves away and back does not move. What can only be found by
  /// comparing rows stays as it was reported: a row that this difference deletes and `next` inserts is a deletion and
  /// an insertion, and a row that changes and changes back is an update. If rows can be compared, `new.changes(from:
  /// old)` is more exact.
  ///
  /// Complexity: O(k log k) for k changes in both, however long the lists.
  public func appending(_ next: Changes) -> Changes {
    if isEmpty { return next }
    if next.isEmpty { return self }
    let first = ItemNumbering(self)
    let second = ItemNumbering(next)
    var result = Changes()

    result.deletedSections =
      (deletedSections + next.deletedSections.compactMap(first.sections.oldIndex)).sorted()
    result.insertedSections =
      (next.insertedSections + insertedSections.compactMap(second.sections.newIndex)).sorted()
    result.movedSections = Self.fewest(
      Self.joined(
        movedSections.compactMap { move in second.sections.newIndex(of: move.to).map { (move.from, $0) } },
        next.movedSections.compactMap { move in first.sections.oldIndex(of: move.from).map { ($0, move.to) } }),
      deleted: result.deletedSections, inserted: result.insertedSections
    ).map { SectionMove(from: $0.from, to: $0.to) }
    result.updatedSections = Self.joined(
      updatedSections.compactMap { move in second.sections.newIndex(of: move.to).map { (move.from, $0) } },
      next.updatedSections.compactMap { move in first.sections.oldIndex(of: move.from).map { ($0, move.to) } }
    ).map { SectionMove(from: $0.from, to: $0.to) }

    result.deletedItems = (deletedItems + next.deletedItems.compactMap(first.oldPath)).sorted()
    result.insertedItems = (next.insertedItems + insertedItems.compactMap(second.newPath)).sorted()
    let moves = Self.joined(
      movedItems.compactMap { move in second.newPath(of: move.to).map { (move.from, $0) } },
      next.movedItems.compactMap { move in first.oldPath(of: move.from).map { ($0, move.to) } })
    result.movedItems = result.fewest(moves)
    result.updatedItems = Self.joined(
      updatedItems.compactMap { move in second.newPath(of: move.to).map { (move.from, $0) } },
      next.updatedItems.compactMap { move in first.oldPath(of: move.from).map { ($0, move.to) } }
    ).map { ItemMove(from: $0.from, to: $0.to) }
    return result
  }

  /// Two lists of pairs as one, each pair once, ascending by `to`.
  private static func joined<Place: Hashable & Comparable>(
    _ first: [(Place, Place)], _ second: [(Place, Place)]
  ) -> [(from: Place, to: Place)] {
    var seen: Set<Place> = []
    return (first + second).filter { seen.insert($0.1).inserted }
      .sorted { $0.1 < $1.1 }.map { (from: $0.0, to: $0.1) }
  }

  /// The fewest moves of rows with the same effect as `moves`, given this difference's sections, deletions and
  /// insertions.
  private func fewest(_ moves: [(from: ItemPath, to: ItemPath)]) -> [ItemMove] {
    let numbering = SectionNumbering(self)
    var result: [ItemMove] = []
    var staying: [Int: [(from: Int, to: Int)]] = [:]
    var gone: [Int: [Int]] = [:]
    var come: [Int: [Int]] = [:]
    for move in moves {
      if numbering.newIndex(of: move.from.section) == move.to.section {
        staying[move.to.section, default: []].append((move.from.item, move.to.item))
      } else {
        result.append(ItemMove(from: move.from, to: move.to))
        gone[move.from.section, default: []].append(move.from.item)
        come[move.to.section, default: []].append(move.to.item)
      }
    }
    if !staying.isEmpty {
      for path in deletedItems { gone[path.section, default: []].append(path.item) }
      for path in insertedItems { come[path.section, default: []].append(path.item) }
    }
    for (new, pairs) in staying {
      guard let old = numbering.oldIndex(of: new) else { continue }
      for pair in Self.fewest(pairs, deleted: gone[old] ?? [], inserted: come[new] ?? []) {
        result.append(
          ItemMove(from: ItemPath(section: old, item: pair.from), to: ItemPath(section: new, item: pair.to)))
      }
    }
    return result.sorted { $0.to < $1.to }
  }

  /// The fewest moves in one sequence with the same effect as `moves`, if the other deleted and inserted places are
  /// known.
  ///
  /// Everything that is neither moved, deleted nor inserted stays in order. It is divided into runs at the moved
  /// elements. The heaviest increasing sequence of runs and moved elements is kept. The part after the last division
  /// always stays, so its length, which is not known, does not matter.
  private static func fewest(
    _ moves: [(from: Int, to: Int)], deleted: [Int], inserted: [Int]
  ) -> [(from: Int, to: Int)] {
    if moves.isEmpty { return [] }
    let leaving = (deleted + moves.map(\.from)).sorted()
    let arriving = (inserted + moves.map(\.to)).sorted()
    var cuts: Set<Int> = [0]
    for move in moves {
      cuts.insert(move.from - leaving.partitioningIndex { $0 >= move.from })
      cuts.insert(move.to - arriving.partitioningIndex { $0 >= move.to })
    }
    let bounds = cuts.sorted()
    var runs = moves.map { Run(old: $0.from, new: $0.to, count: 1) }
    for (low, high) in zip(bounds, bounds.dropFirst()) {
      runs.append(Run(old: leaving.elementOutside(low), new: arriving.elementOutside(low), count: high - low))
    }
    runs.sort { $0.new < $1.new }
    return runs.moved().flatMap { run -> [(from: Int, to: Int)] in
      // A run of rows that stayed may contain deletions or insertions, so look its places up one by one.
      guard let rank = leaving.rankOutside(run.old) else { return [(run.old, run.new)] }
      return (rank..<rank + run.count).map { (leaving.elementOutside($0), arriving.elementOutside($0)) }
    }.sorted { $0.to < $1.to }
  }
}
