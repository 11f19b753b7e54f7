/// An observation of a controller, which lasts until it is cancelled or released.
public final class ResultsObservation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  /// Ends the observation. A running call continues.
  public func cancel() { end() }
}
