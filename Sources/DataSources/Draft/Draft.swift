/// A list in the midst of an edit: changed step by step, published as one update.
///
/// ``EditableDataSource/edit(_:)`` hands one out. Each step is seen by the next, and by nobody else until the edit ends.
///
/// ```swift
/// controller.edit { draft in
///   let errands = draft.createSection(name: "Errands", items: ["Milk"])
///   draft.append("Bread", toSection: 0)
/// }
/// ```
///
/// Whoever writes a data source of their own makes a draft of the present list, lets it be edited, and publishes its
/// ``update``. A place that is not there, a negative one included, is a mistake of the caller's and stops the program, with a
/// message that names the place and what there is.
public struct Draft<Item: Sendable>: Sendable {
  /// The list as edited so far.
  public internal(set) var snapshot: Snapshot<Item>
  private let base: Snapshot<Item>
  private var log = ChangesLog()
  private var steps = 0
  /// The ids of all sections, once a name was made unique; nil where the next one has to collect them.
  var takenIDs: TakenIDs?

  /// Starts from a list.
  public init(_ snapshot: Snapshot<Item>) {
    self.init(snapshot, knowing: nil)
  }

  /// Starts from a list whose section ids may be known from the edit before.
  init(_ snapshot: Snapshot<Item>, knowing takenIDs: TakenIDs?) {
    self.snapshot = snapshot
    base = snapshot
    self.takenIDs = takenIDs
  }

  /// All steps as one; nil when they leave the list as it was.
  ///
  /// One step knows what it did. Of several, the first and the last list are compared where items are identifiable and
  /// equatable values, so that what was done and undone is not reported; elsewhere the steps are composed.
  ///
  /// Complexity: O(k log n) for k changes.
  public var update: Update<Item>? {
    let changes: Changes
    if steps > 1, let exact = AutomaticDifference<Item>.exact {
      changes = exact(base, snapshot)
    } else {
      changes = log.changes
    }
    return changes.isEmpty ? nil : Update(old: base, new: snapshot, changes: changes)
  }

  /// Takes down what a step did.
  mutating func record(_ changes: Changes) {
    guard !changes.isEmpty else { return }
    steps += 1
    // Where the lists will be compared, only a first step's own knowledge is of use.
    if steps == 1 || AutomaticDifference<Item>.exact == nil { log.append(changes) }
  }
}
