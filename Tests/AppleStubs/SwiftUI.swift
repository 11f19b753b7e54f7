// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of SwiftUI, so that examples and files for it can be type-checked on Linux. Nothing here does anything.
// Written after the pages below https://developer.apple.com/documentation/swiftui that are named at each declaration.

// view
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}
extension Never: View {
  public var body: Never { fatalError() }
}

// viewbuilder: …/buildblock(_:), …/buildif(_:)
@resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)>
  {
    TupleView()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

// tupleview
public struct TupleView<T>: View {
  public var body: Never { fatalError() }
}

// optional: SwiftUI's conformance to View
extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}

// list
public struct List<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

// foreach
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
  @MainActor public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where Data.Element: Identifiable, ID == Data.Element.ID, Content: View {}
}
extension ForEach: View where Content: View {
  public var body: Never { fatalError() }
}

// section
public struct Section<Content: View>: View {
  public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

// text
public struct Text: View {
  public init(_ content: some StringProtocol) {}
  public var body: Never { fatalError() }
}

// view/refreshable(action:), view/environment(_:_:)
extension View {
  nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
  nonisolated public func environment<V>(
    _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
  ) -> some View { self }
}

// dynamicproperty, dynamicproperty/update()
public protocol DynamicProperty {
  mutating func update()
}
extension DynamicProperty {
  public mutating func update() {}
}

// state: …/init(wrappedvalue:), …/wrappedvalue
@propertyWrapper public struct State<Value>: DynamicProperty {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var wrappedValue: Value
}

// environment: …/init(_:), …/wrappedvalue
@propertyWrapper public struct Environment<Value>: DynamicProperty {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}

// environmentkey
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

// environmentvalues, environmentvalues/subscript(_:)
public struct EnvironmentValues {
  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { fatalError() }
    set {}
  }
}

// animation, animation/default; withanimation(_:_:)
public struct Animation: Hashable, Sendable {
  public static let `default` = Animation()
}
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
  try body()
}

// fetchrequest and fetchedresults: only that these names are taken
@propertyWrapper public struct FetchRequest<Result> {
  public var wrappedValue: FetchedResults<Result> { fatalError() }
  public init() {}
}
public struct FetchedResults<Result> {}
