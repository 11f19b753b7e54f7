#if Net
  import CurlTransport
  import DataSources
  import DataSourcesTestSupport
  import FeedTestSupport
  import FetchedResultsSupport
  import Foundation
  import LiveFeeds
  import TestSupport
  import Testing

  @Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
    private func transport(_ port: UInt16) -> CurlTransport { CurlTransport("http://127.0.0.1:\(port)/feed") }

    private func server(_ count: Int = 3) -> SocketServer {
      SocketServer(LiveFeed(SectionController((0..<count).map { Errand(id: Int64($0), title: "errand \($0)") })))
    }

    private func bytes(_ transport: CurlTransport, _ request: FeedRequest) async throws -> Int {
      var count = 0
      for try await part in try await transport.open(request) { count += part.count }
      // A sequence may also end without an error when its task is cancelled.
      try Task.checkCancellation()
      return count
    }

    @Test(arguments: Seeds.range(6)) func `a remote list keeps the laws of data sources`(seed: UInt64) async throws {
      let suite = DataSourceConformance<RemoteList>(
        making: { list in
          let habits: ChaosProxy.Habits = seed.isMultiple(of: 2) ? [] : [.cuts, .delays, .splits, .repeats]
          let remote = RemoteList(list, habits, seed: seed) { transport($0) }
          try await remote.waitUntilSame()
          return remote
        },
        changing: { remote, list in
          remote.list.replace(with: list)
          try await remote.waitUntilSame()
        },
        reading: { $0 })
      #expect(try await suite.violations(seed: seed, steps: 12) == [], "\(Seeds.hint(seed))")
    }

    @Test func `whatever the network does, the list becomes that of the service`() async throws {
      for seed in Seeds.range(40) {
        var random = SeededGenerator(seed: seed)
        let remote = RemoteList(ErrandsAndCareer.list, .all, seed: seed) { transport($0) }
        for _ in 0..<20 {
          remote.list.replace(with: ErrandsAndCareer.changed(remote.list.snapshot, using: &random))
          if random.once(in: 4) { try await Task.sleep(for: .milliseconds(random.below(8))) }
          if random.once(in: 8) { remote.proxy.cut() }
        }
        remote.proxy.calm()
        try await remote.waitUntilSame()
      }
    }

    @Test func `refusals and failures say whether to try again`() async throws {
      let server = server()
      for (status, isFinal) in [("401 No", true), ("404 No", true), ("503 Busy", false)] {
        server.behavior.withLock { $0.status = status }
        do {
          _ = try await transport(server.port).open(FeedRequest())
          Issue.record("\(status) is no error")
        } catch let error as FeedError {
          #expect(error.isFinal == isFinal && error.reason.hasPrefix("status \(status.prefix(3))"))
          #expect(error.retryAfter == .zero)
        }
      }
      for (address, isFinal) in [
        ("http://127.0.0.1:1/", false), ("file:///etc/hostname", true), ("ftp://127.0.0.1/", true), ("http://", true),
      ] {
        do {
          _ = try await CurlTransport(address).open(FeedRequest())
          Issue.record("\(address) is no error")
        } catch let error as FeedError {
          #expect(error.isFinal == isFinal, "\(address): \(error)")
        }
      }
    }

    @Test func `headers are sent, and can't hold another one`() async throws {
      let server = server()
      let signedIn = CurlTransport("http://127.0.0.1:\(server.port)/feed?size=1") { ["Authorization": "Bearer abc"] }
      _ = try await bytes(signedIn, FeedRequest(after: "a b", wait: .seconds(1)))
      #expect(server.heads.withLock { $0.last?.contains("Authorization: Bearer abc\r\n") } == true)
      #expect(server.requests.withLock { $0.last } == "/feed?size=1&after=a%20b&wait=1")
      let split = CurlTransport("http://127.0.0.1:\(server.port)/feed") { ["X": "a\r\nY: b"] }
      await #expect(throws: FeedError.self) { _ = try await split.open(FeedRequest()) }
      struct NotSignedIn: Error {}
      let unknown = CurlTransport("http://127.0.0.1:\(server.port)/feed") { throw NotSignedIn() }
      await #expect(throws: NotSignedIn.self) { _ = try await unknown.open(FeedRequest()) }
    }

    @Test func `cancellation takes effect at once, before the answer and in it`() async throws {
      let server = server()
      // Nobody accepts here, so no answer begins.
      let silent = try #require(Socket.listening())
      for (port, transport) in [(silent.port, transport(silent.port)), (server.port, transport(server.port))] {
        let reading = Task { try await bytes(transport, FeedRequest()) }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        reading.cancel()
        await #expect(throws: CancellationError.self, "\(port)") { _ = try await reading.value }
        // Beside all other tests a task may wait for seconds; without the cancellation it would be more than ten.
        #expect(ContinuousClock.now - start < .seconds(8))
      }
      try await gone(server)
    }

    private func gone(_ server: SocketServer) async throws {
      let end = ContinuousClock.now + .seconds(60)
      while server.listener.numberOfConnections > 0, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(server.listener.numberOfConnections == 0)
    }

    @Test func `a slow reader holds the service back, and misses nothing`() async throws {
      let server = server(60_000)
      let answer = try await transport(server.port).open(FeedRequest())
      var (text, largest) = ([UInt8](), 0)
      for try await part in answer {
        largest = max(largest, part.count)
        text += part
        if String(decoding: text.suffix(2000), as: UTF8.self).contains("errand 59999\"") { break }
        try await Task.sleep(for: .milliseconds(1))
      }
      #expect(largest < 400_000)
      #expect(String(decoding: text, as: UTF8.self).components(separatedBy: "\"title\"").count - 1 == 60_000)
      let remote = RemoteDataSource<Errand>(transport(server.port), options: .quick)
      try await remote.wait { $0.numberOfItems == 60_000 }
    }

    @Test func `a released answer closes its connection`() async throws {
      let server = server()
      do {
        let answer = try await transport(server.port).open(FeedRequest())
        for try await _ in answer { break }
        #expect(server.listener.numberOfConnections == 1)
      }
      try await gone(server)
    }

    @Test func `many connections share a thread`() async throws {
      let server = server()
      let remotes = (0..<100).map { _ in RemoteDataSource<Errand>(transport(server.port), options: .quick) }
      for remote in remotes { try await remote.wait { $0.state == .live } }
      #expect(remotes.allSatisfy { $0.numberOfItems == 3 })
    }
  }
#endif
