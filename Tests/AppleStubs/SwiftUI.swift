// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of SwiftUI, so that examples and files for it can be type-checked on Linux. Nothing here does anything.
// Written after https://developer.apple.com/documentation/swiftui: the pages of each type, named at the type.

// view
@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}
extension Never: View {
  public var body: Never { fatalError() }
}

// viewbuilder
@resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
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

// state
@propertyWrapper public struct State<Value> {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var wrappedValue: Value
}

// view/refreshable(action:)
extension View {
  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
}
