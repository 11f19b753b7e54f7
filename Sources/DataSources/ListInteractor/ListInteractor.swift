/// What happens when the user acts on a row: from a path to the item there, past a gate, to an asynchronous action.
///
/// It is the other half of an adapter, and has the same source injected: the adapter shows, the interactor acts.
///
/// ```swift
/// let toggle = ListInteractor(source: tasks) { task in
///   !task.isLocked
/// } action: { task in
///   try await store.toggle(task.id)
/// }
/// let outcome = try await toggle.perform(at: path, in: adapter.snapshot)
/// ```
public struct ListInteractor<Item: Sendable>: Sendable {
  /// What became of a request to act.
  public enum Outcome: Hashable, Sendable {
    /// The action was performed.
    case performed
    /// The gate did not let it through.
    case refused
    /// There is no row at the path.
    case nothingThere
  }

  private let source: AnyDataSource<Item>
  private let gate: @Sendable (Item) -> Bool
  private let action: @Sendable (Item) async throws -> Void

  /// Makes an interactor.
  ///
  /// - Parameters:
  ///   - source: The list that paths are of.
  ///   - canEdit: Whether the action is open to an item; unless given, it always is.
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

  /// Whether the action is open to the row at a path; false where there is none.
  ///
  /// - Parameters:
  ///   - path: The path that the user points at.
  ///   - shown: The list that the user sees, such as ``ListAdapter/snapshot``; unless given, the source's as it is now.
  public func canPerform(at path: ItemPath, in shown: Snapshot<Item>? = nil) -> Bool {
    (shown ?? source.snapshot).item(at: path).map(gate) ?? false
  }

  /// Performs the action on the row at a path, if the gate lets it.
  ///
  /// The list may change between what the user saw and this call, and then the path is another row's. Give the list that the
  /// user saw, and the action is on the row that was meant.
  ///
  /// - Parameters:
  ///   - path: The path that the user points at.
  ///   - shown: The list that the user sees, such as ``ListAdapter/snapshot``; unless given, the source's as it is now.
  /// - Returns: What became of it. An error is the action's.
  @discardableResult
  public func perform(at path: ItemPath, in shown: Snapshot<Item>? = nil) async throws -> Outcome {
    guard let item = (shown ?? source.snapshot).item(at: path) else { return .nothingThere }
    guard gate(item) else { return .refused }
    try await action(item)
    return .performed
  }
}
