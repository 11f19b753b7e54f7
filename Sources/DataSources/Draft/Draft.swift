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
/// ``update``. Such a draft collects the ids of all sections when it first makes up one, so create many sections of a source of
/// your own in one edit; a ``SectionController`` knows them from the edit before. A place that is not there, a negative one
/// included, is a mistake of the caller's and stops the program, with a message that names the place and what there is.
public struct Draft<Item: Sendable>: Sendable {
  /// The list as edited so far.
  public internal(set) var snapshot: Snapshot<Item>
  private let base: Snapshot<Item>
  /// What the steps did, up to the first of which only the items' code can tell.
  private var log = ChangesLog()
  /// That step and those after it, where they will be composed.
  private var rest: [Step] = []
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
  public var update: Update<Item>? { pendingUpdate?.resolved(.composing) }

  /// All steps as one, of which the items' code is yet to say what changed; nil when they are known to leave the list as it was.
  ///
  /// It runs no code of the items', so that it can be published under a lock.
  var pendingUpdate: PendingUpdate<Item>? {
    if steps > 1, let exact = AutomaticDifference<Item>.exact {
      return PendingUpdate(old: base, new: snapshot) { [base, snapshot] in exact(base, snapshot) }
    }
    if rest.isEmpty {
      let changes = log.changes
      return changes.isEmpty ? nil : PendingUpdate(Update(old: base, new: snapshot, changes: changes))
    }
    return PendingUpdate(old: base, new: snapshot) { [log, rest] in
      var log = log
      for step in rest { log.append(step.changes) }
      return log.changes
    }
  }

  /// What a step did.
  enum Step: Sendable {
    case known(Changes)
    /// To be found by a function that runs the items' code.
    case unknown(@Sendable () -> Changes)

    fileprivate var changes: Changes {
      switch self {
      case .known(let changes): changes
      case .unknown(let find): find()
      }
    }
  }

  /// Takes down what a step did.
  mutating func record(_ changes: Changes) {
    if !changes.isEmpty { record(.known(changes)) }
  }

  mutating func record(_ step: Step) {
    steps += 1
    // Where the lists will be compared, only a first step's own knowledge is of use.
    guard steps == 1 || AutomaticDifference<Item>.exact == nil else { return }
    if rest.isEmpty, case .known(let changes) = step { log.append(changes) } else { rest.append(step) }
  }
}
