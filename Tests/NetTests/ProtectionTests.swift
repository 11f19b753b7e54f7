#if Net
  import DataSources
  import DataSourcesTestSupport
  import FeedServer
  import FetchedResultsSupport
  import Foundation
  import LiveFeeds
  import Testing

  /// https, and what a server does about clients that send too much, too slowly, or what nobody should send.
  @Suite(.serialized, .timeLimit(.minutes(2))) struct ProtectionTests {
    /// Makes a certificate for 127.0.0.1, and its key.
    private func makeCertificate(_ folder: Folder, _ name: String) async throws -> (certificate: String, key: String) {
      let (certificate, key) = ("\(folder.path)/\(name).pem", "\(folder.path)/\(name).key")
      let openssl = try Tool(
        "sh", "-c",
        """
        exec openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) \
        -addext subjectAltName=IP:127.0.0.1 -keyout '\(key)' -out '\(certificate)' 2>&1
        """)
      let output = await openssl.end()
      try #require(openssl.status == 0, "\(output)")
      return (
        try String(contentsOfFile: certificate, encoding: .utf8), try String(contentsOfFile: key, encoding: .utf8)
      )
    }

    /// Sends bytes as they are, and returns all that comes until the server closes.
    private func send(_ port: UInt16, _ bytes: String) async throws -> String {
      let client = try Tool("python3", Place.client("raw.py"), "\(port)", bytes)
      return await client.end()
    }

    @Test func `a server with a certificate speaks https alone, and streams`() async throws {
      let folder = try Folder()
      let (certificate, key) = try await makeCertificate(folder, "one")
      let served = try Served(options: { ($0.certificate, $0.key) = (certificate, key) })
      let url = "https://127.0.0.1:\(served.server.port)/list"
      let list = try await Answer.get(url, "--cacert", folder.path + "/one.pem")
      #expect(list.status == 200 && list.body.contains("Post office"))
      #expect(try await Answer.get(url).status == 0)  // not trusted
      #expect(try await Answer.get(served.url()).status == 0)  // not encrypted
      #expect(try await Answer.get(url, "-k", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0").status == 0)
      let reader = try Tool(
        "curl", "-sN", "--max-time", "60", "--cacert", folder.path + "/one.pem", "-H", "Accept: text/event-stream", url)
      #expect(await eventually { reader.output.contains("\"reset\":true") })
      served.list.append(Errand(id: 77, title: "encrypted"), toSection: 0)
      #expect(await eventually { reader.output.contains("encrypted") })
      await served.server.stop()
      #expect(await reader.end().hasSuffix("event: end\ndata: {\"end\":\"the service stops\"}\n\n"))
    }

    @Test func `a certificate that can't be used is one clear error`() async throws {
      let folder = try Folder()
      let (certificate, key) = try await makeCertificate(folder, "one")
      let (_, otherKey) = try await makeCertificate(folder, "other")
      for (certificate, key) in [
        (certificate, otherKey), (certificate, nil), (nil, key), ("text", key), (certificate, ""), (key, certificate),
      ] {
        let error = #expect(throws: FeedServerError.self) {
          try Served(options: { ($0.certificate, $0.key) = (certificate, key) })
        }
        #expect(error?.description.contains("the certificate or its key") == true)
      }
    }

    @Test func `a client that is refused too often is refused altogether for a while`() async throws {
      let served = try Served(
        options: { ($0.unauthorizedAtOnce, $0.isBehindProxy) = (3, true) },
        paths: { server, _ in
          server.on("GET", "/mine") { request in HTTPResponse(request.query["key"] == "right" ? 200 : 401, "") }
        })
      let url = served.url("/mine")
      for _ in 0..<3 { #expect(try await Answer.get(url, "-H", "X-Forwarded-For: 1.1.1.1, 2.2.2.2").status == 401) }
      let refused = try await Answer.get(url + "?key=right", "-H", "X-Forwarded-For: 2.2.2.2")
      #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
      // Others are not, whatever the first address says.
      #expect(try await Answer.get(url + "?key=right", "-H", "X-Forwarded-For: 2.2.2.2, 1.1.1.1").status == 200)
      // What a client writes into a line of its own comes before the line of the proxy.
      let own = ["-H", "X-Forwarded-For: 2.2.2.2", "-H", "X-Forwarded-For: 3.3.3.3"]
      #expect(try await Answer.get(url + "?key=right", own[0], own[1], own[2], own[3]).status == 200)
      #expect(try await Answer.get(url + "?key=right").status == 200)
      #expect(
        try await eventually {
          try await Answer.get(url + "?key=right", "-H", "X-Forwarded-For: 2.2.2.2").status == 200
        })
      await served.server.stop()
    }

    @Test func `a client sends so many requests at once`() async throws {
      let served = try Served(
        options: { $0.requestsPerSecond = 1 },
        paths: { server, _ in server.on("GET", "/a") { _ in HTTPResponse(200, "") } })
      let head = "GET /a HTTP/1.1\r\nHost: x\r\n"
      let answers = try await send(
        served.server.port, String(repeating: head + "\r\n", count: 9) + head + "Connection: close\r\n\r\n")
      #expect(answers.components(separatedBy: " 200 OK").count - 1 == 4)
      #expect(answers.components(separatedBy: " 429 Too Many Requests").count - 1 == 1)  // and the connection ends
      #expect(answers.contains("Retry-After: 1\r\n"))
      await served.server.stop()
    }

    @Test func `a request that drips in is cut, and others are answered meanwhile`() async throws {
      let served = try Served(options: { ($0.patience, $0.otherConnections, $0.readers) = (.seconds(2), 20, 1) })
      let drips = try ["head", "body", "next"].map { part in
        try Tool("python3", Place.client("drip.py"), "\(served.server.port)", part)
      }
      #expect(await eventually { served.server.counts.connections >= 3 })
      #expect(try await Answer.get(served.url()).status == 200)
      for drip in drips {
        let seconds = try #require(Double(await drip.end().trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect((1.5...30).contains(seconds))
      }
      await served.server.stop()
    }

    @Test func `a body may take longer than a head if it keeps coming`() async throws {
      let served = try Served(
        options: { $0.patience = .seconds(2) },
        paths: { server, _ in server.on("POST", "/size") { HTTPResponse(200, "\($0.body.count)") } })
      let client = try Tool(
        "sh", "-c",
        "head -c 65536 /dev/zero | curl -sS --max-time 20 --limit-rate 16k -H Expect: --data-binary @- "
          + "http://127.0.0.1:\(served.server.port)/size 2>&1")
      #expect(await client.end() == "65536\n")
      await served.server.stop()
    }

    @Test func `more connections of one client are closed`() async throws {
      let served = try Served(options: { $0.connectionsPerClient = 2 })
      let readers = try [served.events(), served.events()]
      #expect(await eventually { served.server.counts.readers == 2 })
      #expect(try await Answer.get(served.url()).status == 0)
      readers[0].signal(SIGKILL)
      #expect(await eventually { served.server.counts.readers == 1 })
      #expect(try await Answer.get(served.url()).status == 200)
      await served.server.stop()
    }

    @Test func `a request that two programs could understand differently is refused, and ends its connection`()
      async throws
    {
      let served = try Served(paths: { server, _ in
        server.on("POST", "/echo") { HTTPResponse(200, type: "text/plain", $0.body) }
      })
      let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
      for (heads, body) in [
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 4", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked", "0\r\n\r\n"), ("Transfer-Encoding: xchunked", "0\r\n\r\n"),
        ("Content-Length: 0\r\nContent-Length: 40", ""), ("Content-Length: 40\r\nContent-Length: 0", ""),
        ("Content-Length: +0", ""), ("Content-Length: -1", ""), ("Content-Length: 0x0", ""),
        ("Content-Length: 99999999999999999999", ""), ("Host: y\r\nContent-Length: 0", ""),
      ] {
        let answer = try await send(
          served.server.port, "POST /echo HTTP/1.1\r\nHost: x\r\n\(heads)\r\n\r\n\(body)\(smuggled)")
        #expect(!answer.contains(" 404 ") && !answer.contains(" 200 "), "\(heads): \(answer)")
        #expect(answer.hasPrefix("HTTP/1.1 4") || answer.isEmpty, "\(heads): \(answer)")
      }
      let usual = try await send(
        served.server.port, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi\(smuggled)")
      #expect(usual.contains(" 200 OK") && usual.contains(" 404 Not Found"))
      await served.server.stop()
    }

    @Test func `each answer is reported, without its query, and counted`() async throws {
      let reports = Locked<[AnsweredRequest]>([])
      let served = try Served(
        options: { $0.answered = { request in reports.withLock { $0.append(request) } } },
        paths: { server, _ in
          server.on("GET", "/slow") { _ in
            try await Task.sleep(for: .milliseconds(30))
            return HTTPResponse(200, "")
          }
        })
      #expect(try await Answer.get(served.url("/slow")).status == 200)
      let answers = served.server.counts.answers
      #expect(answers.count == 1 && answers.counts.first == 0 && answers.sum > 0.03)
      #expect(answers.counts == answers.counts.sorted())
      #expect(await eventually { reports.withLock { !$0.isEmpty } })
      reports.withLock { $0 = [] }
      #expect(try await Answer.get(served.url("/list?secret=1")).status == 200)
      #expect(try await Answer.get(served.url("/no%20thing")).status == 404)
      let reader = try served.events()
      #expect(await eventually { reader.output.contains("\"reset\":true") })
      served.list.append(Errand(id: 77, title: "first"), toSection: 0)
      #expect(await eventually { reader.output.contains("first") })
      #expect(served.server.counts.frames.count == 1 && served.server.counts.answers.count == 2)
      #expect(served.server.counts.frames.counts.last == 1 && served.server.counts.frames.sum < 10)
      reader.signal(SIGKILL)
      #expect(await eventually { reports.withLock { $0.count } == 3 })
      let found = reports.withLock { $0 }
      #expect(found.map(\.path) == ["/list", "/no thing", "/list"] && found.map(\.status) == [200, 404, 200])
      #expect(found.map(\.method) == ["GET", "GET", "GET"] && found.allSatisfy { $0.bytes > 0 && $0.duration > .zero })
      await served.server.stop()
    }
  }
#endif
