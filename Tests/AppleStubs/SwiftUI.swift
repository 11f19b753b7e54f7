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

// form, menu, picker, button, textfield, stepper, toggle: the initializers that the app Bookshelf uses
public struct Form<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}
public struct Menu<Content: View>: View {
  public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}
public struct Picker<SelectionValue: Hashable, Content: View>: View {
  public init(_ title: some StringProtocol, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}
public struct ButtonRole: Equatable, Sendable {
  public static let destructive = ButtonRole()
}
public struct Button: View {
  @preconcurrency public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
  @preconcurrency public init(
    _ title: some StringProtocol, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) {}
  public var body: Never { fatalError() }
}
public struct TextField: View {
  public init(_ title: some StringProtocol, text: Binding<String>) {}
  public var body: Never { fatalError() }
}
public struct Stepper: View {
  public init<V: Strideable>(_ title: some StringProtocol, value: Binding<V>, step: V.Stride = 1) {}
  public var body: Never { fatalError() }
}
public struct Toggle: View {
  public init(_ title: some StringProtocol, isOn: Binding<Bool>) {}
  public var body: Never { fatalError() }
}

// view/searchable(text:placement:prompt:), …/toolbar(content:), …/sheet(item:ondismiss:content:),
// …/swipeactions(edge:allowsfullswipe:content:), …/tag(_:), …/disabled(_:)
extension View {
  nonisolated public func searchable(text: Binding<String>) -> some View { self }
  nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
  nonisolated public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>, @ViewBuilder content: @escaping (Item) -> Content
  ) -> some View { self }
  nonisolated public func swipeActions<T: View>(@ViewBuilder content: () -> T) -> some View { self }
  nonisolated public func tag<V: Hashable>(_ tag: V) -> some View { self }
  nonisolated public func disabled(_ disabled: Bool) -> some View { self }
}

// binding, binding/subscript(dynamicmember:)
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  public init(
    get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }
  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}

// dismissaction, environmentvalues/dismiss
@MainActor public struct DismissAction {
  public func callAsFunction() {}
}
extension EnvironmentValues {
  public var dismiss: DismissAction { fatalError() }
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
  public init(wrappedValue: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { fatalError() }
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
