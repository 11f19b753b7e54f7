/// An observation of a data source, which lasts as long as this object.
///
/// ``DataSourceProtocol/observe(initial:isolation:_:)`` returns one. Keep it: it ends when it is cancelled or released.
/// After `cancel()` has returned on the observer's actor, the observer is not called any more.
public final class ListObservation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  /// Ends the observation. Calling it again has no effect.
  public func cancel() { end() }
}
