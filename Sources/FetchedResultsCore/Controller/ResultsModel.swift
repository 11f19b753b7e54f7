public import DataSources
public import Observation

/// An observable list on the main actor, for SwiftUI or anything else that uses `withObservationTracking`.
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
/// `withObservationTracking` needs `import Observation`. In SwiftUI, `@Fetched` of the module AppleLists shows a
/// request. For another data source a view keeps a model as `@State` and reads it:
///
/// ```swift
/// import FetchedResults
/// import SwiftUI
///
/// struct ErrandList: View {
///   @State var model: ResultsModel<Errand>
///   var body: some View {
///     List {
///       ForEach(model.sections) { section in
///         SwiftUI.Section(section.name) { ForEach(section.items) { Text($0.title) } }
///       }
///     }
///     .refreshable { try? await model.reload() }
///   }
/// }
/// ```
///
/// The list is available from the start, without a notification. After that, each update of the source is one change of
/// the model: all properties change in one step, on the main actor, so a reader sees the list either before the update
/// or after it. While the main actor is busy, updates are merged into one. Only readers of properties that differ are
/// notified: a view that shows ``isEmpty`` is not drawn again for each further row.
///
/// The model keeps its source alive, so a view only needs to keep the model. When the model is released, following
/// ends.
///
/// It belongs to the main actor because views are drawn there; a program that blocks its main thread sees no change. On
/// other actors use ``DataSources/DataSourceProtocol/observe(initial:isolation:_:)``, in tasks
/// ``DataSources/DataSourceProtocol/updates()``.
@MainActor @Observable public final class ResultsModel<Item: Sendable> {
  /// The whole state in one value, so that readers never see half of an update. The properties notify readers
  /// themselves.
  @ObservationIgnored private var state: (snapshot: Snapshot<Item>, lastUpdate: Update<Item>?)
  @ObservationIgnored private let source: any DataSourceProtocol<Item>
  @ObservationIgnored private var observation: ObservationToken?
  /// Performs each change of the model, such as in an animation.
  @ObservationIgnored package var changing: (_ change: () -> Void) -> Void = { $0() }

  /// Follows a data source, starting with its current list.
  ///
  /// Complexity: that of ``DataSources/DataSourceProtocol/follow()``, O(1) for the sources of this package.
  public init(_ source: some DataSourceProtocol<Item>) {
    let following = source.follow()
    self.source = source
    state = (following.snapshot, nil)
    observation = following.observe { [weak self] update in self?.changing { self?.take(update) } }
  }

  /// The list as it is shown now. It may be behind the source until the main actor is free.
  ///
  /// Complexity: O(1).
  public var snapshot: Snapshot<Item> {
    access(keyPath: \.snapshot)
    return state.snapshot
  }

  /// The list as it is shown now, under its familiar name.
  ///
  /// Complexity: O(1).
  public var sections: Snapshot<Item> { snapshot }

  /// The number of rows in all sections. Readers of only this property are notified only when it differs.
  ///
  /// Complexity: O(1).
  public var numberOfItems: Int {
    access(keyPath: \.numberOfItems)
    return state.snapshot.numberOfItems
  }

  /// Whether there is no row, regardless of the number of sections. Readers of only this property are notified only
  /// when it differs.
  ///
  /// Complexity: O(1).
  public var isEmpty: Bool {
    access(keyPath: \.isEmpty)
    return state.snapshot.numberOfItems == 0
  }

  /// The update that led to the shown list; nil if there was none yet. It keeps the previous list alive.
  ///
  /// Complexity: O(1).
  public var lastUpdate: Update<Item>? {
    access(keyPath: \.lastUpdate)
    return state.lastUpdate
  }

  /// Reloads the list from its source. If that fails, the list stays as it was.
  public func reload() async throws { try await source.reload() }

  /// Applies an update. Notifies all affected readers before the change, and again after it.
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
    // Releasing the previous list may release the last reference to an item: not while readers are being notified.
    withExtendedLifetime(before) {}
  }

  private func withMutation<Member>(of keyPath: KeyPath<ResultsModel, Member>, if differs: Bool, _ body: () -> Void) {
    if differs { withMutation(keyPath: keyPath, body) } else { body() }
  }
}
