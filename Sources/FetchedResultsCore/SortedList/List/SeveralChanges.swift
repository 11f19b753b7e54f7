import DataSources

/// The changes of a list in which several rows were read again: enough to know the difference without comparing lists.
///
/// Comparing two snapshots looks at all rows of each leaf that differs, which may be a hundred for each changed row.
/// Here only the changed rows are looked at. The rows between two of them keep their order, so they are one run.
///
/// This works while the list keeps its sections. Otherwise the lists are compared.
struct SeveralChanges {
  struct Row {
    enum Kind { case leaves, arrives, moves, stays }
    var kind: Kind
    var slot: UInt32
    /// Its path before the edit, unless it arrives.
    var old = ItemPath(section: 0, item: 0)
    /// Its path after the edit, unless it leaves.
    var new = ItemPath(section: 0, item: 0)
    /// Whether its content has changed.
    var isUpdated = false
  }

  /// The rows that leave, arrive, move, or stay with other content.
  var rows: [Row] = []
  /// How many rows the sections of rows that leave or move had before.
  var oldCounts: [Int: Int] = [:]
  /// The sections that have other names.
  var renamedSections: [Int] = []

  /// The difference; nil if the lists must be compared.
  ///
  /// Complexity: O(k log k) for k rows.
  func changes() -> Changes? {
    var changes = Changes()
    changes.updatedSections = Set(renamedSections).sorted().map { SectionMove(from: $0, to: $0) }
    var edited: [Int: EditedSection] = [:]
    for row in rows {
      let move = ItemMove(from: row.old, to: row.new)
      switch row.kind {
      case .stays: break
      case .leaves: changes.deletedItems.append(row.old)
      case .arrives: changes.insertedItems.append(row.new)
      case .moves: if row.old.section != row.new.section { changes.movedItems.append(move) }
      }
      if row.isUpdated { changes.updatedItems.append(move) }
      if row.kind == .leaves || row.kind == .moves {
        edited[row.old.section, default: EditedSection()].removed.append(row.old.item)
      }
      if row.kind == .arrives || row.kind == .moves {
        let isOfSection = row.kind == .moves && row.old.section == row.new.section
        edited[row.new.section, default: EditedSection()].inserted.append(
          (new: row.new.item, old: isOfSection ? row.old.item : nil))
      }
    }
    for (number, var section) in edited where section.inserted.contains(where: { $0.old != nil }) {
      guard let runs = section.runs(oldCount: oldCounts[number] ?? 0) else { return nil }
      for run in runs.moved() {
        for index in 0..<run.count {
          changes.movedItems.append(
            ItemMove(
              from: ItemPath(section: number, item: run.old + index),
              to: ItemPath(section: number, item: run.new + index)))
        }
      }
    }
    changes.deletedItems.sort()
    changes.insertedItems.sort()
    changes.movedItems.sort { $0.to < $1.to }
    changes.updatedItems.sort { $0.to < $1.to }
    return changes
  }

  /// The rows that are removed from a section and inserted into it.
  private struct EditedSection {
    /// The old indices of the removed rows.
    var removed: [Int] = []
    /// The new indices of the inserted rows, and the old ones of those that were in this section before.
    var inserted: [(new: Int, old: Int?)] = []

    /// The rows that are in the section before and after, in runs that are consecutive in both; nil if the indices fit
    /// no section.
    mutating func runs(oldCount: Int) -> [Run]? {
      removed.sort()
      inserted.sort { $0.new < $1.new }
      var runs: [Run] = []
      var (old, new) = (0, 0)
      var (removal, insertion) = (0, 0)
      while true {
        while removal < removed.count, removed[removal] == old {
          old += 1
          removal += 1
        }
        while insertion < inserted.count, inserted[insertion].new == new {
          if let old = inserted[insertion].old { runs.append(Run(old: old, new: new, count: 1)) }
          new += 1
          insertion += 1
        }
        if old == oldCount, insertion == inserted.count { return runs }
        let nextRemoved = removal < removed.count ? removed[removal] : oldCount
        let nextInserted = insertion < inserted.count ? inserted[insertion].new : .max
        let length = min(nextRemoved - old, nextInserted - new)
        guard length > 0 else { return nil }
        runs.append(Run(old: old, new: new, count: length))
        old += length
        new += length
      }
    }
  }
}
