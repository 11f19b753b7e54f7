/// What waits for a reader: one update, or several that are still to become one.
///
/// It is made and taken under a lock and read outside of it: finding the difference takes time and may run the items' own code.
struct PendingUpdate<Item: Sendable>: Sendable {
  private enum Contents: Sendable {
    case changes(Changes)
    /// The differences in turn; without meaning where there are several updates and they are found by comparing.
    case parts([LazyChanges])
  }

  let old: Snapshot<Item>
  let new: Snapshot<Item>
  /// The number of updates that it stands for.
  let count: Int
  private let contents: Contents

  init(_ update: Update<Item>) {
    (old, new, count, contents) = (update.old, update.new, 1, .changes(update.changes))
  }

  init(old: Snapshot<Item>, new: Snapshot<Item>, count: Int, parts: [LazyChanges]) {
    (self.old, self.new, self.count, contents) = (old, new, count, .parts(parts))
  }

  /// One update whose difference a function finds, which may run the items' code.
  init(old: Snapshot<Item>, new: Snapshot<Item>, finding find: @escaping @Sendable () -> Changes) {
    self.init(old: old, new: new, count: 1, parts: [LazyChanges(finding: find)])
  }

  /// Whether it is known that nothing changed.
  var isKnownToBeEmpty: Bool {
    if case .changes(let changes) = contents { changes.isEmpty } else { false }
  }

  /// Whether it takes neither time nor the items' code to resolve it.
  var isReady: Bool {
    guard count == 1 else { return false }
    switch contents {
    case .changes: return true
    case .parts(let parts): return parts.allSatisfy { $0.known != nil }
    }
  }

  /// Finds the difference of one update, for all who will resolve it.
  func find() {
    if count == 1, case .parts(let parts) = contents { for part in parts { _ = part.changes } }
  }

  /// Puts the difference into a log.
  func note(in log: inout LazyChangesLog) {
    switch contents {
    case .changes(let changes): log.append(changes)
    case .parts(let parts): for part in parts { log.append(part) }
    }
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
