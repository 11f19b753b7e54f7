public import Observation

/// A list on the main actor that tells whoever read it when it changes: SwiftUI, or anything else that uses
/// `withObservationTracking`.
///
/// ```swift
/// @MainActor final class Badge {
///   private let todos: ResultsModel<String>
///   private(set) var text = ""
///
///   init(_ source: some DataSourceProtocol<String>) {
///     todos = ResultsModel(source)
///     show()
///   }
///
///   private func show() {
///     withObservationTracking {
///       text = "\(todos.numberOfItems) to do"
///     } onChange: { [weak self] in
///       Task { await self?.show() }
///     }
///   }
/// }
/// ```
///
/// In SwiftUI a view keeps it as `@State` and reads it:
///
/// ```swift
/// List {
///   ForEach(model.sections) { section in
///     SwiftUI.Section(section.name) { ForEach(section.items) { Text($0.title) } }
///   }
/// }
/// .refreshable { try? await model.reload() }
/// ```
///
/// The list is there from the start, and nobody is told of that. Then each update of the source is one change of the model: all
/// properties change in one step, on the main actor, and who reads any of them sees the list either before the update or
/// after it. While the main actor is busy, updates merge into one. Only who read what did change is told; a view that shows ``isEmpty``
/// is not drawn again for each further row.
///
/// The model keeps its source alive, so that a view need only keep the model. When the model is released, following ends.
///
/// It belongs to the main actor because that is where views are drawn; a program that blocks its main thread sees no change.
/// On other actors use ``DataSourceProtocol/observe(initial:isolation:_:)``, in tasks ``DataSourceProtocol/updates()``.
@MainActor @Observable public final class ResultsModel<Item: Sendable> {
  /// All that is shown, in one value, so that nobody sees a half of an update. The properties tell of it by themselves.
  @ObservationIgnored private var state: (snapshot: Snapshot<Item>, lastUpdate: Update<Item>?)
  @ObservationIgnored private let source: any DataSourceProtocol<Item>
  @ObservationIgnored private var observation: ListObservation?

  /// Follows a data source from its list of this moment on.
  ///
  /// Complexity: that of ``DataSourceProtocol/follow()``, O(1) for the sources of this package.
  public init(_ source: some DataSourceProtocol<Item>) {
    let following = source.follow()
    self.source = source
    state = (following.snapshot, nil)
    observation = following.observe { [weak self] update in self?.take(update) }
  }

  /// The list as it is shown now. It may be behind the source, until the main actor comes to it.
  ///
  /// Complexity: O(1).
  public var snapshot: Snapshot<Item> {
    access(keyPath: \.snapshot)
    return state.snapshot
  }

  /// The list as it is shown now, by its familiar name.
  ///
  /// Complexity: O(1).
  public var sections: Snapshot<Item> { snapshot }

  /// The number of rows in all sections. Who reads only this is told only when it differs.
  ///
  /// Complexity: O(1).
  public var numberOfItems: Int {
    access(keyPath: \.numberOfItems)
    return state.snapshot.numberOfItems
  }

  /// Whether there is no row, however many sections there are. Who reads only this is told only when it differs.
  ///
  /// Complexity: O(1).
  public var isEmpty: Bool {
    access(keyPath: \.isEmpty)
    return state.snapshot.numberOfItems == 0
  }

  /// The step that led to the list as it is shown; nil until there is one. It keeps the list before.
  ///
  /// Complexity: O(1).
  public var lastUpdate: Update<Item>? {
    access(keyPath: \.lastUpdate)
    return state.lastUpdate
  }

  /// Fetches the list anew from wherever it comes from. When that fails, the list stays as it was.
  public func reload() async throws { try await source.reload() }

  /// Takes an update over. All who are to be told are told before the change that it comes, and after it that it came.
  private func take(_ update: Update<Item>) {
    let before = state
    withMutation(keyPath: \.snapshot) {
      withMutation(keyPath: \.lastUpdate) {
        withMutation(of: \.numberOfItems, if: before.snapshot.numberOfItems != update.new.numberOfItems) {
          withMutation(of: \.isEmpty, if: (before.snapshot.numberOfItems == 0) != (update.new.numberOfItems == 0)) {
            state = (update.new, update)
          }
        }
      }
    }
    // With the list before may go the last reference to an item: not while anyone is being told.
    withExtendedLifetime(before) {}
  }

  private func withMutation<Member>(of keyPath: KeyPath<ResultsModel, Member>, if differs: Bool, _ body: () -> Void) {
    if differs { withMutation(keyPath: keyPath, body) } else { body() }
  }
}
