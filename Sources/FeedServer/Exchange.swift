import FetchedResultsSupport
import LiveFeeds

#if Net
  import CFetchedResultsHTTP

  /// One request and its answer.
  final class Exchange: @unchecked Sendable {  // because only the server's thread uses it; others pass it back there
    private enum Stage {
      /// The body is coming.
      case receiving(Route, [String: String])
      /// A handler or `authorize` runs; the connection is suspended.
      case working
      /// Either has finished, or the request was refused.
      case decided(Decision)
      /// A poll waits for news; the connection is suspended.
      case waiting(any FrameSource, until: UInt64)
      /// The answer is on its way: that of a stream follows the feed.
      case answering
    }
    private enum Decision: Sendable {
      case answer(HTTPResponse)
      case feed(any FrameSource, isShared: Bool)
    }

    /// The place among the readers of a feed.
    var audience: (Audience, Int)?
    /// Whether all is sent, or the client has gone.
    private var isOver = false

    private unowned let thread: ServerThread
    private let connection: Connection
    private let client: ClientAddress?
    private let began = MonotonicClock.now()
    private var method = ""
    private var path = ""
    private var status = 0
    private var sent = 0
    private var stage = Stage.decided(.answer(HTTPResponse(404, "")))
    private var body: [UInt8] = []
    private var isSuspended = false
    private var task: Task<Void, Never>?
    // Of a feed:
    private var bytes = FrameBytes(asEvents: false)
    private var token: String?
    private var isShared = false
    private var isStream = false
    private var hasEnded = false
    private var lastSent: UInt64 = 0
    private var authorization: Authorizing?

    private struct Authorizing {
      let request: HTTPRequest
      let ask: FeedServer.Authorization
      var next: UInt64
    }

    init(_ thread: ServerThread, _ connection: OpaquePointer) {
      (self.thread, self.connection) = (thread, Connection(pointer: connection))
      client = self.connection.client(behindProxy: thread.options.isBehindProxy)
    }

    // MARK: The request

    /// The head is there.
    func begin(_ method: String, _ path: String) -> MHD_Result {
      (self.method, self.path) = (method, path)
      thread.counting.requests += 1
      if thread.isStopping { return refuse(503, "the service stops") }
      if let seconds = thread.admit(client, isFromOtherSite: isFromOtherSite) {
        return refuse(429, "too many requests; try again in \(seconds) s", ["Retry-After": "\(seconds)"])
      }
      if let name = connection.doubleHeader { return refuse(400, "the header \(name) is there twice") }
      switch RouteMatch(method, path, in: thread.routes) {
      case .refusal(let status, let reason, let headers): return refuse(status, reason, headers)
      case .route(let route, let parameters):
        stage = .receiving(route, parameters)
        if connection.header("Transfer-Encoding") != nil {
          return refuse(411, "say how long the body is, with Content-Length")
        }
        let limit = route.bodyBytes ?? thread.options.bodyBytes
        if let length = connection.header("Content-Length"), Int(length).map({ $0 > limit }) ?? true {
          return refuse(413, "a body has at most \(limit) bytes")
        }
        if let refusal = route.authorize?(request(route.method, parameters)) { return answer(refusal) }
        return .YES
      }
    }

    func receive(_ part: UnsafeRawBufferPointer) {
      body += part
      thread.expectBody(self, since: began, received: body.count)
    }

    /// Whether a page of another site has made a browser send it, as the browser says.
    private var isFromOtherSite: Bool {
      ["cross-site", "same-site"].contains(connection.header("Sec-Fetch-Site"))
    }

    /// The body is there, or the connection was resumed.
    func proceed() -> MHD_Result {
      switch stage {
      case .receiving(let route, let parameters):
        thread.hasArrived(self)
        return start(route, parameters)
      case .decided(.answer(let response)): return answer(response)
      case .decided(.feed(let feed, let isShared)): return open(feed, isShared: isShared)
      case .waiting(let feed, let deadline): return poll(feed, until: deadline)
      case .working, .answering: return .YES
      }
    }

    /// The descriptor of the connection.
    var socket: Int32 { frc_http_socket(connection.pointer) }

    private func start(_ route: Route, _ parameters: [String: String]) -> MHD_Result {
      let request = request(route.method, parameters)
      let refusal = thread.options.refusal
      switch route.target {
      case .handler(let handler):
        work { .answer(try await handler(request)) }
      case .feed(let find, let authorize):
        if let authorize {
          authorization = Authorizing(
            request: request, ask: authorize, next: thread.now + thread.options.authorizeAgain.inNanoseconds)
        }
        work {
          if let answer = try await authorize?(request) { return .answer(answer) }
          guard let feed = try await find(request) else { return .answer(refusal(404, "no such list")) }
          return .feed(feed, isShared: authorize == nil)
        }
      case .edits(let find, let authorize):
        work {
          if request.isFromAnotherSite { return .answer(refusal(403, "this comes from another site")) }
          if let answer = try await authorize?(request) { return .answer(answer) }
          guard let feed = try await find(request) else { return .answer(refusal(404, "no such list")) }
          return .answer(try await feed.answer(toEdit: request, refusal))
        }
      }
      return .YES
    }

    /// Suspends the connection until a task of its own has decided what to answer.
    private func work(_ decide: @escaping @Sendable () async throws -> Decision) {
      suspend()
      stage = .working
      let (inbox, log, refusal) = (thread.inbox, thread.options.log, thread.options.refusal)
      task = Task {
        let decision: Decision
        do {
          decision = try await decide()
        } catch let response as HTTPResponse {
          decision = .answer(response)
        } catch {
          log("a request has failed: \(error)")
          decision = .answer(refusal(500, "the service has failed; its log says why"))
        }
        inbox.run { self.decided(decision) }
      }
    }

    private func decided(_ decision: Decision) {
      task = nil
      stage = .decided(decision)
      resume()
    }

    // MARK: The answer

    private func refuse(_ status: Int, _ text: String, _ headers: [String: String] = [:]) -> MHD_Result {
      var response = thread.options.refusal(status, text)
      response.headers.merge(headers) { $1 }
      if status == 503 { response.headers["Retry-After"] = "2" }
      return answer(response)
    }

    private func answer(_ response: HTTPResponse) -> MHD_Result {
      if response.status >= 400 { thread.counting.refused += 1 }
      if response.status == 401, response.countsAsGuess {
        thread.hasGuessed(client, isFromOtherSite: isFromOtherSite)
      }
      count(response.body.count)
      thread.counting.answers.add(nanoseconds: MonotonicClock.now() - began)
      let made = response.body.withUnsafeBytes {
        MHD_create_response_from_buffer(
          $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
      }
      return queue(made, response.status, response.headers)
    }

    private func queue(_ response: OpaquePointer?, _ status: Int, _ headers: [String: String]) -> MHD_Result {
      guard let response else { return .NO }
      for (name, value) in thread.options.headers.merging(headers, uniquingKeysWith: { $1 }) {
        MHD_add_response_header(response, name, value)
      }
      if thread.isStopping { MHD_add_response_header(response, "Connection", "close") }
      (stage, self.status) = (.answering, status)
      defer { MHD_destroy_response(response) }
      return MHD_queue_response(connection.pointer, UInt32(status), response)
    }

    // MARK: Feeds

    private func open(_ feed: any FrameSource, isShared: Bool) -> MHD_Result {
      guard let feed = feed.block(connection.query("window"), connection.query("size")) else {
        return refuse(400, blockUsage)
      }
      token = connection.header("Last-Event-ID") ?? connection.query("after")
      self.isShared = isShared
      if connection.header("Accept")?.contains("text/event-stream") == true { return stream(feed) }
      guard let wait = Int(connection.query("wait") ?? "0"), wait >= 0 else {
        return refuse(400, "wait is a number of seconds, from 0")
      }
      return poll(feed, until: thread.now + UInt64(min(60, wait)) * 1_000_000_000)
    }

    private var isFull: Bool { audience == nil && thread.counting.readers >= thread.options.readers }

    /// Answers with what follows a place, or waits for it.
    private func poll(_ feed: any FrameSource, until deadline: UInt64) -> MHD_Result {
      let mayWait = deadline > thread.now && !thread.isStopping
      // A change between reading and observing would wake nobody, so observe first.
      if mayWait, audience == nil, !isFull { thread.join(self, feed) }
      let read = feed.read(after: token)
      if mayWait, read.frames.isEmpty, !read.isEnd {
        if isFull { return refuse(503, "too many readers; try again soon") }
        stage = .waiting(feed, until: deadline)
        suspend()
        return .YES
      }
      thread.leave(self)
      if read.frames.isEmpty, read.isEnd { return refuse(410, "the list has ended") }
      bytes = FrameBytes(read.frames, asEvents: false)
      var headers = ["Content-Type": "application/x-ndjson", "Vary": "Accept"]
      let scope = isShared ? "public" : "private"
      let isNews = !read.frames.isEmpty && !read.isEnd
      headers["Cache-Control"] =
        read.isImmutable ? "\(scope), max-age=86400, immutable" : isNews ? "\(scope), max-age=1" : "no-store"
      if let next = read.frames.last?.next, !read.isEnd {
        let tag = "W/\"\(next)\""
        headers["ETag"] = tag
        if connection.header("If-None-Match")?.contains(tag) == true {
          bytes = FrameBytes(asEvents: false)
          return queue(MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT), 304, headers)
        }
      }
      let count = bytes.count
      if count == 0 {
        return queue(MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT), 200, headers)
      }
      return queue(
        MHD_create_response_from_callback(UInt64(count), min(count, 16 << 10), fill, context, nil), 200, headers)
    }

    private func stream(_ feed: any FrameSource) -> MHD_Result {
      if isFull { return refuse(503, "too many readers; try again soon") }
      // Only this status keeps a browser from asking again.
      let read = feed.read(after: token)
      if read.isEnd, read.frames.isEmpty {
        return queue(MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT), 204, [:])
      }
      thread.join(self, feed)
      (isStream, lastSent) = (true, thread.now)
      let milliseconds = thread.options.retry.inNanoseconds / 1_000_000
      bytes = FrameBytes(asEvents: true, first: Array("retry: \(milliseconds)\n\n".utf8))
      return queue(
        MHD_create_response_from_callback(.max, 512, fill, context, nil), 200,
        [
          "Content-Type": "text/event-stream", "Cache-Control": "no-store", "Vary": "Accept",
          "X-Accel-Buffering": "no",  // nginx passes each event on at once
        ])
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    private let fill: MHD_ContentReaderCallback = { context, _, room, size in
      guard let context, let room else { return -1 }
      return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        .next(UnsafeMutableRawBufferPointer(start: room, count: size))
    }

    /// Copies what comes next to where libmicrohttpd has room. Returns -1 at the end of a stream.
    private func next(_ room: UnsafeMutableRawBufferPointer) -> Int {
      var count = bytes.copy(to: room)
      while isStream, !hasEnded, count < room.count, let audience = audience?.0 {
        let read = audience.read(after: token, turn: thread.now)
        if audience.news > lastSent, !read.frames.isEmpty {
          thread.counting.frames.add(nanoseconds: MonotonicClock.now() - audience.news)
        }
        bytes.append(read.frames)
        token = read.frames.last?.next ?? token
        if read.isEnd { finish("the list has ended") }
        if bytes.isEmpty { break }
        count += bytes.copy(to: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
      }
      if count > 0 {
        lastSent = thread.now
        self.count(count)
      } else if hasEnded {
        return -1
      } else {
        suspend()
      }
      return count
    }

    /// Ends what a reader reads, after the frame that has begun.
    func finish(_ reason: String) {
      if isStream, !hasEnded {
        hasEnded = true
        bytes.end(with: Array("event: end\ndata: {\"end\":\"\(reason)\"}\n\n".utf8))
      }
      resume()
    }

    // MARK: While it is connected

    /// Does once a second what time asks for.
    func tick() {
      // Nobody reads a connection that is suspended, so the end of its client has to be looked for.
      if case .working = stage, frc_http_is_closed(connection.pointer) { task?.cancel() }
      if case .waiting(_, let deadline) = stage, deadline <= thread.now { resume() }
      guard isStream, !hasEnded else { return }
      if isSuspended, lastSent + thread.options.keepAlive.inNanoseconds <= thread.now {
        bytes = FrameBytes(asEvents: true, first: Array("event: alive\ndata: {}\n\n".utf8))
        resume()
      }
      guard let authorization, authorization.next <= thread.now else { return }
      self.authorization?.next = .max
      let (inbox, log) = (thread.inbox, thread.options.log)
      Task {
        let refusal: HTTPResponse?
        do {
          refusal = try await authorization.ask(authorization.request)
        } catch {
          log("a reader can't be authorized again: \(error)")
          refusal = HTTPResponse(500, "")
        }
        let isRefused = refusal != nil
        inbox.run { self.authorizedAgain(!isRefused) }
      }
    }

    private func authorizedAgain(_ isAuthorized: Bool) {
      if isOver { return }
      authorization?.next = thread.now + thread.options.authorizeAgain.inNanoseconds
      guard !isAuthorized else { return }
      thread.counting.refused += 1
      finish("not authorized any more")
    }

    // MARK: The connection

    /// All is sent, or the client has gone.
    func end() {
      isOver = true
      task?.cancel()
      thread.options.answered?(
        AnsweredRequest(
          method: method, path: path, status: status, bytes: sent,
          duration: .nanoseconds(MonotonicClock.now() - began)))
    }

    private func count(_ bytes: Int) {
      sent += bytes
      thread.counting.bytesSent += bytes
    }

    private func suspend() {
      MHD_suspend_connection(connection.pointer)
      isSuspended = true
    }

    /// Lets libmicrohttpd ask again, if the connection is suspended.
    func resume() {
      guard isSuspended, !isOver else { return }
      isSuspended = false
      MHD_resume_connection(connection.pointer)
    }

    private func request(_ method: String, _ parameters: [String: String]) -> HTTPRequest {
      var request = HTTPRequest(method, path)
      (request.parameters, request.body, body) = (parameters, body, [])
      request.headers = connection.values(.HEADER_KIND).reduce(into: [:]) { $0[$1.0.lowercased()] = $1.1 }
      request.query = connection.values(.GET_ARGUMENT_KIND).reduce(into: [:]) { $0[$1.0] = $1.1 }
      return request
    }
  }
#endif
