/// How to load a store.
///
/// A ``ProviderDataSource`` loads its store with one: it is empty before the first `reload()`, and a load that fails
/// keeps the previous store.
///
/// ```swift
/// let inbox = Fetchable { try await client.titles() }
/// let fixed = Fetchable.value(["Milk", "Bread"])
/// ```
public struct Fetchable<Store: Sendable>: Sendable {
  private let body: @Sendable () async throws -> Store

  /// Creates a way to load a store.
  public init(_ load: @escaping @Sendable () async throws -> Store) { body = load }

  /// An existing store.
  public static func value(_ store: Store) -> Fetchable { Fetchable { store } }

  /// Loads the store.
  ///
  /// ```swift
  /// let titles = try await Fetchable { try await client.titles() }.load()
  /// ```
  public func load() async throws -> Store { try await body() }

  /// The same, with the store converted after it is loaded.
  ///
  /// ```swift
  /// let inbox = Fetchable { try await client.titles() }
  /// let upperCased = inbox.map { titles in titles.map { $0.uppercased() } }
  /// ```
  public func map<Other: Sendable>(_ transform: @escaping @Sendable (Store) throws -> Other) -> Fetchable<Other> {
    let body = body
    return Fetchable<Other> { try await transform(body()) }
  }
}
