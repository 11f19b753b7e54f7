/// Performs the user's actions on rows: from a path to its item, through a check, to an asynchronous action.
///
/// It is the counterpart of an adapter, and gets the same source: the adapter shows, the interactor acts.
///
/// ```swift
/// let toggle = ListInteractor(source: errands) { errand in
///   !errand.isDone
/// } action: { errand in
///   try await database.write { c in try c.execute("UPDATE errand SET done = 1 WHERE id = \(errand.id)") }
/// }
/// try await toggle.perform(at: path, in: adapter.snapshot)
/// ```
public struct ListInteractor<Item: Sendable>: Sendable {
  private let source: AnyDataSource<Item>
  private let gate: @Sendable (Item) -> Bool
  private let action: @Sendable (Item) async throws -> Void

  /// Creates an interactor.
  ///
  /// - Parameters:
  ///   - source: The list that paths refer to.
  ///   - canEdit: Whether the action is allowed for an item; by default, it always is.
  ///   - action: What to do with the item.
  public init(
    source: some DataSourceProtocol<Item>,
    canEdit: @escaping @Sendable (_ item: Item) -> Bool = { _ in true },
    action: @escaping @Sendable (_ item: Item) async throws -> Void
  ) {
    self.source = AnyDataSource(source)
    gate = canEdit
    self.action = action
  }

  /// Whether the action is allowed for the row at a path; false if not found.
  ///
  /// ```swift
  /// let toggle = ListInteractor(source: errands) { errand in print("done: \(errand.title)") }
  /// if toggle.canPerform(at: path, in: adapter.snapshot) { try await toggle.perform(at: path, in: adapter.snapshot) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path that the user points at.
  ///   - shown: The list that the user sees, such as ``ListAdapter/snapshot``; by default, the source's current list.
  public func canPerform(at path: ItemPath, in shown: Snapshot<Item>? = nil) -> Bool {
    (shown ?? source.snapshot).item(at: path).map(gate) ?? false
  }

  /// Performs the action on the row at a path, if the check allows it.
  ///
  /// The list may change between what the user saw and this call; then the path belongs to another row. Pass the list
  /// that the user saw, and the action is performed on the row that was meant.
  ///
  /// - Parameters:
  ///   - path: The path that the user points at.
  ///   - shown: The list that the user sees, such as ``ListAdapter/snapshot``; by default, the source's current list.
  /// - Returns: Whether the action was performed: false if it is not allowed, or if there is no such row. An error is
  ///   the action's.
  @discardableResult
  public func perform(at path: ItemPath, in shown: Snapshot<Item>? = nil) async throws -> Bool {
    guard let item = (shown ?? source.snapshot).item(at: path), gate(item) else { return false }
    try await action(item)
    return true
  }
}
