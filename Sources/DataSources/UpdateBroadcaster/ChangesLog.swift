/// Successive differences, to be read as one.
///
/// Composing each with all earlier ones would cost the length of the log for every entry. So entries are kept in runs
/// whose sizes at least double towards the front, and only neighbours of similar size are composed.
struct ChangesLog: Sendable {
  private struct Run: Sendable {
    var changes: Changes
    var size: Int

    init(_ changes: Changes) {
      self.changes = changes
      size =
        changes.deletedSections.count + changes.insertedSections.count + changes.movedSections.count
        + changes.updatedSections.count + changes.deletedItems.count + changes.insertedItems.count
        + changes.movedItems.count + changes.updatedItems.count
    }
  }

  private var runs: [Run] = []

  init() {}

  init(_ changes: Changes) { append(changes) }

  /// Appends the next difference.
  ///
  /// Complexity: amortized O(log k) for each of k changes. The memory is that of the composed differences, which is
  /// bounded by the two lists.
  mutating func append(_ changes: Changes) {
    guard !changes.isEmpty else { return }
    runs.append(Run(changes))
    while runs.count > 1, runs[runs.count - 2].size < 2 * runs[runs.count - 1].size { Self.composeLastTwo(&runs) }
  }

  /// Appends the differences of another log.
  mutating func append(_ other: ChangesLog) {
    for run in other.runs { append(run.changes) }
  }

  /// The number of recorded places.
  var size: Int { runs.reduce(0) { $0 + $1.size } }

  /// All of them as one.
  var changes: Changes {
    var rest = runs
    while rest.count > 1 { Self.composeLastTwo(&rest) }
    return rest.first?.changes ?? Changes()
  }

  private static func composeLastTwo(_ runs: inout [Run]) {
    let last = runs.removeLast()
    let before = runs.removeLast()
    runs.append(Run(before.changes.appending(last.changes)))
  }
}
