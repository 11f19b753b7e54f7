/// How a ``RemoteDataSource`` reaches its feed: one method, and another one for edits, which any HTTP library can do.
///
/// ```swift
/// struct Recording: FeedTransport {
///   let lines: [String]
///
///   func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
///     if lines.isEmpty { throw FeedError("nothing was recorded", isFinal: true) }
///     return AsyncThrowingStream { parts in
///       for line in lines { parts.yield(Array("\(line)\n".utf8)) }
///       parts.finish()
///     }
///   }
/// }
/// ```
///
/// Over HTTP, get ``FeedRequest/address(_:)`` with the header ``FeedRequest/accept``, throw the error that
/// ``FeedError/init(status:retryAfter:)`` makes of the status, and give the body as it comes. `CurlTransport` of the
/// module with that name does so. ``LocalTransport`` reaches a feed in the same process.
public protocol FeedTransport: Sendable {
  /// Opens the feed and returns when the answer begins. The sequence gives its bytes as they come, in parts of any
  /// size.
  ///
  /// When the task is cancelled, this method and the sequence end at once. The connection is closed when the sequence
  /// is no longer used.
  ///
  /// - Throws: A ``FeedError``, which says whether to try again. Other errors are tried again.
  func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable

  /// Sends an edit to the feed, and returns the answer. Over HTTP it is a POST of JSON to the feed's address; throw an
  /// ``EditConflict`` with the answer's text for the status 409, and what ``FeedError/init(status:retryAfter:)`` makes
  /// of others. Without this method, edits are refused.
  func send(_ edit: [UInt8]) async throws -> [UInt8]
}

extension FeedTransport {
  /// Refuses the edit.
  public func send(_ edit: [UInt8]) async throws -> [UInt8] {
    throw FeedError("this transport sends no edits", isFinal: true)
  }
}

/// What a ``RemoteDataSource`` asks its transport for.
///
/// ```swift
/// let request = FeedRequest(after: "k3x.8", wait: .seconds(20))
/// print(request.address("https://orders.example/errands/live"), request.accept)
/// ```
public struct FeedRequest: Sendable, Equatable {
  /// The place to continue from; nil for a new snapshot.
  public var token: String?
  /// How long the service should wait for news, for an answer that ends; nil for a stream.
  ///
  /// A transport whose streams are never cut or held back, such as a pipe, may answer with a stream in any case.
  public var wait: Duration?

  /// Creates a request.
  public init(after token: String? = nil, wait: Duration? = nil) { (self.token, self.wait) = (token, wait) }

  /// The address to get over HTTP, made of that of the feed. It may have a query, such as that of a window.
  public func address(_ feed: String) -> String {
    var query = token.map { ["after=" + Self.escaped($0)] } ?? []
    if let wait { query.append("wait=\(max(1, wait.components.seconds))") }
    if query.isEmpty { return feed }
    return feed + (feed.contains("?") ? "&" : "?") + query.joined(separator: "&")
  }

  /// The header `Accept` over HTTP.
  public var accept: String { wait == nil ? "text/event-stream" : "application/x-ndjson" }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch UInt8(byte) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

/// Why a feed can't be read, and whether to try again.
///
/// ```swift
/// throw FeedError("not signed in", isFinal: true)
/// ```
public struct FeedError: Error, Hashable, CustomStringConvertible {
  /// The reason for users.
  public var reason: String
  /// Whether trying again is useless until something else changes, such as the user's password.
  public var isFinal: Bool
  /// How long the service asks to wait before the next attempt.
  public var retryAfter: Duration?

  /// Creates an error.
  public init(_ reason: String, isFinal: Bool = false, retryAfter: Duration? = nil) {
    (self.reason, self.isFinal, self.retryAfter) = (reason, isFinal, retryAfter)
  }

  /// The error of an HTTP status; nil for 200 to 299.
  ///
  /// Most 4xx are final, such as 401, 403 and 404. Those that depend on the moment are not: 408, 409, 425 and 429, and
  /// 410, the answer of a service whose list has ended, such as while it starts again.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - retryAfter: The header Retry-After, in seconds; a date is not understood.
  public init?(status: Int, retryAfter: String? = nil) {
    if (200..<300).contains(status) { return nil }
    let reasons = [401: "not signed in", 403: "not allowed", 404: "not found", 429: "too often", 503: "busy"]
    let isFinal = (300..<500).contains(status) && ![408, 409, 410, 425, 429].contains(status)
    let seconds = retryAfter.flatMap { Int64($0.trimmingSpaces) }.map { Duration.seconds(max(0, min($0, 86_400))) }
    self.init("status \(status)" + (reasons[status].map { ", \($0)" } ?? ""), isFinal: isFinal, retryAfter: seconds)
  }

  /// The reason.
  public var description: String { reason }
}

extension String {
  fileprivate var trimmingSpaces: Substring {
    self[...].drop { $0 == " " }.prefix { $0 != " " && !$0.isNewline }
  }
}
