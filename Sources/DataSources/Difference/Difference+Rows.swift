extension Difference {
  /// Compares the rows of a section that is in both lists.
  @inlinable mutating func compareRows(_ old: Rows, _ oldSection: Int, _ new: Rows, _ newSection: Int) {
    collectRows(old, oldSection, new, newSection)
    pairing.pair(
      old: oldRows.count, new: newRows.count,
      isSame: { [matching, oldRows, newRows] in
        areSame(matching.id(of: oldRows[$0].pointer), matching.id(of: newRows[$1].pointer))
      },
      oldID: { [matching, oldRows] in matching.id(of: oldRows[$0].pointer) },
      newID: { [matching, newRows] in matching.id(of: newRows[$0].pointer) })

    var runs: [Run] = []
    for index in newRows.indices {
      let partner = Int(pairing.oldOfNew[index])
      let new = newRows[index]
      if partner < 0 {
        leftNew.append(new)
        continue
      }
      let old = oldRows[partner]
      if !matching.haveEqualContent(old.pointer, new.pointer) {
        changes.updatedItems.append(ItemMove(from: old.path, to: new.path))
      }
      runs.extend(with: Run(old: Int(old.item), new: Int(new.item), count: 1))
    }
    for index in oldRows.indices where !pairing.isPaired[index] { leftOld.append(oldRows[index]) }

    if !sharedRuns.isEmpty {
      runs.append(contentsOf: sharedRuns)
      runs = runs.sortedAndJoined()
    }
    for run in runs.moved() {
      for index in 0..<run.count {
        changes.movedItems.append(
          ItemMove(
            from: ItemPath(section: oldSection, item: run.old + index),
            to: ItemPath(section: newSection, item: run.new + index)))
      }
    }
  }

  /// Fills `oldRows` and `newRows` with the rows of the leaves that are not shared, and `sharedRuns` with the others.
  @inlinable mutating func collectRows(_ old: Rows, _ oldSection: Int, _ new: Rows, _ newSection: Int) {
    oldRows.removeAll(keepingCapacity: true)
    newRows.removeAll(keepingCapacity: true)
    sharedRuns.removeAll(keepingCapacity: true)
    guard let oldRoot = old.root, let newRoot = new.root, oldRoot.height + newRoot.height > 0 else {
      // There is no tree of which parts could be skipped.
      Self.append(old, section: oldSection, to: &oldRows)
      Self.append(new, section: newSection, to: &newRows)
      return
    }
    var oldRows: [RowReference<Item>] = []
    var newRows: [RowReference<Item>] = []
    var shared: [Run] = []
    swap(&oldRows, &self.oldRows)
    swap(&newRows, &self.newRows)
    swap(&shared, &sharedRuns)
    Rows.compare(
      [TreePiece(oldRoot, offset: 0)], [TreePiece(newRoot, offset: 0)],
      shared: { shared.extend(with: Run(old: $0.offset, new: $1.offset, count: $0.totalCount)) },
      onlyOld: { Self.append($0, section: oldSection, to: &oldRows) },
      onlyNew: { Self.append($0, section: newSection, to: &newRows) })
    self.oldRows = oldRows
    self.newRows = newRows
    sharedRuns = shared
  }

  @inlinable static func append(_ piece: TreePiece<Item>, section: Int, to list: inout [RowReference<Item>]) {
    piece.node._withUnsafeGuaranteedRef { node in
      if node.height > 0 { return }
      node.withElements { elements in
        list.reserveRoom(for: node.count)
        for index in 0..<node.count {
          list.append(RowReference(pointer: elements + index, section: section, item: piece.offset + index))
        }
      }
    }
  }

  /// Pairs the rows that have no partner in their section, and sorts the result.
  @inlinable mutating func pairAcrossSections() {
    leftOld.sortByPath { $0.path }
    leftNew.sortByPath { $0.path }
    pairing.pair(
      old: leftOld.count, new: leftNew.count,
      isSame: { [matching, leftOld, leftNew] in
        areSame(matching.id(of: leftOld[$0].pointer), matching.id(of: leftNew[$1].pointer))
      },
      oldID: { [matching, leftOld] in matching.id(of: leftOld[$0].pointer) },
      newID: { [matching, leftNew] in matching.id(of: leftNew[$0].pointer) })
    for index in leftNew.indices {
      let partner = Int(pairing.oldOfNew[index])
      let new = leftNew[index]
      if partner < 0 {
        changes.insertedItems.append(new.path)
        continue
      }
      let old = leftOld[partner]
      changes.movedItems.append(ItemMove(from: old.path, to: new.path))
      if !matching.haveEqualContent(old.pointer, new.pointer) {
        changes.updatedItems.append(ItemMove(from: old.path, to: new.path))
      }
    }
    for index in leftOld.indices where !pairing.isPaired[index] { changes.deletedItems.append(leftOld[index].path) }
    changes.movedItems.sortByPath { $0.to }
    changes.updatedItems.sortByPath { $0.to }
  }
}
