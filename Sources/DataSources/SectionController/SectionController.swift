import FetchedResultsSupport

/// A sectioned list in memory that can be edited on any thread and publishes its changes.
///
/// ```swift
/// let errands = SectionController<String>()
/// errands.createSection(name: "Errands", items: ["Milk", "Bread"])
/// errands.createSection(name: "Career", items: ["Call Ann"])
/// errands.append("Eggs", toSection: 0)
/// errands.numberOfItems(inSection: 0)  // 3
/// ```
///
/// Items only need to be `Sendable`. An edit knows what it changed, so differences are exact even for items that can't
/// be compared. If items are identifiable and equatable, changes that an edit made and undid are not reported.
///
/// Reading takes constant time on any thread and never waits for an edit.
public final class SectionController<Item: Sendable>: EditableDataSource {
  private let broadcaster: UpdateBroadcaster<Item>
  private let turns = TurnTaking()
  /// The ids of the sections, kept from one edit to the next. Only the running edit uses them.
  private let known: Locked<TakenIDs?> = Locked(nil)

  /// Creates a list without sections.
  public convenience init() { self.init(sections: []) }

  /// Creates a flat list: one section without a name, which holds the items and may be empty.
  ///
  /// Complexity: O(n).
  public convenience init(_ items: [Item]) {
    self.init(sections: [Section(id: .none, name: "", items: items)])
  }

  /// Creates a list from sections.
  ///
  /// Complexity: O(number of sections).
  public convenience init(sections: [Section<Item>]) { self.init(Snapshot(sections)) }

  /// Creates a list with the content of another one.
  ///
  /// Complexity: O(1).
  public init(_ snapshot: Snapshot<Item>) { broadcaster = UpdateBroadcaster(snapshot) }

  /// The current list.
  public var snapshot: Snapshot<Item> { broadcaster.snapshot }

  /// The changes from now on.
  public func updates() -> AsyncStream<Update<Item>> { broadcaster.updates() }

  /// The current list and the changes from now on, taken at the same instant.
  public func follow() -> Following<Item> { broadcaster.follow() }

  /// Does nothing: the list is its own source.
  public func reload() async throws {}

  /// Edits the list in any number of steps, and publishes them as one update. See ``EditableDataSource/edit(_:)``.
  ///
  /// ```swift
  /// list.edit { draft in  // one update
  ///   draft.append(order, toSection: 0)
  ///   draft.move(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 0, item: 0))
  /// }
  /// ```
  public func edit<Result>(_ body: (inout Draft<Item>) throws -> Result) rethrows -> Result {
    // Only the body runs during the turn. After the turn, the changes are determined and old items are released: both
    // may run the items' code, which may wait for other edits, and edit this list itself.
    var ended: Draft<Item>?
    var delivery: UpdateBroadcaster<Item>.Delivery?
    defer { withExtendedLifetime((ended, delivery)) {} }
    let result = try turns.inTurn {
      var draft = Draft(broadcaster.snapshot, knowing: known.withLock { $0.take() })
      defer { ended = draft }
      let result = try body(&draft)
      if !draft.begins(with: broadcaster.snapshot) {
        // The body has set another draft.
        var replaced = Draft(broadcaster.snapshot)
        replaced.replace(with: draft.snapshot)
        draft = replaced
      }
      delivery = draft.pendingUpdate.map { broadcaster.commit($0) }
      let taken = draft.takenIDs.take()
      known.withLock { $0 = taken }
      return result
    }
    if let delivery { broadcaster.deliver(delivery) }
    return result
  }
}
