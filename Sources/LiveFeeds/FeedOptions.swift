#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The options of a feed.
///
/// ```swift
/// var options = FeedOptions()
/// options.historyBytes = 1 << 20
/// let feed = LiveFeed(errands, options: options)
/// ```
public struct FeedOptions: Sendable {
  /// How many bytes of patches are kept for readers who come back. A reader who has missed more takes a new snapshot.
  public var historyBytes = 4 << 20

  /// How many bytes a piece of a snapshot has, about.
  public var pieceBytes = 64 << 10

  /// How many windows are kept that nobody reads.
  public var idleWindows = 64

  /// Makes the encoder of rows. By default dates are exact, as seconds since 2001; for a browser, choose another form.
  public var encoder: @Sendable () -> JSONEncoder = { JSONEncoder() }

  /// Makes the decoder of the rows in edits, to fit `encoder`.
  public var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }

  /// Creates the options of a feed, with their defaults.
  public init() {}
}
