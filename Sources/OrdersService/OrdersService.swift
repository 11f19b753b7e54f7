import Dispatch
import FeedServer
import FetchedResults
import Foundation
import LiveFeeds

/// A service with live lists over one SQLite file: `OrdersService [PATH [PORT]]`.
///
/// `OrdersService --write COUNT PATH` is another program that writes to the same file.
@main struct OrdersService {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)  // a log that nobody reads must not end the service
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.count == 3, arguments[0] == "--write", let count = Int(arguments[1]) {
        try await write(count, to: Database(path: arguments[2], options: databaseOptions))
      } else if arguments.count <= 2, arguments.first?.hasPrefix("-") != true,
        let port = arguments.count == 2 ? UInt16(arguments[1]) : 8080
      {
        try await Service(path: arguments.first ?? "orders.db", port: port).run()
      } else {
        log("usage: OrdersService [PATH [PORT]], or OrdersService --write COUNT PATH")
        exit(2)
      }
    } catch {
      log("OrdersService: \(error)")
      exit(1)
    }
  }

  /// Without the recorded history, each commit of another program would query the lists again.
  static var databaseOptions: Database.Options {
    var options = Database.Options()
    options.recordsHistory = true
    return options
  }

  /// Places orders and moves others on, as any program may that has the file.
  static func write(_ count: Int, to database: Database) async throws {
    for _ in 0..<count {
      try await database.write { c in
        let lines = (1...Int.random(in: 1...3)).map { NewOrder.Line(article: "Tea \($0)", quantity: $0, cents: 450) }
        let id = try c.place(NewOrder(customer: .random(in: 1...5), lines: lines))
        _ = try c.set("packed", of: .random(in: 1...id))
        _ = try c.set("sent", of: .random(in: 1...id))
      }
      try await Task.sleep(for: .milliseconds(200))
    }
  }
}

/// What the service holds while it runs.
struct Service: Sendable {
  let database: Database
  let orders: FetchedResultsController<Order>
  let customers: FetchedResultsController<Customer>
  let server: FeedServer

  init(path: String, port: UInt16) async throws {
    database = try Database(path: path, options: OrdersService.databaseOptions)
    try await database.migrate(migrations)
    orders = FetchedResultsController(fetchRequest: Order.byStatus, database: database)
    customers = FetchedResultsController(fetchRequest: Customer.all, database: database)
    try await orders.performFetch()
    try await customers.performFetch()
    var options = FeedServerOptions()
    options.port = port
    server = FeedServer(options)
    addPaths()
  }

  /// Serves until SIGTERM or SIGINT comes, and ends cleanly: readers are told, and the file is left whole.
  func run() async throws {
    try server.start()
    log("http://127.0.0.1:\(server.port)/")
    let lists = [("orders", orders.errors()), ("customers", customers.errors())]
    let logging = lists.map { name, errors in
      Task { for await error in errors { log("the list of \(name): \(error)") } }
    }
    let (stops, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    for await _ in stops { break }
    withExtendedLifetime(sources) {}
    await server.stop()
    for task in logging { task.cancel() }
    try database.close()
  }

  // MARK: What is at which path

  private func addPaths() {
    // The lists, live.
    var feedOptions = FeedOptions()
    feedOptions.encoder = { json }
    feedOptions.decoder = {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      return decoder
    }
    server.feed("/orders/live", LiveFeed(orders, options: feedOptions, apply: apply))
    server.feed("/customers/live", LiveFeed(customers, options: feedOptions))

    // A page by its key, and writes.
    server.on("GET", "/orders") { request in
      var key: PageKey?
      if let after = request.query["after"] { key = try decoded(after.utf8) }
      let size = min(200, max(1, request.query["size"].flatMap(Int.init) ?? 50))
      let page = try await database.page(of: Order.newest, after: key, size: size)
      let next = try page.next.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
      return try HTTPResponse(json: OrderPage(items: page.items, next: next), encoder: json)
    }
    server.on("GET", "/orders/{id}/lines") { request in
      guard let id = Int64(request.parameters["id"] ?? "") else { throw HTTPResponse(404, "no such order") }
      let lines = try await database.read { c in
        try c.rows("SELECT article, quantity, cents FROM line WHERE orders = \(id) ORDER BY id").map {
          NewOrder.Line(article: try $0["article"], quantity: try $0["quantity"], cents: try $0["cents"])
        }
      }
      return try HTTPResponse(json: lines)
    }
    server.on("POST", "/orders") { request in
      if request.isFromAnotherSite { throw otherSite }
      let order: NewOrder = try decoded(request.body)
      guard order.isPossible else { throw HTTPResponse(422, "nobody orders that") }
      let id = try await writing { c in try c.place(order) }
      return try HTTPResponse(201, json: ["id": id], headers: ["Location": "/orders/\(id)"])
    }
    server.on("POST", "/orders/{id}/status") { request in
      if request.isFromAnotherSite { throw otherSite }
      let wish: [String: String] = try decoded(request.body)
      let id = Int64(request.parameters["id"] ?? "") ?? 0
      guard let status = wish["status"] else { throw HTTPResponse(400, "say which status") }
      guard try await writing({ c in try c.set(status, of: id) }) else { throw HTTPResponse(404, "no such order") }
      return HTTPResponse(204, "")
    }

    // For those who run it.
    server.on("GET", "/health") { _ in
      // The log says why: it is for nobody else.
      let isBehind = orders.lastError != nil || customers.lastError != nil
      return isBehind ? HTTPResponse(503, "a list is behind") : HTTPResponse(200, "ok")
    }
    server.on("GET", "/metrics") { _ in HTTPResponse(200, type: "text/plain; version=0.0.4", metrics.utf8) }

    // The page.
    server.on("GET", "/") { _ in HTTPResponse(200, type: "text/html", PackageResources.page_html) }
    server.on("GET", "/live-list.js") { _ in
      HTTPResponse(200, type: "text/javascript", PackageResources.live_list_js)
    }
  }

  /// Makes what a reader wishes of the list of orders: another status, unless somebody was quicker.
  private func apply(_ edits: [RowEdit<Order>]) async throws {
    try await writing { c in
      for edit in edits {
        guard case .update(var old, let new, to: _) = edit else {
          throw EditConflict("orders are placed with POST /orders, and stay")
        }
        guard let row = try c.rows("SELECT status FROM orders WHERE id = \(new.id)").first else {
          throw EditConflict("there is no order \(new.id)")
        }
        let status: String = try row["status"]
        if status != old.status { throw EditConflict("order \(new.id) is \(status) already") }
        old.status = new.status
        if old != new { throw EditConflict("of an order, only the status can be changed") }
        _ = try c.set(new.status, of: new.id)
      }
    }
    try await orders.settled()
  }

  /// Writes. What the database refuses is answered as what it means to the client.
  private func writing<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    do {
      return try await database.write { c in try body(c) }
    } catch let error as DatabaseError where error.code == .constraint {
      throw HTTPResponse(422, "\(error.message)")
    } catch let error as DatabaseError where error.code == .busy || error.code == .full {
      throw HTTPResponse(503, "\(error.message)", headers: ["Retry-After": "5"])
    }
  }

  private var metrics: String {
    let (counts, list) = (server.counts, orders.statistics)
    return """
      # TYPE orders_readers gauge
      orders_readers \(counts.readers)
      # TYPE orders_connections gauge
      orders_connections \(counts.connections)
      # TYPE orders_requests_total counter
      orders_requests_total \(counts.requests)
      # TYPE orders_refused_total counter
      orders_refused_total \(counts.refused)
      # TYPE orders_sent_bytes_total counter
      orders_sent_bytes_total \(counts.bytesSent)
      # TYPE orders_commits_total counter
      orders_commits_total{how="row by row"} \(list.incremental)
      orders_commits_total{how="as a whole"} \(list.requeried)
      # TYPE orders_rows gauge
      orders_rows \(orders.snapshot.numberOfItems)

      """
  }
}

/// Writes a line to standard error, which systemd puts into its journal. A line that can't be written is lost.
func log(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(2, bytes, bytes.count)
}

struct OrderPage: Encodable {
  var items: [Order]
  var next: String?
}

private let otherSite = HTTPResponse(403, "this comes from another site")

/// How rows are written: dates as JavaScript reads them.
private var json: JSONEncoder {
  let encoder = JSONEncoder()
  encoder.dateEncodingStrategy = .iso8601
  encoder.outputFormatting = .sortedKeys  // the same row is the same text
  return encoder
}

/// A value that a client has sent.
private func decoded<T: Decodable>(_ bytes: some Sequence<UInt8>) throws -> T {
  do {
    return try JSONDecoder().decode(T.self, from: Data(bytes))
  } catch {
    throw HTTPResponse(400, "this can't be read: \(error)")
  }
}
