public import Observation

/// An observable value on the main actor, for SwiftUI or anything else that uses `withObservationTracking`.
///
/// ```swift
/// let open = ValueModel(database.values { c in try c.count(FetchRequest<Item>(where: "NOT done")) })
/// print(open.value ?? 0)
/// ```
///
/// It follows a stream of values until it is released or the stream ends.
@MainActor @Observable public final class ValueModel<Value: Sendable> {
  /// The last value; nil before the first one has arrived.
  public private(set) var value: Value?
  /// Why there are no further values, if the stream has thrown.
  public private(set) var error: (any Error)?
  @ObservationIgnored private var reading: Task<Void, Never>?

  /// Follows a stream.
  public init(_ values: AsyncThrowingStream<Value, any Error>) {
    reading = Task { [weak self] in
      do {
        for try await value in values { self?.value = value }
      } catch {
        self?.error = error
      }
    }
  }

  /// Follows a stream that doesn't fail, such as the states of a list of another program.
  public init(_ values: AsyncStream<Value>) {
    reading = Task { [weak self] in
      for await value in values { self?.value = value }
    }
  }

  deinit { reading?.cancel() }
}
