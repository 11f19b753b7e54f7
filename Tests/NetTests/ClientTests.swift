#if Net
  import CurlTransport
  import DataSources
  import DataSourcesTestSupport
  import FeedServer
  import Foundation
  import LiveFeeds
  import TestSupport
  import Testing

  /// Clients in other languages, and a cache between them and the server.
  @Suite(.serialized, .timeLimit(.minutes(2))) struct ClientTests {
    @Test func `clients in Python and JavaScript end with the list after thousands of patches`() async throws {
      let seed = Seeds.range(1).lowerBound
      var random = SeededGenerator(seed: seed)
      var list = ErrandsAndCareer.list
      let served = try Served(SectionController(list))
      let python = try ["sse", "poll", "sse rough", "poll rough"].map {
        try Tool("sh", "-c", "exec python3 \(Place.client("reader.py")) \(served.url()) 99999999 \($0)")
      }
      let events = try served.events("--max-time 60")
      #expect(await eventually { served.server.counts.readers >= 3 })
      for _ in 0..<3000 {
        list = ErrandsAndCareer.changed(list, within: .all, using: &random)
        served.list.replace(with: list)
        try await Task.sleep(for: .microseconds(500))
      }
      served.list.replace(
        with: Snapshot(Array(list) + [Section(id: "end", name: "end", items: [Errand(id: 99_999_999, title: "end")])]))
      let expected = served.list.snapshot
      for client in python {
        let report = try Report<Errand>(await client.end())
        #expect(Snapshot(report.sections) == expected, "\(Seeds.hint(seed))")
        print("a client in Python:", report.counts)
      }
      #expect(await eventually { events.output.contains("99999999") })
      await served.server.stop()
      await events.end()
      let script = try Tool(
        "node", Place.client("replay.mjs"), Place.page.appending(path: "live-list.js").path, events.path)
      let report = try Report<Errand>(await script.end())
      #expect(Snapshot(report.sections) == expected, "\(Seeds.hint(seed))")
      #expect(report.counts.patches > 2000 && report.counts.resets == 1 && report.counts.connections == 1)
    }

    /// An nginx with servers.
    private func nginx(in folder: Folder, _ servers: String) throws -> Tool {
      try """
      daemon off; pid nginx.pid; error_log error.log; worker_rlimit_nofile 4096;
      events { worker_connections 2048; }
      http { access_log off; \(servers) }
      """.write(toFile: folder.path + "/nginx.conf", atomically: true, encoding: .utf8)
      return try Tool("sh", "-c", "PATH=$PATH:/usr/sbin exec nginx -p '\(folder.path)' -c nginx.conf")
    }

    @Test func `a remote list over TLS and HTTP/2 trusts the right certificate alone, and edits`() async throws {
      let list = SectionController([Errand(id: 1, title: "Milk")])
      let served = try Served(list)
      let folder = try Folder()
      let port = UInt16.random(in: 20_000..<30_000)
      for name in ["right", "wrong"] {
        let made = try Tool(
          "sh", "-c",
          "cd '\(folder.path)' && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
            + "-addext subjectAltName=DNS:localhost -keyout \(name).key -out \(name).pem 2>&1")
        await made.end()
        #expect(made.status == 0, "\(made.output)")
      }
      let nginx = try nginx(
        in: folder,
        """
        log_format protocol '$server_protocol';
        server {
          access_log \(folder.path)/protocols protocol;
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate right.pem;
          ssl_certificate_key right.key;
          location / { proxy_pass http://127.0.0.1:\(served.server.port); proxy_http_version 1.1; }
        }
        """)
      let url = "https://localhost:\(port)/list"
      #expect(try await eventually { try await Answer.get(url, "--cacert", folder.path + "/right.pem").status == 200 })
      func remote(_ certificates: String?) -> RemoteDataSource<Errand> {
        var transport = CurlTransport(url)
        transport.certificates = certificates.map { folder.path + "/" + $0 }
        return RemoteDataSource(transport)
      }
      let trusting = remote("right.pem")
      #expect(await eventually { trusting.snapshot == list.snapshot && trusting.state == .live })
      list.append(Errand(id: 2, title: "Bread"), toSection: 0)
      #expect(await eventually { trusting.snapshot == list.snapshot })
      try await trusting.edit { $0.update(at: ItemPath(section: 0, item: 0)) { $0.title = "Oat milk" } }
      #expect(list.snapshot[0].items.first?.title == "Oat milk")
      for certificates in ["wrong.pem", nil] {
        let doubting = remote(certificates)
        #expect(await eventually { if case .failed = doubting.state { true } else { false } })
        #expect(doubting.snapshot.isEmpty)
      }
      await served.server.stop()
      nginx.signal(SIGTERM)
      await nginx.end()
      let protocols = try String(contentsOfFile: folder.path + "/protocols", encoding: .utf8)
      #expect(protocols.split(separator: "\n").contains("HTTP/2.0"))
    }

    @Test func `a thousand readers behind nginx cost one request for each piece`() async throws {
      let rows = (0..<5000).map { Errand(id: Int64($0), title: "errand number \($0)") }
      var feedOptions = FeedOptions()
      feedOptions.pieceBytes = 20_000
      let served = try Served(SectionController(rows), feedOptions: feedOptions)
      let folder = try Folder()
      let port = UInt16.random(in: 20_000..<30_000)
      let nginx = try nginx(
        in: folder,
        """
        proxy_cache_path \(folder.path)/cache keys_zone=feeds:10m;
        server {
          listen 127.0.0.1:\(port);
          location / {
            proxy_pass http://127.0.0.1:\(served.server.port);
            proxy_cache feeds;
            proxy_cache_lock on;
            proxy_cache_use_stale updating;
            proxy_cache_background_update on;
          }
        }
        """)
      let url = "http://127.0.0.1:\(port)/list"
      #expect(try await eventually { try await Answer.get(url).status == 200 })
      let (before, start) = (served.server.counts.requests, ContinuousClock.now)
      let crowd = try Tool("python3", Place.client("crowd.py"), url, "1000")
      struct Result: Decodable {
        var lists: Int
        var pieces: Int
      }
      let result = try JSONDecoder().decode(Result.self, from: Data(await crowd.end().utf8))
      #expect(result.lists == 1 && result.pieces > 10)
      // The first piece is asked for again each second, all others once.
      let requests = served.server.counts.requests - before
      print("behind nginx: \(result.pieces) pieces, \(requests) requests")
      let seconds = Int((ContinuousClock.now - start).components.seconds)
      #expect(requests >= result.pieces - 1 && requests <= result.pieces + 2 * (seconds + 2))
      nginx.signal(SIGTERM)
      await nginx.end()
      await served.server.stop()
    }
  }
#endif
