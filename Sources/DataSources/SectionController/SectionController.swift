/// A sectioned list in memory that can be edited from anywhere and tells what became of it.
///
/// ```swift
/// let errands = SectionController<String>()
/// errands.createSection(name: "Errands", items: ["Milk", "Bread"])
/// errands.createSection(name: "Career", items: ["Call Ann"])
/// errands.append("Eggs", toSection: 0)
/// errands.numberOfItems(inSection: 0)  // 3
/// ```
///
/// Items need only be `Sendable`. An edit knows what it did, so differences are exact even for items that cannot be compared;
/// where they are identifiable and equatable, what an edit did and undid is not told.
///
/// Reading takes constant time on any thread and never waits for an edit.
public final class SectionController<Item: Sendable>: EditableDataSource {
  private let broadcaster: UpdateBroadcaster<Item>
  private let turns = TurnTaking()
  /// The ids of the sections, from one edit to the next. Only the edit whose turn it is uses them.
  private let known: Locked<TakenIDs?> = Locked(nil)

  /// Makes a list without sections.
  public convenience init() { self.init(sections: []) }

  /// Makes a flat list: one section without a name, which holds the items and may be empty.
  ///
  /// Complexity: O(n).
  public convenience init(_ items: [Item]) {
    self.init(sections: [Section(id: .none, name: "", items: items)])
  }

  /// Makes a list of sections.
  ///
  /// Complexity: O(number of sections).
  public convenience init(sections: [Section<Item>]) { self.init(Snapshot(sections)) }

  /// Makes a list that starts as another one is.
  ///
  /// Complexity: O(1).
  public init(_ snapshot: Snapshot<Item>) { broadcaster = UpdateBroadcaster(snapshot) }

  /// The list as it is now.
  public var snapshot: Snapshot<Item> { broadcaster.snapshot }

  /// The changes from here on.
  public func updates() -> AsyncStream<Update<Item>> { broadcaster.updates() }

  /// The list as it is now and the changes from here on, taken in the same instant.
  public func follow() -> Following<Item> { broadcaster.follow() }

  /// Does nothing: the list is its own source.
  public func reload() async throws {}

  /// Edits the list in any number of steps, and publishes them as one update. See ``EditableDataSource/edit(_:)``.
  public func edit<Result>(_ body: (inout Draft<Item>) throws -> Result) rethrows -> Result {
    // What the body has to say is all that runs in the turn. What changed is found when the turn is over, and what goes with the
    // edit is released then: both may run the items' code, which may wait for other edits, and edit this list itself.
    var ended: Draft<Item>?
    var delivery: UpdateBroadcaster<Item>.Delivery?
    defer { withExtendedLifetime((ended, delivery)) {} }
    let result = try turns.inTurn {
      var draft = Draft(broadcaster.snapshot, knowing: known.withLock { $0.take() })
      defer { ended = draft }
      let result = try body(&draft)
      delivery = draft.pendingUpdate.map { broadcaster.commit($0) }
      let taken = draft.takenIDs.take()
      known.withLock { $0 = taken }
      return result
    }
    if let delivery { broadcaster.deliver(delivery) }
    return result
  }
}
