#if Net
  import CurlTransport
  import DataSources
  import FeedTestSupport
  import Foundation
  import LiveFeeds
  import SQLiteStore
  import Testing

  /// The orders service, killed and starved, with readers that must end with what a fresh query gives.
  @Suite(.serialized, .timeLimit(.minutes(2))) struct ServiceTests {
    /// What the readers check of an order.
    struct Row: Codable, Equatable {
      var id: Int
      var status: String
      var customerName: String
      var cents: Int
    }

    /// Below those that the system gives to clients: one of these could have it when the service starts again.
    let port = UInt16.random(in: 10_000..<20_000)
    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter prefix: What comes before the command, such as another program that runs it.
    private func start(_ path: String, _ prefix: String = "") async throws -> Tool {
      let service = try Tool("sh", "-c", "exec \(prefix) '\(program)' '\(path)' \(port) 2>&1")
      let isRunning = try await eventually { try await Answer.get(url + "/health").status == 200 }
      try #require(isRunning, "\(service.output)")
      return service
    }

    private var program: String { Place.products.appending(path: "OrdersService").path }

    private func readers(_ last: Int) throws -> [Tool] {
      try ["sse", "poll", "sse rough", "poll rough"].map {
        try Tool("sh", "-c", "exec python3 \(Place.client("reader.py")) \(url)/orders/live \(last) \($0)")
      }
    }

    /// Places an order, and returns its id.
    private func place() async throws -> Int? {
      let answer = try await Answer.get(
        url + "/orders", "-d", #"{"customer": 1, "lines": [{"article": "Tea", "quantity": 2, "cents": 450}]}"#)
      return answer.status == 201 ? Int(answer.body.filter(\.isNumber)) : nil
    }

    private func fresh(_ path: String) throws -> [[Row]] {
      let database = try Database(path: path)
      defer { try? database.close() }
      return try ["new", "packed", "sent"].map { status in
        try database.read { c in
          try c.rows(
            """
            SELECT orders.id, status, name, cents FROM orders JOIN customer ON customer.id = customer
            WHERE status = \(status) ORDER BY orders.id DESC
            """
          ).map { Row(id: try $0[0], status: try $0[1], customerName: try $0[2], cents: try $0[3]) }
        }
      }.filter { !$0.isEmpty }
    }

    private func check(_ readers: [Tool], _ path: String) async throws {
      let expected = try fresh(path)
      for reader in readers {
        struct List: Decodable {
          struct Part: Decodable {
            var items: [Row]
          }
          var sections: [Part]
        }
        let list = try JSONDecoder().decode(List.self, from: Data(await reader.end().utf8))
        #expect(list.sections.map(\.items) == expected)
      }
    }

    /// Sets a mark that readers stop at. It gets an id that no writer gives.
    private func mark(_ path: String, _ id: Int) throws {
      let database = try Database(path: path)
      try database.write { c in
        try c.execute("INSERT INTO orders(id, customer, placed, cents) VALUES (\(id), 1, \(Date()), 0)")
      }
      try database.close()
    }

    @Test func `killed and restarted beside two writers, readers end with what a fresh query gives`() async throws {
      let folder = try Folder()
      let path = folder.path + "/orders.db"
      var service = try await start(path)
      let readers = try readers(1_000_000)
      let writers = try (0..<2).map { _ in try Tool(program, "--write", "30", path) }
      for _ in 0..<3 {
        try await Task.sleep(for: .seconds(1.5))
        service.signal(SIGKILL)
        await service.end()
        service = try await start(path)
      }
      for writer in writers {
        await writer.end()
        #expect(writer.status == 0)
      }
      _ = try #require(try await place())
      try mark(path, 1_000_000)
      try await check(readers, path)
      #expect(try fresh(path).joined().count == 62)
      service.signal(SIGTERM)
      await service.end()
      #expect(service.status == 0)
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test func `the clock of the service's machine moves by days, and readers notice nothing`() async throws {
      let folder = try Folder()
      let path = folder.path + "/orders.db"
      let clock = folder.path + "/clock"
      func move(_ days: Int) throws {
        try Data("\(days * 86_400)\n".utf8).write(to: URL(filePath: clock), options: .atomic)
      }
      let made = try Tool("clang", "-shared", "-fPIC", "-o", folder.path + "/clock.so", Place.client("clock.c"))
      await made.end()
      #expect(made.status == 0)
      try move(0)
      let service = try await start(path, "env LD_PRELOAD='\(folder.path)/clock.so' CLOCK='\(clock)'")
      let readers = try readers(1_000_000)
      var years: Set<Substring> = []
      for days in [0, 800, -800, 0] {
        try move(days)
        for _ in 0..<5 { #expect(try await place() != nil) }
        let database = try Database(path: path)
        let placed: String? = try await database.read { c in
          try c.rows("SELECT placed FROM orders ORDER BY id DESC LIMIT 1").first.map { try $0[0] }
        }
        try database.close()
        years.insert(placed?.prefix(4) ?? "")
        try await Task.sleep(for: .milliseconds(300))
      }
      #expect(years.count == 3, "the clock was not moved")
      try mark(path, 1_000_000)
      try await check(readers, path)
      service.signal(SIGTERM)
      await service.end()
      #expect(service.status == 0)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a full disk refuses writes in words, and readers go on when there is room`() async throws {
      let folder = try Folder()
      let mounting = try Tool("mount", "-t", "tmpfs", "-o", "size=1500k", "none", folder.path)
      await mounting.end()
      guard mounting.status == 0 else { return print("no tmpfs can be mounted here") }
      defer { _ = try? Tool("umount", "-l", folder.path) }
      let path = folder.path + "/orders.db"
      let service = try await start(path)
      let readers = try readers(1_000_000)
      #expect(try await place() == 1)
      try await Tool("sh", "-c", "cat /dev/zero > '\(folder.path)/filler' 2>/dev/null").end()
      // What is free in the log may take a few.
      var answer = Answer("")
      #expect(
        try await eventually {
          answer = try await Answer.get(
            url + "/orders", "-d", #"{"customer": 1, "lines": [{"article": "Tea", "quantity": 2, "cents": 450}]}"#)
          return answer.status == 503
        })
      #expect(answer.body.contains("full") && answer.headers["retry-after"] != nil)
      #expect(try await Answer.get(url + "/orders?size=5").status == 200)
      try FileManager.default.removeItem(atPath: folder.path + "/filler")
      #expect(try await eventually { try await place() != nil })
      try mark(path, 1_000_000)
      try await check(readers, path)
      #expect(try await eventually { try await Answer.get(url + "/health").status == 200 })
      service.signal(SIGTERM)
      await service.end()
    }

    @Test func `edits are shown at once, confirmed, and undone with the conflict`() async throws {
      struct Order: Codable, Equatable, Identifiable {
        var id: Int
        var status: String
        var customerName: String
        var customer: Int
        var cents: Int
        var placed: String
      }
      let folder = try Folder()
      let service = try await start(folder.path + "/orders.db")
      for number in 1...3 { #expect(try await place() == number) }
      let reader = RemoteDataSource<Order>(CurlTransport(url + "/orders/live"), options: .quick)
      let other = RemoteDataSource<Order>(CurlTransport(url + "/orders/live"), options: .quick)
      func status(_ id: Int, _ list: RemoteDataSource<Order>) -> String? {
        list.snapshot.path(of: id).map { list.snapshot[$0].status }
      }
      func set(_ id: Int, _ status: String, _ list: RemoteDataSource<Order>) async throws {
        try await list.edit { draft in
          if let path = draft.snapshot.path(of: id) { draft.update(at: path) { $0.status = status } }
        }
      }
      for list in [reader, other] { try await list.wait { $0.snapshot.numberOfItems == 3 } }
      try await set(2, "packed", reader)
      #expect(status(2, reader) == "packed")
      try await other.wait { status(2, $0) == "packed" && $0.snapshot == reader.snapshot }
      #expect(try fresh(folder.path + "/orders.db").map { $0.map(\.id) } == [[3, 1], [2]])

      // Whoever has an older list meets a conflict, and has the right one afterwards.
      let packed = #"{"status": "packed"}"#
      #expect(try await Answer.get(url + "/orders/3/status", "-d", packed).status == 204)
      try await reader.wait { status(3, $0) == "packed" }
      var stale = try #require(reader.snapshot.path(of: 3).map { reader.snapshot[$0] })
      stale.status = "new"
      let edit = try JSONEncoder().encode([RowEdit.update(old: stale, new: stale, to: nil)])
      let answer = try await Answer.get(url + "/orders/live", "-d", String(decoding: edit, as: UTF8.self))
      #expect(answer.status == 409 && answer.body == "order 3 is packed already\n")
      await #expect(throws: EditConflict("of an order, only the status can be changed")) {
        try await reader.edit { draft in
          if let path = draft.snapshot.path(of: 1) { draft.update(at: path) { $0.cents = 0 } }
        }
      }
      await #expect(throws: EditConflict("orders are placed with POST /orders, and stay")) {
        try await reader.edit { $0.remove(id: 1) }
      }
      await #expect(throws: FeedError.self) { try await set(1, "lost", reader) }
      #expect(reader.snapshot == other.snapshot)

      #expect(try await Answer.get(url + "/orders/live", "-d", "{}").status == 400)
      let fromElsewhere = try await Answer.get(
        url + "/orders/live", "-d", "[]", "-H", "Origin: http://elsewhere.example")
      #expect(fromElsewhere.status == 403)
      #expect(try await Answer.get(url + "/customers/live", "-d", "[]").body == "this list takes no edits\n")
      service.signal(SIGTERM)
      await service.end()
    }

    @Test func `pages by key and a wrong request`() async throws {
      let folder = try Folder()
      let service = try await start(folder.path + "/orders.db")
      for number in 1...5 { #expect(try await place() == number) }
      struct Page: Decodable {
        var items: [Row]
        var next: String?
      }
      var (ids, next): ([Int], String?) = ([], nil)
      repeat {
        let after = next?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        let answer = try await Answer.get(url + "/orders?size=2" + (after.map { "&after=\($0)" } ?? ""))
        let page = try JSONDecoder().decode(Page.self, from: Data(answer.body.utf8))
        ids += page.items.map(\.id)
        next = page.next
      } while next != nil
      #expect(ids == [5, 4, 3, 2, 1])
      #expect(try await Answer.get(url + "/orders?after=x").status == 400)
      #expect(try await Answer.get(url + "/orders", "-d", "{}").status == 400)
      let foreign = try await Answer.get(url + "/orders", "-d", "{}", "-H", "Origin: http://evil.example")
      #expect(foreign.status == 403)
      #expect(try await Answer.get(url + "/orders", "-d", "{}", "-H", "Origin: \(url)").status == 400)
      #expect(try await Answer.get(url + "/orders/1/status", "-d", "{}").status == 400)
      #expect(try await Answer.get(url + "/orders", "-d", #"{"customer": 9, "lines": []}"#).status == 422)
      #expect(
        try await Answer.get(
          url + "/orders", "-d",
          #"{"customer": 1, "lines": [{"article": "x", "quantity": 9223372036854775807, "cents": 2}]}"#
        ).status == 422)
      #expect(try await Answer.get(url + "/metrics").body.contains("orders_rows 5"))
      #expect(try await Answer.get(url + "/").body.contains("live-list.js"))
      service.signal(SIGINT)
      await service.end()
      #expect(service.status == 0)
    }
  }
#endif
