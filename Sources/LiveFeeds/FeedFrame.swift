public import DataSources

/// One line of a feed: a piece of a snapshot, or a patch.
///
/// ```swift
/// for await frame in feed.frames(after: nil) { print(frame.next, frame.line.count) }
/// ```
///
/// It is encoded once, and all readers share the bytes. docs/WireFormat.md says what the JSON means.
public struct FeedFrame: Sendable {
  /// The token of the place behind this frame: ask for what follows with it.
  public let next: String
  /// A server-sent event: `id:` with the token, `data:` with the JSON, and an empty line.
  public let event: [UInt8]

  private let json: Range<Int>

  /// The JSON, without a line break.
  public var data: ArraySlice<UInt8> { event[json] }

  /// The JSON and a line break.
  public var line: ArraySlice<UInt8> { event[json.lowerBound..<json.upperBound + 1] }

  /// - Parameter parts: The parts of the JSON, which have no line break.
  package init(next: String, _ parts: [some Sequence<UInt8>]) {
    self.next = next
    var event = Array("id: \(next)\ndata: ".utf8)
    let start = event.count
    for part in parts { event += part }
    json = start..<event.count
    event += Array("\n\n".utf8)
    self.event = event
  }
}

/// What a feed has for a reader.
///
/// ```swift
/// var read: FeedRead = feed.read(after: nil)
/// while let last = read.frames.last, !read.isEnd { read = feed.read(after: last.next) }  // the pieces of the snapshot
/// ```
public struct FeedRead: Sendable {
  /// The frames that follow; none if there is nothing new yet.
  public var frames: [FeedFrame] = []
  /// Whether the frames are a right answer to the same question for ever, so that caches may keep them.
  public var isImmutable = false
  /// Whether nothing will follow these frames: the source has ended, or a row can't be encoded.
  public var isEnd = false

  package init(frames: [FeedFrame] = [], isImmutable: Bool = false, isEnd: Bool = false) {
    (self.frames, self.isImmutable, self.isEnd) = (frames, isImmutable, isEnd)
  }
}

/// A list as frames, whatever its rows are: what a server needs of a ``LiveFeed``.
public protocol FrameSource: AnyObject, Sendable {
  /// What follows a place. It never waits.
  ///
  /// With the last piece of a snapshot comes what has followed it, so the list is complete behind a frame without
  /// `more`. A token that is unknown, because the service was restarted or the reader was away for long, is answered by
  /// the first piece of a snapshot, and so is nil.
  func read(after token: String?) -> FeedRead

  /// Calls a handler whenever frames were added, and when the feed has ended. It must be short.
  func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken

  /// The block of rows with a number, counted from 0, of a size, as a feed of its own; nil if the feed has no blocks.
  func window(_ number: Int, of size: Int) -> (any FrameSource)?

  /// Makes the changes that a reader wishes: a JSON array of ``RowEdit``. Returns `{"next": TOKEN}`: a reader that
  /// has read up to that place has the changes.
  ///
  /// - Throws: An ``EditConflict``, a ``FeedError`` if the list takes no edits or can't read this one, or an error of
  ///   the service. Then nothing has changed.
  func apply(_ edit: [UInt8]) async throws -> [UInt8]
}

extension FrameSource {
  /// Refuses the edit.
  public func apply(_ edit: [UInt8]) async throws -> [UInt8] {
    throw FeedError("this list takes no edits", isFinal: true)
  }
}

extension FrameSource {
  /// The frames from a place on, as they come: those of a snapshot, then patches. The stream ends with the feed.
  ///
  /// ```swift
  /// for await frame in feed.frames(after: nil) { print(String(decoding: frame.data, as: UTF8.self)) }
  /// ```
  ///
  /// A reader that is slow costs nothing: what it has missed comes as one patch.
  public func frames(after token: String?) -> AsyncStream<FeedFrame> {
    let reader = FrameReader(self, token)
    return AsyncStream {
      await reader.next()
    } onCancel: {
      reader.cancel()
    }
  }
}
