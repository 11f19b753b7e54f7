import FetchedResultsSupport
import LiveFeeds

#if Net
  import CFetchedResultsHTTP

  /// The thread that serves. It waits for sockets and for the inbox, and calls libmicrohttpd, which calls it back.
  ///
  /// So nothing here needs a lock: news of a feed wait in the inbox while a reader finds that it has nothing to read
  /// and is suspended.
  final class ServerThread: @unchecked Sendable {  // because only its thread uses what varies, once it has started
    let options: FeedServerOptions
    let routes: [Route]
    let inbox: Inbox
    let port: UInt16
    /// What others see, after each turn.
    let counts = Locked(FeedServerCounts())
    var counting = FeedServerCounts()
    /// When the current turn began.
    private(set) var now = MonotonicClock.now()
    private(set) var isStopping = false

    private let socket: Int32
    private var daemon: OpaquePointer?
    /// The requests that are not answered to the end, and those of them that follow a feed.
    private var exchanges: [ObjectIdentifier: Exchange] = [:]
    private var audiences: [ObjectIdentifier: Audience] = [:]
    /// By when each connection must have sent the request that it is about to send.
    private var arriving: [Int32: UInt64] = [:]
    private var requests: RateLimit?
    private var guesses: RateLimit?
    /// The guesses that pages of other sites make a browser send.
    private var guessesOfOtherSites: RateLimit?
    /// The certificate and its key, which libmicrohttpd reads.
    private let secrets: [UnsafeMutablePointer<CChar>?]
    private var nextTick: UInt64 = 0
    private var end = UInt64.max
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter socket: A socket that listens, which the thread closes.
    init(_ routes: [Route], _ options: FeedServerOptions, socket: Int32) throws {
      (self.routes, self.options, self.socket) = (routes, options, socket)
      secrets = [options.certificate, options.key].map { $0.flatMap { strdup($0) } }
      requests = options.requestsPerSecond.map { RateLimit(perSecond: Double($0), atOnce: Double($0) * 4) }
      guesses = options.unauthorizedAtOnce.map { RateLimit(perSecond: 1, atOnce: Double($0)) }
      guessesOfOtherSites = guesses
      port = ListeningSocket.port(of: socket)
      do {
        inbox = try Inbox()
      } catch {
        close(socket)
        throw error
      }
    }

    deinit { for secret in secrets { free(secret) } }

    func start() throws {
      let isEncrypted = options.certificate != nil || options.key != nil
      if isEncrypted, !frc_http_can_encrypt() {
        close(socket)
        throw FeedServerError.system("the libmicrohttpd of this system can't encrypt; use a reverse proxy for https")
      }
      // Without file descriptors left, `accept` would fail silently.
      let files = sysconf(Int32(_SC_OPEN_MAX)) - 64
      var settings = frc_http_settings()
      settings.socket = socket
      settings.head_bytes = max(1024, options.headBytes)
      settings.connections = UInt32(clamping: max(1, min(options.readers + options.otherConnections, files)))
      settings.connections_per_address = UInt32(clamping: options.connectionsPerClient)
      settings.patience = UInt32(clamping: max(1, options.patience.components.seconds))
      settings.certificate = UnsafePointer(secrets[0])
      settings.key = UnsafePointer(secrets[1])
      daemon =
        isEncrypted && secrets.contains(nil)
        ? nil
        : frc_http_start(
          &settings,
          { context, connection, url, method, _, bytes, count, slot in
            guard let context, let connection, let url, let method, let count, let slot else { return .NO }
            let thread = Unmanaged<ServerThread>.fromOpaque(context).takeUnretainedValue()
            guard let known = slot.pointee else {
              let exchange = Exchange(thread, connection)
              thread.exchanges[ObjectIdentifier(exchange)] = exchange
              slot.pointee = Unmanaged.passUnretained(exchange).toOpaque()
              return exchange.begin(String(cString: method), String(cString: url))
            }
            let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
            guard count.pointee > 0, let bytes else { return exchange.proceed() }
            exchange.receive(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
            count.pointee = 0
            return .YES
          },
          { context, connection, _, code in
            guard let context, let connection else { return }
            let thread = Unmanaged<ServerThread>.fromOpaque(context).takeUnretainedValue()
            let isNew = code == .CONNECTION_NOTIFY_STARTED
            thread.expect(frc_http_socket(connection), isNew)
          },
          { context, _, slot, _ in
            guard let context, let known = slot?.pointee else { return }
            let thread = Unmanaged<ServerThread>.fromOpaque(context).takeUnretainedValue()
            thread.forget(Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue())
            slot?.pointee = nil
          }, Unmanaged.passUnretained(self).toOpaque())
      guard daemon != nil else {
        close(socket)
        throw isEncrypted ? FeedServerError.certificate : .system("libmicrohttpd doesn't start")
      }
      guard BackgroundThread.start({ self.run() }) else { throw FeedServerError.system("no thread can be started") }
    }

    // MARK: One turn after another

    private func run() {
      guard let daemon else { return }
      var sources = [
        pollfd(fd: frc_http_descriptor(daemon), events: Int16(POLLIN), revents: 0),
        pollfd(fd: inbox.bell, events: Int16(POLLIN), revents: 0),
      ]
      while !isStopping || (!exchanges.isEmpty && now < end) {
        poll(&sources, 2, timeout(daemon))
        now = MonotonicClock.now()
        if sources[1].revents != 0 { take(inbox.take(), daemon) }
        if now >= nextTick {
          nextTick = now + 1_000_000_000
          for exchange in exchanges.values { exchange.tick() }
          // libmicrohttpd then finds that the client has gone.
          for (socket, end) in arriving where end <= now { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        MHD_run(daemon)
        counting.connections = Int(frc_http_connections(daemon))
        counts.withLock { [counting] in $0 = counting }
      }
      for exchange in exchanges.values { exchange.resume() }
      MHD_stop_daemon(daemon)
      counting.connections = 0
      counts.withLock { [counting] in $0 = counting }
      inbox.end(waiting)
    }

    /// How long to wait, in milliseconds: as libmicrohttpd says, and at most a second while a request is not answered.
    private func timeout(_ daemon: OpaquePointer) -> Int32 {
      var milliseconds: UInt64 = 0
      let limit: UInt64 = exchanges.isEmpty && arriving.isEmpty && !isStopping ? 3_600_000 : 1000
      guard MHD_get_timeout(daemon, &milliseconds) == .YES else { return Int32(limit) }
      return Int32(min(limit, UInt64(milliseconds)))
    }

    private func take(_ content: Inbox.Content, _ daemon: OpaquePointer) {
      for (feed, time) in content.news {
        audiences[feed]?.news = time
        for reader in audiences[feed]?.readers ?? [] { reader.resume() }
      }
      for work in content.work { work() }
      waiting += content.waiting
      guard content.isStopping, !isStopping else { return }
      isStopping = true
      end = now + options.stopping.inNanoseconds
      let socket = MHD_quiesce_daemon(daemon)
      if socket >= 0 { close(socket) }
      for audience in audiences.values { for reader in audience.readers { reader.finish("the service stops") } }
    }

    // MARK: Readers

    /// Wakes a reader when its feed has news.
    func join(_ exchange: Exchange, _ feed: any FrameSource) {
      let key = ObjectIdentifier(feed)
      let audience = audiences[key] ?? Audience(feed, inbox)
      audiences[key] = audience
      exchange.audience = (audience, audience.readers.count)
      audience.readers.append(exchange)
      counting.readers += 1
    }

    func leave(_ exchange: Exchange) {
      guard let (audience, place) = exchange.audience else { return }
      exchange.audience = nil
      counting.readers -= 1
      let last = audience.readers.removeLast()
      if last !== exchange {
        audience.readers[place] = last
        last.audience = (audience, place)
      } else if audience.readers.isEmpty {
        audiences[ObjectIdentifier(audience.feed)] = nil
      }
    }

    // MARK: Limits

    /// A connection is about to send a request, or no more.
    private func expect(_ socket: Int32, _ isSo: Bool) {
      arriving[socket] = isSo ? now + options.patience.inNanoseconds : nil
    }

    /// Extends the time for a body while it comes at 4 KiB a second or more.
    func expectBody(_ exchange: Exchange, since start: UInt64, received: Int) {
      arriving[exchange.socket] = start + options.patience.inNanoseconds + UInt64(received) * (1_000_000_000 / 4096)
    }

    /// All of a request is there.
    func hasArrived(_ exchange: Exchange) { arriving[exchange.socket] = nil }

    /// Counts a request of a client. Returns the seconds for which the client is refused; nil if it may be answered.
    func admit(_ client: ClientAddress?, isFromOtherSite: Bool) -> Int? {
      let guesses = isFromOtherSite ? guessesOfOtherSites : guesses
      if let seconds = guesses?.secondsUntilAllowed(client, now) ?? requests?.secondsUntilAllowed(client, now) {
        return seconds
      }
      requests?.spend(client, now)
      return nil
    }

    /// Counts that a client has sent a wrong secret.
    func hasGuessed(_ client: ClientAddress?, isFromOtherSite: Bool) {
      if isFromOtherSite { guessesOfOtherSites?.spend(client, now) } else { guesses?.spend(client, now) }
    }

    private func forget(_ exchange: Exchange) {
      exchange.end()
      expect(exchange.socket, true)
      leave(exchange)
      exchanges[ObjectIdentifier(exchange)] = nil
    }
  }

  /// The readers of one feed, and its observation.
  final class Audience {
    let feed: any FrameSource
    var readers: [Exchange] = []
    /// When it last had news.
    var news: UInt64 = 0
    private let observation: ObservationToken
    private var last: (turn: UInt64, token: String?, read: FeedRead)?

    /// What follows a place. Most readers are at the same one: they are answered together.
    func read(after token: String?, turn: UInt64) -> FeedRead {
      if let last, last.turn == turn, last.token == token { return last.read }
      let read = feed.read(after: token)
      last = (turn, token, read)
      return read
    }

    init(_ feed: any FrameSource, _ inbox: Inbox) {
      self.feed = feed
      let key = ObjectIdentifier(feed)
      observation = feed.observe { inbox.hasNews(key) }
    }
  }
#else
  /// What stands for the thread in a build without the trait: it doesn't start.
  final class ServerThread: Sendable {
    let inbox: Inbox
    let port: UInt16 = 0
    let counts = Locked(FeedServerCounts())

    init(_ routes: [Route], _ options: FeedServerOptions, socket: Int32) throws {
      close(socket)
      throw FeedServerError.builtWithoutNet
    }
    func start() throws {}
  }
#endif

extension Duration {
  /// Rounded, as the monotonic clock counts.
  var inNanoseconds: UInt64 {
    UInt64(clamping: components.seconds) * 1_000_000_000 + UInt64(clamping: components.attoseconds / 1_000_000_000)
  }
}
