/// A list during an edit: changed step by step, published as one update.
///
/// ``EditableDataSource/edit(_:)`` passes one to its closure. Each step is visible to the next, and to nobody else
/// until the edit ends.
///
/// ```swift
/// let list = SectionController<String>()
/// list.edit { draft in
///   let errands = draft.createSection(name: "Errands", items: ["Milk"])
///   draft.append("Bread", toSection: 0)
/// }
/// ```
///
/// To write a data source of your own, make a draft of the current list, let it be edited, and publish its ``update``.
/// Such a draft collects the ids of all sections when it first creates one, so create many sections of a source of your
/// own in one edit; a ``SectionController`` remembers them from the previous edit. An index or path that doesn't exist,
/// also a negative one, is a caller's mistake and stops the program, with a message that names it and the sizes.
public struct Draft<Item: Sendable>: Sendable {
  /// The list as edited so far.
  public internal(set) var snapshot: Snapshot<Item>
  private let base: Snapshot<Item>
  /// The changes of the steps, up to the first step whose changes only the items' code can determine.
  private var log = ChangesLog()
  /// That step and later ones, if they will be composed.
  private var rest: [Step] = []
  private var steps = 0
  /// The ids of all sections, once a name was made unique; nil if the next such step must collect them.
  var takenIDs: TakenIDs?

  /// Starts from a list.
  public init(_ snapshot: Snapshot<Item>) {
    self.init(snapshot, knowing: nil)
  }

  /// Starts from a list. Its section ids may be known from the previous edit.
  init(_ snapshot: Snapshot<Item>, knowing takenIDs: TakenIDs?) {
    self.snapshot = snapshot
    base = snapshot
    self.takenIDs = takenIDs
  }

  /// Whether its steps begin with a list.
  func begins(with list: Snapshot<Item>) -> Bool { base.isIdentical(to: list) }

  /// All steps as one update; nil if they leave the list as it was.
  ///
  /// A single step knows what it changed. For several steps, the first and the last list are compared if items are
  /// identifiable and equatable values, so that changes that were undone are not reported; otherwise the steps are
  /// composed.
  ///
  /// Complexity: O(k log n) for k changes.
  public var update: Update<Item>? { pendingUpdate?.resolved(.composing) }

  /// All steps as one update whose changes the items' code may still have to determine; nil if they are known to leave
  /// the list as it was.
  ///
  /// It runs none of the items' code, so it can be published under a lock.
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

  /// The changes of a step.
  enum Step: Sendable {
    case known(Changes)
    /// To be determined by a function that runs the items' code.
    case unknown(@Sendable () -> Changes)

    fileprivate var changes: Changes {
      switch self {
      case .known(let changes): changes
      case .unknown(let find): find()
      }
    }
  }

  /// Records the changes of a step.
  mutating func record(_ changes: Changes) {
    if !changes.isEmpty { record(.known(changes)) }
  }

  mutating func record(_ step: Step) {
    steps += 1
    // If the lists will be compared, only a single step's own knowledge is of use.
    guard steps == 1 || AutomaticDifference<Item>.exact == nil else { return }
    if rest.isEmpty, case .known(let changes) = step { log.append(changes) } else { rest.append(step) }
  }
}
