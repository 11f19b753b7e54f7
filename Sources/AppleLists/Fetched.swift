#if canImport(SwiftUI)
  public import FetchedResultsCore
  public import RowModel
  public import SwiftUI

  /// The rows of a request in a SwiftUI view, as `@FetchRequest` and `@Query` give those of Core Data and SwiftData.
  ///
  /// This file was only type-checked on Linux, against declarations written after Apple's documentation. It was never
  /// run.
  ///
  /// ```swift
  /// import AppleLists
  /// import FetchedResults
  /// import SwiftUI
  ///
  /// struct ItemList: View {
  ///   @Fetched(
  ///     RowRequest<Item>(where: "NOT done", sectionBy: "list", orderBy: ["title"]), animation: .default)
  ///   private var items
  ///
  ///   var body: some View {
  ///     List {
  ///       if let error = items.error { Text(String(describing: error)) }
  ///       ForEach(items.sections) { section in
  ///         SwiftUI.Section(section.name) { ForEach(section.items) { Text($0.title) } }
  ///       }
  ///     }
  ///     .refreshable { try? await items.reload() }
  ///   }
  /// }
  ///
  /// struct ContentView: View {
  ///   var database: Database
  ///   var body: some View { ItemList().environment(\.database, database) }
  /// }
  /// ```
  ///
  /// `Section` and `FetchRequest` are also names of SwiftUI, so `ListSection` and `RowRequest` are ours.
  ///
  /// The rows are fetched before the view is drawn for the first time, on the main thread as with `@FetchRequest`, and
  /// followed from then on. `items.request` can be set. A view that is created with another request shows that one, and
  /// another database in the environment shows its rows.
  @MainActor @propertyWrapper public struct Fetched<E: Entity>: DynamicProperty {
    @Environment(\.database) private var environmentDatabase
    @State private var list: FetchedList<E>
    private let request: RowRequest<E>
    private let database: (any LiveDatabase)?

    /// Declares the rows of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - database: The database; by default, that of the environment.
    ///   - animation: How changes are animated; by default, not.
    public init(_ request: RowRequest<E>, database: (any LiveDatabase)? = nil, animation: Animation? = nil) {
      self.request = request
      self.database = database
      _list = State(
        wrappedValue: FetchedList(request) { change in
          if let animation { withAnimation(animation) { change() } } else { change() }
        })
    }

    /// The rows, in sections and as one list.
    public var wrappedValue: FetchedList<E> { list }

    /// Fetches the rows, if they are others than before. SwiftUI calls it before it draws the view.
    nonisolated public func update() {
      MainActor.assumeIsolated {
        guard let database = database ?? environmentDatabase else {
          fatalError("@Fetched has no database: pass one, or write .environment(\\.database, database) on a view above")
        }
        list.show(request, of: database)
      }
    }
  }

  private struct DatabaseKey: EnvironmentKey {
    static let defaultValue: (any LiveDatabase)? = nil
  }

  extension EnvironmentValues {
    /// The database of ``Fetched`` properties.
    public var database: (any LiveDatabase)? {
      get { self[DatabaseKey.self] }
      set { self[DatabaseKey.self] = newValue }
    }
  }
#endif
