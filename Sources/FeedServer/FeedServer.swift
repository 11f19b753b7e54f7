import FetchedResultsSupport
public import LiveFeeds

/// Serves feeds by HTTP, with a few paths of the service's own beside them.
///
/// ```swift
/// let server = FeedServer()
/// server.feed("/errands", feed)
/// server.on("GET", "/version") { _ in HTTPResponse(200, "1.0") }
/// try server.start()
/// print("http://127.0.0.1:\(server.port)/errands")
/// await server.stop()  // tells the readers, and waits for them
/// ```
///
/// A reader chooses between two forms of a feed by its Accept header:
/// - `text/event-stream`: server-sent events, as browsers read them. It resumes after `Last-Event-ID`, or
///   `?after=TOKEN`.
/// - anything else: `GET PATH?after=TOKEN` answers with what follows, one frame a line, and at once. With
///   `&wait=SECONDS` it waits if nothing follows yet. Answers that stay right for ever may be kept by HTTP caches.
///
/// With `?window=N&size=M` both are about the block of rows with that number.
///
/// A POST to the same path is an edit, if the feed takes edits. Edits that a page of another site sends are refused.
///
/// One thread of its own does all of that. A reader costs a few kilobytes and no thread, a commit costs one wake-up of
/// that thread and nothing of the thread that writes. A reader that doesn't read costs its place, until
/// ``FeedServerOptions/patience`` ends.
///
/// It needs Linux, and a build with this package's trait `Net`. With ``FeedServerOptions/certificate`` it speaks https.
public final class FeedServer: Sendable {
  /// Answers a request. It may throw an ``HTTPResponse``. Any other error is logged, and answered with status 500. Its
  /// task is cancelled when the server has stopped.
  public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse
  /// Returns nil if a reader may read a feed, or else what to answer, such as `HTTPResponse(401, "log in first")`.
  public typealias Authorization = @Sendable (HTTPRequest) async throws -> HTTPResponse?
  /// Returns the feed that a reader asks for, nil if there is none.
  public typealias Feeds = @Sendable (HTTPRequest) async throws -> (any FrameSource)?

  private struct State: Sendable {
    var routes: [Route] = []
    /// The socket that listens, until a thread serves it.
    var socket: Int32?
    var thread: ServerThread?
  }

  private let options: FeedServerOptions
  private let state = Locked(State())

  /// Creates a server, which doesn't listen yet.
  public init(_ options: FeedServerOptions = FeedServerOptions()) { self.options = options }

  deinit {
    let (socket, thread) = state.withLock { ($0.socket, $0.thread) }
    if let socket { close(socket) }
    thread?.inbox.stop(nil)
  }

  /// Serves a feed at a path.
  ///
  /// ```swift
  /// let server = FeedServer()
  /// server.feed("/errands/live", LiveFeed(errands)) { request in
  ///   request.cookie("session") == "…" ? nil : HTTPResponse(401, "log in first")
  /// }
  /// try server.start()
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path, such as `/errands/live`.
  ///   - feed: The feed.
  ///   - authorize: Decides who may read, when a reader connects and every ``FeedServerOptions/authorizeAgain`` while
  ///     it is connected, and who may edit: then the method is POST. Without it, everybody may, and shared caches may
  ///     keep the answers.
  public func feed(_ path: String, _ feed: any FrameSource, authorize: Authorization? = nil) {
    feeds(path, authorize: authorize) { _ in feed }
  }

  /// Serves the feed that a closure finds for a request, such as one for each customer.
  ///
  /// ```swift
  /// let feeds = ["errands": feed]
  /// let server = FeedServer()
  /// server.feeds("/lists/{name}") { feeds[$0.parameters["name"] ?? ""] }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path; `{name}` stands for any part of it.
  ///   - takesEdits: Whether a POST is an edit. Otherwise there is none at this path.
  ///   - authorize: Decides who may read and edit, as in ``feed(_:_:authorize:)``.
  ///   - find: Finds the feed; nil answers with status 404.
  public func feeds(
    _ path: String, takesEdits: Bool = true, authorize: Authorization? = nil, _ find: @escaping Feeds
  ) {
    add(Route("GET", path, .feed(find, authorize)))
    if takesEdits { add(Route("POST", path, .edits(find, authorize))) }
  }

  /// Serves a path of the service's own. `{name}` stands for any part of the path, see ``HTTPRequest/parameters``. GET
  /// serves HEAD as well.
  ///
  /// ```swift
  /// let server = FeedServer()
  /// server.on("GET", "/items/{id}") { request in
  ///   guard let id = Int64(request.parameters["id"] ?? "") else { throw HTTPResponse(400, "an id is a number") }
  ///   return HTTPResponse(200, try await database.read { c in try c.entity(Item.self, id: id)?.title } ?? "none")
  /// }
  /// server.on(
  ///   "POST", "/photos/{name}", bodyBytes: 20 << 20,
  ///   authorize: { $0.headers["authorization"] == "Bearer secret" ? nil : HTTPResponse(401, "log in") }
  /// ) { request in
  ///   HTTPResponse(201, "\(request.body.count) bytes of \(request.parameters["name"] ?? "a photo")")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - method: The method, in capitals.
  ///   - path: The path; `{name}` stands for any part of it.
  ///   - bodyBytes: How many bytes a body has at most; nil for ``FeedServerOptions/bodyBytes``.
  ///   - authorize: Returns nil if a request may be answered, or else the refusal. It receives the head, before the
  ///     body takes any memory. Without it, everybody may ask.
  ///   - handler: Answers a request.
  public func on(
    _ method: String, _ path: String, bodyBytes: Int? = nil,
    authorize: (@Sendable (HTTPRequest) -> HTTPResponse?)? = nil, _ handler: @escaping Handler
  ) {
    var route = Route(method, path, .handler(handler))
    (route.bodyBytes, route.authorize) = (bodyBytes, authorize)
    add(route)
  }

  private func add(_ route: Route) {
    state.withLock { state in
      require(state.thread == nil, "add the paths of a FeedServer before it starts")
      state.routes.append(route)
    }
  }

  /// Binds the address and the port, unless that is done. Returns the port, so that paths can be added that depend on
  /// it: connections wait until ``start()``. Throws a ``FeedServerError`` that says why it can't.
  ///
  /// ```swift
  /// var options = FeedServerOptions()
  /// options.port = 0
  /// let server = FeedServer(options)
  /// let port = try server.bind()
  /// server.on("GET", "/where") { _ in HTTPResponse(200, "127.0.0.1:\(port)") }
  /// try server.start()
  /// ```
  @discardableResult public func bind() throws -> UInt16 {
    try state.withLock { state in
      require(state.thread == nil, "a FeedServer starts once")
      let socket = try state.socket ?? ListeningSocket.open(options.address, options.port)
      state.socket = socket
      return ListeningSocket.port(of: socket)
    }
  }

  /// Serves, after ``bind()`` if that isn't done. Throws a ``FeedServerError`` that says why it can't.
  ///
  /// ```swift
  /// var options = FeedServerOptions()
  /// options.port = 9090
  /// let server = FeedServer(options)
  /// do { try server.start() } catch let error as FeedServerError { print(error) }
  /// ```
  public func start() throws {
    let (routes, socket) = try state.withLock { state in
      require(state.thread == nil, "a FeedServer starts once")
      let socket = try state.socket ?? ListeningSocket.open(options.address, options.port)
      state.socket = nil
      return (state.routes, socket)
    }
    let thread = try ServerThread(routes, options, socket: socket)
    try thread.start()
    state.withLock { $0.thread = thread }
  }

  /// The port that it listens at.
  public var port: UInt16 {
    state.withLock { $0.thread?.port ?? $0.socket.map(ListeningSocket.port) } ?? options.port
  }

  /// What it has done and is doing.
  public var counts: FeedServerCounts { state.withLock { $0.thread }?.counts.withLock { $0 } ?? FeedServerCounts() }

  /// Ends: it accepts nobody new, streams get an event `end`, polls and handlers in progress are answered, for at most
  /// ``FeedServerOptions/stopping``. Returns when all connections are closed.
  ///
  /// ```swift
  /// let server = FeedServer()
  /// await server.stop()
  /// try database.close()
  /// ```
  public func stop() async {
    guard let thread = state.withLock({ $0.thread }) else { return }
    await withCheckedContinuation { thread.inbox.stop($0) }
  }
}
