import Dispatch
import FeedServer
import Foundation
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
    // The port of the cookie's name is known before the server starts, unless the system chooses it.
    let access = SetOnce<Access>()
    Pages(access: access, lists: lists).add(to: server)
    ItemAPI(store: store, lists: lists, access: access).add(to: server)
    CommandAPI(location: options.location, access: access).add(to: server)
    Operation(store: store, lists: lists, access: access).add(to: server)
    do {
      try server.start()
    } catch FeedServerError.certificate {
      throw TodoError.badData("\(FeedServerError.certificate)")
    } catch FeedServerError.system(let reason) {
      throw TodoError.inputOutput("\(reason); choose another address with --listen, such as 127.0.0.1:0")
    } catch {
      throw TodoError.failure("\(error)")
    }
    access.value = Access(options, port: server.port)
    announce(access.value)
    let clock = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(500))
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
    if options.opens { Browser.open(access, options) }
  }
}
