#if Net
  import DataSources
  import DataSourcesTestSupport
  import FeedServer
  import FetchedResultsSupport
  import Foundation
  import LiveFeeds
  import Testing

  /// A server with a list, at a port that was free.
  struct Served {
    let list: SectionController<Errand>
    let feed: LiveFeed<Errand>
    let server: FeedServer

    init(
      _ list: SectionController<Errand> = SectionController(ErrandsAndCareer.list),
      feedOptions: FeedOptions = FeedOptions(), options change: (inout FeedServerOptions) -> Void = { _ in },
      paths: (FeedServer, LiveFeed<Errand>) -> Void = { _, _ in }
    ) throws {
      self.list = list
      feed = LiveFeed(list, options: feedOptions) { edits in
        for case .update(_, let new, to: _) in edits { list.update(new) }
      }
      var options = FeedServerOptions()
      (options.port, options.keepAlive) = (0, .seconds(1))
      change(&options)
      server = FeedServer(options)
      server.feed("/list", feed)
      paths(server, feed)
      try server.start()
    }

    func url(_ path: String = "/list") -> String { "http://127.0.0.1:\(server.port)\(path)" }

    func events(_ options: String = "") throws -> Tool {
      try Tool("sh", "-c", "exec curl -sN --max-time 20 -H 'Accept: text/event-stream' \(options) '\(url())'")
    }
  }

  /// The server, asked by curl.
  @Suite(.serialized, .timeLimit(.minutes(2))) struct ServerTests {
    @Test func `curl gets a snapshot and then an event for each change, and resumes after one`() async throws {
      let served = try Served()
      let reader = try served.events()
      #expect(await eventually { reader.output.contains("\"reset\":true") })
      #expect(reader.output.hasPrefix("retry: 2000\n\nid: "))
      served.list.append(Errand(id: 77, title: "first"), toSection: 0)
      #expect(await eventually { reader.output.contains("first") })
      let first = try #require(reader.output.split(separator: "\n").last { $0.hasPrefix("id: ") }).dropFirst(4)
      served.list.append(Errand(id: 78, title: "second"), toSection: 0)
      #expect(await eventually { reader.output.contains("second") })
      let other = try served.events("-H 'Last-Event-ID: \(first)'")
      #expect(await eventually { other.output.contains("second") })
      #expect(!other.output.contains("first") && !other.output.contains("reset"))
      // A keep-alive comes while nothing else does.
      #expect(await eventually { other.output.contains("\nevent: alive\n") })
      #expect(served.server.counts.readers == 2)
      await served.server.stop()
    }

    @Test func `a reader that has gone is found by the keep-alive`() async throws {
      let served = try Served()
      let reader = try served.events()
      #expect(await eventually { served.server.counts.readers == 1 })
      reader.signal(SIGKILL)
      #expect(await eventually { served.server.counts.readers == 0 })
      await served.server.stop()
    }

    @Test func `a reader that doesn't read is cut, and others go on meanwhile`() async throws {
      let rows = (0..<60_000).map { Errand(id: Int64($0), title: "errand number \($0), with a title of some length") }
      let served = try Served(SectionController(rows), options: { $0.patience = .seconds(2) })
      let stalled = try Tool(
        "python3", "-c",
        """
        import socket, time
        s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", \(served.server.port)))
        s.sendall(b"GET /list HTTP/1.1\\r\\nHost: x\\r\\nAccept: text/event-stream\\r\\n\\r\\n")
        time.sleep(30)
        """)
      #expect(await eventually { served.server.counts.readers == 1 })
      let reader = try served.events()
      #expect(await eventually { served.server.counts.readers == 2 })
      served.list.append(Errand(id: 99_999, title: "first"), toSection: 0)
      #expect(await eventually { reader.output.contains("\"first\"") })
      #expect(await eventually { served.server.counts.readers == 1 })
      stalled.signal(SIGKILL)
      await served.server.stop()
      #expect(await reader.end().hasSuffix("event: end\ndata: {\"end\":\"the service stops\"}\n\n"))
    }

    @Test func `answers that stay right are for caches, others are not`() async throws {
      let served = try Served()
      let head = try await Answer.get(served.url())
      #expect(head.status == 200 && head.headers["cache-control"] == "public, max-age=1")
      #expect(head.headers["content-type"] == "application/x-ndjson" && head.headers["vary"] == "Accept")
      let tag = try #require(head.headers["etag"])
      let same = try await Answer.get(served.url(), "-H", "If-None-Match: \(tag)")
      #expect(same.status == 304 && same.body.isEmpty)
      let next = tag.dropFirst(3).dropLast()
      let empty = try await Answer.get(served.url("/list?after=\(next)"))
      #expect(empty.status == 200 && empty.body.isEmpty && empty.headers["cache-control"] == "no-store")
      served.list.append(Errand(id: 77, title: "first"), toSection: 0)
      let news = try await Answer.get(served.url("/list?after=\(next)&wait=10"))
      #expect(news.body.contains("first") && news.headers["cache-control"] == "public, max-age=86400, immutable")
      let unknown = try await Answer.get(served.url("/list?after=other.7"))
      #expect(unknown.body.contains("\"reset\":true") && unknown.headers["cache-control"] == "public, max-age=1")
      let window = try await Answer.get(served.url("/list?window=1&size=2"))
      #expect(window.body.contains("\"first\":2") && window.body.contains("Post office"))
      await served.server.stop()
    }

    @Test func `a poll waits for news, or until its time is over`() async throws {
      let served = try Served()
      let head = try await Answer.get(served.url())
      let next = try #require(head.headers["etag"]).dropFirst(3).dropLast()
      async let news = Answer.get(served.url("/list?after=\(next)&wait=20"))
      #expect(await eventually { served.server.counts.readers == 1 })
      served.list.append(Errand(id: 77, title: "first"), toSection: 0)
      #expect(try await news.body.contains("first"))
      let start = MonotonicClock.now()
      let nothing = try await Answer.get(served.url("/list?after=\(served.feed.handle).1&wait=1"))
      #expect(nothing.status == 200 && nothing.body.isEmpty)
      #expect((900_000_000...4_000_000_000).contains(MonotonicClock.now() - start))
      await served.server.stop()
    }

    @Test func `limits are refused in words`() async throws {
      let served = try Served(
        options: { ($0.readers, $0.bodyBytes) = (2, 1000) },
        paths: { server, _ in
          server.on("POST", "/echo/{name}") { request in
            HTTPResponse(200, type: "text/plain", request.body, headers: ["X-Name": request.parameters["name"] ?? ""])
          }
          server.on("GET", "/fails") { _ in throw CancellationError() }
          server.on("GET", "/refuses") { _ in throw HTTPResponse(418, "no") }
        })
      func status(_ path: String, _ options: String...) async throws -> Int {
        let words = options.map { "'\($0)'" }.joined(separator: " ")
        let tool = try Tool("sh", "-c", "curl -s -o /dev/null -w '%{http_code}' \(words) '\(served.url(path))'")
        return Int(await tool.end()) ?? 0
      }
      #expect(try await status("/nothing") == 404)
      #expect(try await status("/list", "-X", "DELETE") == 405)
      #expect(try await status("/list", "-I") == 200)
      for query in ["window=-1&size=5", "window=1", "size=5", "window=9999999999&size=9999999999", "wait=-1", "wait=x"]
      {
        #expect(try await status("/list?\(query)") == 400)
      }
      #expect(try await status("/list", "-H", "X: " + String(repeating: "x", count: 8000)) == 431)
      #expect(try await status("/list", "-H", "X: " + String(repeating: "x", count: 2000)) == 200)
      #expect(try await status("/echo/a", "-d", String(repeating: "x", count: 1001)) == 413)
      #expect(try await status("/echo/a", "-d", "x", "-H", "Transfer-Encoding: chunked") == 411)
      #expect(try await status("/fails") == 500)
      #expect(try await status("/refuses") == 418)
      let echo = try await Answer.get(served.url("/echo/a%20b"), "-d", String(repeating: "x", count: 1000))
      #expect(echo.body.count == 1000 && echo.headers["x-name"] == "a b")
      let readers = try [served.events(), served.events()]
      #expect(await eventually { served.server.counts.readers == 2 })
      let third = try await Answer.get(served.url(), "-H", "Accept: text/event-stream")
      #expect(third.status == 503 && third.headers["retry-after"] != nil)
      #expect(try await status("/list") == 200)
      readers[0].signal(SIGKILL)
      #expect(await eventually { served.server.counts.readers == 1 })
      await served.server.stop()
    }

    @Test func `every answer has the headers of the options, and refusals their form`() async throws {
      let served = try Served(options: {
        $0.headers = ["X-Policy": "strict", "Cache-Control": "no-store"]
        $0.refusal = { HTTPResponse($0, type: "application/json", "{\"why\":\"\($1)\"}".utf8) }
      })
      let missing = try await Answer.get(served.url("/nothing"))
      #expect(missing.status == 404 && missing.body == "{\"why\":\"nothing is at this path\"}")
      #expect(missing.headers["x-policy"] == "strict" && missing.headers["cache-control"] == "no-store")
      let method = try await Answer.get(served.url(), "-X", "DELETE")
      #expect(method.status == 405 && method.headers["content-type"] == "application/json")
      #expect(method.headers["allow"] == "GET, HEAD, POST")
      let list = try await Answer.get(served.url())
      #expect(list.headers["x-policy"] == "strict" && list.headers["cache-control"] == "public, max-age=1")
      await served.server.stop()
    }

    @Test func `authorize is asked at the start and again, and keeps answers out of shared caches`() async throws {
      let allowed = Locked(true)
      let served = try Served(
        options: { $0.authorizeAgain = .seconds(1) },
        paths: { server, feed in
          server.feed("/mine", feed) { request in
            request.cookie("user") == "ada" && allowed.withLock { $0 } ? nil : HTTPResponse(401, "log in first")
          }
          server.feeds("/of/{name}") { $0.parameters["name"] == "ada" ? feed : nil }
        })
      #expect(try await Answer.get(served.url("/mine")).status == 401)
      #expect(try await Answer.get(served.url("/of/ada")).status == 200)
      #expect(try await Answer.get(served.url("/of/brook")).status == 404)
      let answer = try await Answer.get(served.url("/mine"), "-b", "user=ada")
      #expect(answer.status == 200 && answer.headers["cache-control"] == "private, max-age=1")
      let reader = try Tool(
        "curl", "-sN", "--max-time", "20", "-b", "user=ada", "-H", "Accept: text/event-stream", served.url("/mine"))
      #expect(await eventually { served.server.counts.readers == 1 })
      try await Task.sleep(for: .seconds(2))
      #expect(served.server.counts.readers == 1)
      allowed.withLock { $0 = false }
      #expect(await reader.end().hasSuffix("event: end\ndata: {\"end\":\"not authorized any more\"}\n\n"))
      await served.server.stop()
    }

    @Test func `a client that connects before the server starts finds the paths that depend on its port`() async throws
    {
      var options = FeedServerOptions()
      options.port = 0
      let server = FeedServer(options)
      let port = try server.bind()
      #expect(server.port == port)
      async let early = Answer.get("http://127.0.0.1:\(port)/port")
      try await Task.sleep(for: .milliseconds(100))
      server.on("GET", "/port") { _ in HTTPResponse(200, "\(port)") }
      try server.start()
      #expect(try await early.body == "\(port)\n" && server.port == port)
      await server.stop()
    }

    @Test func `stopping tells the readers, answers who waits, and frees the port`() async throws {
      let served = try Served(paths: { server, _ in
        server.on("GET", "/slow") { _ in
          try await Task.sleep(for: .seconds(1))
          return HTTPResponse(200, "done")
        }
      })
      let reader = try served.events()
      async let poll = Answer.get(served.url("/list?after=\(served.feed.handle).0&wait=20"))
      async let slow = Answer.get(served.url("/slow"))
      #expect(await eventually { served.server.counts.readers == 2 && served.server.counts.requests == 3 })
      await served.server.stop()
      #expect(await reader.end().hasSuffix("event: end\ndata: {\"end\":\"the service stops\"}\n\n"))
      #expect(try await poll.status == 200)
      #expect(try await slow.body == "done\n")
      #expect(try await Answer.get(served.url()).status == 0)
      await served.server.stop()
      let again = try Served(options: { [port = served.server.port] in $0.port = port })
      #expect(try await Answer.get(again.url()).status == 200)
      #expect(throws: FeedServerError.self) { try Served(options: { $0.port = again.server.port }) }
      await again.server.stop()
    }

    @Test func `a handler that never answers is cancelled when the server stops`() async throws {
      let isCancelled = Locked(false)
      let served = try Served(
        options: { $0.stopping = .seconds(1) },
        paths: { server, _ in
          server.on("GET", "/never") { _ in
            do {
              try await Task.sleep(for: .seconds(30))
            } catch {
              isCancelled.withLock { $0 = true }
            }
            return HTTPResponse(200, "late")
          }
        })
      async let never = Answer.get(served.url("/never"))
      #expect(await eventually { served.server.counts.requests == 1 })
      let start = MonotonicClock.now()
      await served.server.stop()
      #expect(MonotonicClock.now() - start < 3_000_000_000)
      #expect(await eventually { isCancelled.withLock { $0 } })
      #expect(try await never.status == 0)
    }

    @Test func `a list that ends tells its readers, and browsers don't ask again`() async throws {
      let served = try Served()
      let reader = try served.events()
      #expect(await eventually { served.server.counts.readers == 1 })
      served.feed.end()
      #expect(await reader.end().contains("event: end\ndata: {\"end\":\"the list has ended\"}"))
      #expect(try await Answer.get(served.url(), "-H", "Accept: text/event-stream").status == 204)
      #expect(try await Answer.get(served.url()).status == 410)
      await served.server.stop()
    }
  }
#endif
