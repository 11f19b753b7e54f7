/// An update that waits for a reader: a single one, or several that will be merged.
///
/// It is created and taken under a lock and read outside it: computing the difference takes time and may run the items'
/// own code.
struct PendingUpdate<Item: Sendable>: Sendable {
  private enum Contents: Sendable {
    case changes(Changes)
    /// The successive differences; unused if there are several updates and they are merged by comparing lists.
    case parts([LazyChanges])
  }

  let old: Snapshot<Item>
  let new: Snapshot<Item>
  /// The number of updates that it represents.
  let count: Int
  private let contents: Contents

  init(_ update: Update<Item>) {
    (old, new, count, contents) = (update.old, update.new, 1, .changes(update.changes))
  }

  init(old: Snapshot<Item>, new: Snapshot<Item>, count: Int, parts: [LazyChanges]) {
    (self.old, self.new, self.count, contents) = (old, new, count, .parts(parts))
  }

  /// One update whose difference a function computes, which may run the items' code.
  init(old: Snapshot<Item>, new: Snapshot<Item>, finding find: @escaping @Sendable () -> Changes) {
    self.init(old: old, new: new, count: 1, parts: [LazyChanges(finding: find)])
  }

  /// Whether it is known that nothing changed.
  var isKnownToBeEmpty: Bool {
    if case .changes(let changes) = contents { changes.isEmpty } else { false }
  }

  /// Whether it can be resolved without delay and without the items' code.
  var isReady: Bool {
    guard count == 1 else { return false }
    switch contents {
    case .changes: return true
    case .parts(let parts): return parts.allSatisfy { $0.known != nil }
    }
  }

  /// Computes the difference of one update, for all readers that will resolve it.
  func find() {
    if count == 1, case .parts(let parts) = contents { for part in parts { _ = part.changes } }
  }

  /// Records the difference in a log.
  func note(in log: inout LazyChangesLog) {
    switch contents {
    case .changes(let changes): log.append(changes)
    case .parts(let parts): for part in parts { log.append(part) }
    }
  }

  /// The update to deliver; nil if no changes remain.
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
        if count > 1, case .composingByID(let difference) = merging, !log.changes.isEmpty {
          changes = difference(old, new, log.changes)
        } else {
          changes = log.changes
        }
      }
    }
    return changes.isEmpty ? nil : Update(old: old, new: new, changes: changes)
  }
}
