/// Keeps an observation running: of a data source, of a controller or of a database's commits.
///
/// Keep it: the observation ends when this is cancelled or released. After `cancel()` has returned on the actor of an
/// observer that is called on one, that observer is not called any more. Elsewhere a call that is running continues.
public final class ObservationToken: Sendable {
  private let end: @Sendable () -> Void

  package init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  /// Ends the observation. Calling it again has no effect.
  public func cancel() { end() }
}
