/// What waits for a reader: one update, or several that are still to become one.
///
/// It is taken under a lock and read outside of it, since finding the difference takes time and may call the items' own code.
struct PendingUpdate<Item: Sendable>: Sendable {
  let old: Snapshot<Item>
  let new: Snapshot<Item>
  /// The number of updates that it stands for.
  let count: Int
  /// Their differences in turn; without meaning where there are several and they are found by comparing.
  let logs: [ChangesLog]

  init(_ update: Update<Item>) {
    self.init(old: update.old, new: update.new, count: 1, logs: [ChangesLog(update.changes)])
  }

  init(old: Snapshot<Item>, new: Snapshot<Item>, count: Int, logs: [ChangesLog]) {
    self.old = old
    self.new = new
    self.count = count
    self.logs = logs
  }

  /// The update to hand out; nil when nothing remains of the changes.
  func resolved(_ merging: UpdateMerging<Item>) -> Update<Item>? {
    let changes: Changes
    if count > 1, case .comparing(let difference) = merging {
      changes = difference(old, new)
    } else {
      var all = ChangesLog()
      for log in logs { all.append(log) }
      changes = all.changes
    }
    return changes.isEmpty ? nil : Update(old: old, new: new, changes: changes)
  }
}
