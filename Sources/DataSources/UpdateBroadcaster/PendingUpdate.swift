/// What waits for a reader: one update, or several that are still to become one.
///
/// It is taken under a lock and read outside of it, since finding the difference takes time and may call the items' own code.
struct PendingUpdate<Item: Sendable>: Sendable {
  private enum Contents: Sendable {
    case changes(Changes)
    /// The differences in turn; without meaning where there are several and they are found by comparing.
    case parts([ComposedChanges])
  }

  let old: Snapshot<Item>
  let new: Snapshot<Item>
  /// The number of updates that it stands for.
  let count: Int
  private let contents: Contents

  init(_ update: Update<Item>) {
    (old, new, count, contents) = (update.old, update.new, 1, .changes(update.changes))
  }

  init(old: Snapshot<Item>, new: Snapshot<Item>, count: Int, parts: [ComposedChanges]) {
    (self.old, self.new, self.count, contents) = (old, new, count, .parts(parts))
  }

  /// The update to hand out; nil when nothing remains of the changes.
  func resolved(_ merging: UpdateMerging<Item>) -> Update<Item>? {
    let changes: Changes
    if count > 1, case .comparing(let difference) = merging {
      changes = difference(old, new)
    } else {
      switch contents {
      case .changes(let known): changes = known
      case .parts(let parts):
        var log = ChangesLog()
        for part in parts { log.append(part.changes) }
        changes = log.changes
      }
    }
    return changes.isEmpty ? nil : Update(old: old, new: new, changes: changes)
  }
}
