#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The options of a ``RemoteDataSource``.
///
/// ```swift
/// var options = RemoteOptions()
/// options.longestPause = .seconds(5)
/// let remote = RemoteDataSource<Errand>(LocalTransport(feed), options: options)
/// ```
public struct RemoteOptions: Sendable {
  /// How long to wait for the first byte of an answer.
  public var patience = Duration.seconds(10)
  /// How long a stream may be silent. It must be longer than the time between two signs of life that the service sends
  /// to keep it open.
  public var silence = Duration.seconds(45)
  /// How long the service waits for news when it is polled.
  public var pollingTime = Duration.seconds(20)
  /// A stream that ends sooner is quickly closed: after three in a row, polling begins.
  public var quickClose = Duration.seconds(5)
  /// The pause before the first new attempt. Each further one is twice as long, and all vary at random.
  public var shortestPause = Duration.milliseconds(500)
  /// The longest pause between attempts, unless the service asks for a longer one.
  public var longestPause = Duration.seconds(30)
  /// How many bytes a frame can have. A longer one is an error.
  public var largestFrame = 16 << 20
  /// How many bytes a snapshot can have in all. A longer one is an error that is final.
  public var largestSnapshot = 512 << 20
  /// How many rows the list can have. More are an error that is final.
  public var largestList = 10_000_000
  /// Makes the decoder of rows, to fit ``FeedOptions/encoder`` of the service.
  public var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }
  /// Makes the encoder of the rows in edits, to fit ``FeedOptions/decoder`` of the service.
  public var encoder: @Sendable () -> JSONEncoder = { JSONEncoder() }
  /// Measures all times, for tests that don't wait.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// A number from 0 to 1 for each pause, for tests that expect a certain one.
  public var random: @Sendable () -> Double = { Double.random(in: 0...1) }

  /// Creates the options, with their defaults.
  public init() {}
}

/// Whether the list of a ``RemoteDataSource`` is that of its service.
///
/// ```swift
/// func line(_ state: FeedState) -> String {
///   switch state {
///   case .connecting: "connecting"
///   case .live: "live"
///   case .stale(since: let date, reason: _): "stale since \(date)"
///   case .failed(let reason): reason
///   }
/// }
/// ```
public enum FeedState: Sendable, Equatable {
  /// Nothing has been read yet, and nothing has failed.
  case connecting
  /// The list is that of the service, and changes with it.
  case live
  /// The connection was lost, or there never was one. The list is as it was at that time. New attempts follow.
  case stale(since: Date, reason: String)
  /// No further attempt will be made before ``RemoteDataSource/reconnect()`` or ``RemoteDataSource/reload()``. The list
  /// stays as it was.
  case failed(reason: String)
}
