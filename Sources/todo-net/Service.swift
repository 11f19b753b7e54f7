import Dispatch
import FeedServer
import FetchedResultsSupport
import TodoCore

/// What runs while `todo serve` runs.
struct Service: Sendable {
  private let options: ServeOptions
  private let store: TodoStore
  private let lists: LiveLists
  /// What ends it: nil for a signal.
  private let endings: AsyncStream<TodoError?>
  private let end: AsyncStream<TodoError?>.Continuation

  init(_ options: ServeOptions) throws(TodoError) {
    self.options = options
    store = try TodoStore.open(options.location)
    try store.recordHistory()
    (endings, end) = AsyncStream.makeStream(of: TodoError?.self)
    lists = try LiveLists(store) { [end] in end.yield($0) }
  }

  /// Serves until SIGTERM or SIGINT. Then readers are told, and the file is left whole.
  func run() async throws {
    let sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { end.yield(nil) }
      source.resume()
      return source
    }
    defer { withExtendedLifetime(sources) {} }
    var serving = FeedServerOptions()
    (serving.address, serving.port) = (options.address, options.port)
    (serving.readers, serving.otherConnections) = (500, 100)
    serving.headBytes = 16 << 10  // a browser sends the cookies of all other services of this machine too
    serving.bodyBytes = 64 << 10
    serving.patience = .seconds(20)
    serving.requestsPerSecond = 500
    serving.unauthorizedAtOnce = 20
    serving.connectionsPerClient = options.isLoopback ? 0 : 100
    serving.isBehindProxy = options.isBehindProxy
    (serving.certificate, serving.key) = (options.encryption?.certificate, options.encryption?.key)
    serving.headers = Access.headers
    serving.refusal = { .problem($0, $1) }
    serving.log = { log($0) }
    if options.logsJSON { serving.answered = { Log.write($0) } }
    let server = FeedServer(serving)
    do {
      // The name of the cookie has the port, which the system may choose.
      let access = Access(options, port: try server.bind())
      Pages(access: access).add(to: server)
      ItemAPI(store: store, lists: lists, access: access).add(to: server)
      CommandAPI(location: options.location, access: access).add(to: server)
      MonitoringAPI(store: store, lists: lists, access: access).add(to: server)
      try server.start()
      announce(access)
      // What the page shows first is ready when it comes.
      Task { try await lists.feed(ListRequest(view: "list", filter: "")) }
    } catch FeedServerError.certificate {
      throw TodoError.badData("\(FeedServerError.certificate)")
    } catch FeedServerError.system(let reason) {
      throw TodoError.inputOutput("\(reason); choose another address with --listen, such as 127.0.0.1:0")
    } catch {
      throw TodoError.failure("\(error)")
    }
    let path = store.path ?? ""
    let file = Platform.status(of: path)?.number
    let clock = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(ListClock.interval))
        // A command of a client would make another file there, and nobody would see its items.
        if Platform.status(of: path)?.number != file {
          end.yield(.inputOutput("\(path) was moved, removed or replaced, so it is served no more; start again"))
        }
        await lists.takeClock()
      }
    }
    var failure: TodoError?
    for await ending in endings {
      failure = ending
      break
    }
    clock.cancel()
    await server.stop()
    await lists.end()
    store.finish()
    if let failure { throw failure }
  }

  private func announce(_ access: Access) {
    print(options.token == nil ? "\(access.url)?token=\(access.token)" : access.url)
    fflush(nil)
    if options.logsJSON { log("serves \(access.url)", .info) }
    if !options.isLoopback, !options.isEncrypted {
      log(
        "other computers can reach this. Whoever has the token can read and change everything, and so can whoever "
          + "reads the network: there is no encryption without --certificate and --key", .warning)
    }
    if options.opens { Browser.show(access, options) }
  }
}
