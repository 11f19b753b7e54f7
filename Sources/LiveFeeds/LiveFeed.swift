public import DataSources
import FetchedResultsSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A data source as a log of frames, for readers in browsers, in other programs and on other machines.
///
/// A reader gets a snapshot of the list, in pieces, and then one patch for each change. Each frame is encoded once,
/// however many readers there are. A reader that comes back says how far it had read:
///
/// ```swift
/// let feed = LiveFeed(errands)
/// var read = feed.read(after: nil)                       // the first piece of a snapshot
/// for frame in read.frames { print(String(decoding: frame.data, as: UTF8.self)) }
/// read = feed.read(after: read.frames.last?.next)        // what follows: the next piece, patches, or nothing new
/// ```
///
/// It belongs to no server: `read` never waits, ``FrameSource/frames(after:)`` does. A reader that stalls costs nothing
/// but its place. The newest patches are kept, up to ``FeedOptions/historyBytes``; many that a reader has missed are
/// merged into one. Beyond that, and when most of a list has changed, a reader gets a new snapshot, of which its client
/// makes one difference.
///
/// It follows the source until it is released. Rows that can't be encoded end it, see ``failure``.
public final class LiveFeed<Item: Encodable & Sendable>: FrameSource {
  private let source: AnyDataSource<Item>
  private let options: FeedOptions
  private let log: FeedLog<Item>
  /// The log of the whole list, which a reader of this window also observes; nil if this is no window.
  private let whole: FeedLog<Item>?
  private let following: Task<Void, Never>
  private let windows: Locked<WindowShelf<Item>>
  private let changing: Changing?

  /// Makes the changes of an encoded edit.
  private typealias Changing = @Sendable (_ edit: [UInt8]) async throws -> Void

  /// Makes a feed of a data source, such as a controller that has fetched, a list in memory, or another feed's list.
  ///
  /// ```swift
  /// let feed = LiveFeed(errands)
  /// let server = FeedServer()
  /// server.feed("/errands/live", feed)
  /// ```
  public convenience init(_ source: some DataSourceProtocol<Item>, options: FeedOptions = FeedOptions()) {
    self.init(AnyDataSource(source), window: nil, options, nil)
  }

  /// Makes a feed whose readers may edit the list.
  ///
  /// ```swift
  /// let feed = LiveFeed(errands) { edits in
  ///   try errands.edit { draft in
  ///     for case .update(let old, let new, to: _) in edits {
  ///       guard let path = draft.snapshot.path(of: old.id), draft.snapshot[path] == old else {
  ///         throw EditConflict("\"\(old.title)\" has changed")
  ///       }
  ///       draft.update(new, at: path)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// Over a controller, write to the database, and wait for `settled()`: then the list has the commit.
  ///
  /// - Parameters:
  ///   - source: The list.
  ///   - options: How the frames are made, and how much of them is kept.
  ///   - apply: Makes the changes that a reader wishes, all or none, and returns when the list has them. It decides
  ///     what may change. An ``EditConflict`` that it throws is the answer to the reader.
  public convenience init(
    _ source: some DataSourceProtocol<Item>, options: FeedOptions = FeedOptions(),
    apply: @escaping @Sendable (_ edits: [RowEdit<Item>]) async throws -> Void
  ) where Item: Decodable {
    self.init(AnyDataSource(source), window: nil, options) { body in
      let edits: [RowEdit<Item>]
      do {
        edits = try options.decoder().decode([RowEdit<Item>].self, from: Data(body))
      } catch {
        throw FeedError("this edit can't be read: \(error)", isFinal: true)
      }
      try await apply(edits)
    }
  }

  private init(
    _ source: AnyDataSource<Item>, window: Range<Int>?, of whole: FeedLog<Item>? = nil, _ options: FeedOptions,
    _ changing: Changing?
  ) {
    let following = source.follow()
    let log = FeedLog<Item>(following.snapshot, window: window, options)
    (self.source, self.options, self.log, self.whole, self.changing) = (source, options, log, whole, changing)
    windows = Locked(WindowShelf())
    self.following = Task {
      for await update in following.updates { log.append(update) }
      if !Task.isCancelled { log.end() }
    }
  }

  deinit { following.cancel() }

  /// The log's name: the beginning of its tokens.
  public var handle: String { log.handle }

  /// Why the feed has ended, if a row could not be encoded: then the last frame tells its readers.
  public var failure: (any Error)? { log.failure }

  /// What follows a place; see ``FrameSource/read(after:)``. Encoding happens in the feed's own task, and for a
  /// snapshot here, once for all readers.
  ///
  /// ```swift
  /// var token: String?
  /// for frame in feed.read(after: token).frames { token = frame.next }
  /// ```
  public func read(after token: String?) -> FeedRead { log.read(after: token) }

  /// Calls a handler whenever frames were added; see ``FrameSource/observe(_:)``.
  ///
  /// ```swift
  /// let news = DispatchSemaphore(value: 0)
  /// let observation = feed.observe { news.signal() }
  /// ```
  public func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
    let token = log.observe(handler)
    guard let presence = whole?.observe({}) else { return token }
    return ObservationToken {
      token.cancel()
      presence.cancel()
    }
  }

  /// Whether somebody observes the feed or one of its windows, as every reader that waits does.
  ///
  /// ```swift
  /// if !feed.isObserved { feed.end() }
  /// ```
  public var isObserved: Bool { log.isObserved }

  /// Makes the changes that a reader wishes; see ``FrameSource/apply(_:)``.
  public func apply(_ edit: [UInt8]) async throws -> [UInt8] {
    guard let changing else { throw FeedError("this list takes no edits", isFinal: true) }
    try await changing(edit)
    return Array("{\"next\":\"\(await log.token(behind: source))\"}".utf8)
  }

  /// Ends the feed for all readers, such as when a service stops.
  ///
  /// ```swift
  /// feed.end()
  /// ```
  public func end() {
    following.cancel()
    log.end()
    for window in windows.withLock({ $0.takeAll() }) { window.end() }
  }

  /// A block of rows as a feed of its own, with the number of all rows. All who ask for the same block share it.
  ///
  /// ```swift
  /// let third = feed.window(2, of: 100)  // rows 200 to 299
  /// ```
  public func window(_ number: Int, of size: Int) -> (any FrameSource)? {
    guard number >= 0, size > 0, !number.multipliedReportingOverflow(by: size).overflow,
      number * size <= Int(Int32.max), size <= Int(Int32.max)
    else { return nil }
    let rows = number * size..<number * size + size
    if let known = windows.withLock({ $0.window(rows) }) { return known }
    let made = LiveFeed(source, window: rows, of: whole ?? log, options, changing)
    // Released under no lock: the oldest one, or this one if another thread was quicker.
    let (window, released) = windows.withLock { $0.add(made, rows, idle: options.idleWindows) }
    return withExtendedLifetime(released) { window }
  }
}

/// The windows of a feed: those that were asked for last. A window that is left out of it lives as long as its readers.
private struct WindowShelf<Item: Encodable & Sendable>: Sendable {
  private var windows: [Range<Int>: LiveFeed<Item>] = [:]
  /// The oldest first.
  private var order: [Range<Int>] = []

  mutating func window(_ rows: Range<Int>) -> LiveFeed<Item>? {
    guard let known = windows[rows] else { return nil }
    order.removeAll { $0 == rows }
    order.append(rows)
    return known
  }

  mutating func add(
    _ made: LiveFeed<Item>, _ rows: Range<Int>, idle: Int
  ) -> (window: LiveFeed<Item>, released: LiveFeed<Item>?) {
    if let known = window(rows) { return (known, made) }
    windows[rows] = made
    order.append(rows)
    return (made, order.count > idle ? windows.removeValue(forKey: order.removeFirst()) : nil)
  }

  mutating func takeAll() -> [LiveFeed<Item>] {
    defer { self = WindowShelf() }
    return Array(windows.values)
  }
}
