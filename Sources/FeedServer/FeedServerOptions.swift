import FetchedResultsSupport

/// The options of a ``FeedServer``.
///
/// ```swift
/// var options = FeedServerOptions()
/// options.port = 9090
/// options.readers = 1_000
/// let server = FeedServer(options)
/// ```
public struct FeedServerOptions: Sendable {
  /// The address to listen at. By default only programs on this machine can connect. For others, set ``certificate``
  /// and ``key``, or let a reverse proxy, such as nginx, speak to the world.
  public var address = "127.0.0.1"

  /// The port to listen at; 0 for any that is free, see ``FeedServer/port``.
  public var port: UInt16 = 8080

  /// The server's certificate in PEM, followed by those between it and its root: with it and ``key``, the server speaks
  /// https (TLS 1.2 and 1.3). It is read when the server starts: for another one, start another server.
  ///
  /// ```swift
  /// var options = FeedServerOptions()
  /// options.certificate = try String(contentsOfFile: "fullchain.pem", encoding: .utf8)
  /// options.key = try String(contentsOfFile: "privkey.pem", encoding: .utf8)
  /// ```
  public var certificate: String?

  /// The private key of ``certificate`` in PEM, without a password.
  public var key: String?

  /// How many readers are connected to feeds at most. Others are refused with status 503 and `Retry-After`.
  public var readers = 10_000

  /// How many other requests are answered at a time at most. Beyond that, connections wait to be accepted.
  public var otherConnections = 200

  /// How many bytes each connection has for the head of a request, of which about a quarter is bookkeeping. A longer
  /// one is refused with status 431. All readers pay for it.
  public var headBytes = 4 << 10

  /// How many bytes a body has at most. A longer one is refused with status 413, one of unknown length with 411.
  public var bodyBytes = 1 << 20

  /// How many connections a client has at most; 0 for any number. More are closed at once. Behind a proxy, all clients
  /// are one here.
  public var connectionsPerClient = 0

  /// How many requests a second a client sends at most for long, and four times as many at once; nil for any number.
  /// More are refused with status 429 and `Retry-After`.
  public var requestsPerSecond: Int?

  /// How many answers with status 401 a client gets at once, and one more each second; nil for any number. Then all of
  /// its requests are refused with status 429 and `Retry-After`, so that secrets can't be guessed. Requests that pages
  /// of other sites make a browser send are counted and refused apart, so that such a page can't lock the user out. See
  /// also ``HTTPResponse/countsAsGuess``.
  public var unauthorizedAtOnce: Int?

  /// Whether a proxy on this machine is trusted to name the client, as the last address of `X-Forwarded-For`.
  public var isBehindProxy = false

  /// How long a client may neither read nor send, when it is its turn, and how long it may take to send the head of a
  /// request, before it is cut. A body may take as long, and one more second for each 4 KiB that have come.
  public var patience = Duration.seconds(60)

  /// How often a silent stream sends an event `alive`, so that proxies keep it open and clients that are gone are
  /// found.
  public var keepAlive = Duration.seconds(20)

  /// How long a browser waits before it connects again.
  public var retry = Duration.seconds(2)

  /// How often `authorize` is asked again for a reader that is connected.
  public var authorizeAgain = Duration.seconds(60)

  /// How long readers have to take their last bytes, and handlers to answer, when the server stops.
  public var stopping = Duration.seconds(5)

  /// The headers that every answer has, such as a policy for browsers.
  public var headers: [String: String] = [:]

  /// Makes the answer to a request that the server itself refuses, from its status and a sentence: such as one to a
  /// path that doesn't exist, or whose body is too long. By default it is plain text.
  public var refusal: @Sendable (_ status: Int, _ reason: String) -> HTTPResponse = { HTTPResponse($0, $1) }

  /// Receives a line for each error that a client doesn't see in full, such as one that a handler throws.
  /// By default they go to standard error.
  public var log: @Sendable (String) -> Void = { line in
    Array("FeedServer: \(line)\n".utf8).withUnsafeBytes { _ = CLibrary.write(2, $0) }
  }

  /// Receives each request when its answer has ended. The server waits for it, so it must be short.
  public var answered: (@Sendable (AnsweredRequest) -> Void)?

  /// Creates the options of a server, with their defaults.
  public init() {}
}

/// What a ``FeedServer`` has done and is doing.
///
/// ```swift
/// let counts: FeedServerCounts = FeedServer().counts
/// print("\(counts.readers) readers, \(counts.refused) refused")
/// ```
public struct FeedServerCounts: Sendable {
  /// How many readers are connected to feeds: streams, and polls that wait.
  public var readers = 0
  /// How many connections are open.
  public var connections = 0
  /// How many requests came.
  public var requests = 0
  /// How many of them were refused, because of a limit or by `authorize`.
  public var refused = 0
  /// How many bytes of bodies were sent.
  public var bytesSent = 0
  /// How long handlers and refusals took, from the end of a request's head to its answer.
  public var answers = Durations()
  /// How long the frames of streams took, from a feed's news to a reader's connection.
  public var frames = Durations()
}

/// Why a ``FeedServer`` doesn't start.
///
/// ```swift
/// do { try FeedServer().start() } catch FeedServerError.builtWithoutNet { print("build it with the trait Net") }
/// ```
public enum FeedServerError: Error, CustomStringConvertible {
  /// The package was built without its trait `Net`.
  case builtWithoutNet
  /// The address is no numeric one.
  case address(String)
  /// The certificate and its key can't be used.
  case certificate
  /// The system refuses, for this reason.
  case system(String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .builtWithoutNet:
      "this program was built without HTTP; install libmicrohttpd's headers and build with `--traits Net`"
    case .address(let text): "\"\(text)\" is no address; use 127.0.0.1, ::1, or 0.0.0.0 for every network"
    case .certificate:
      "the certificate or its key can't be used: both must be PEM, the key without a password, and belong together"
    case .system(let reason): reason
    }
  }
}
