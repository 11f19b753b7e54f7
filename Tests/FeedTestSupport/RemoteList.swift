package import DataSources
package import DataSourcesTestSupport
package import LiveFeeds

/// A list, its feed behind a server, and a remote copy of it.
package final class RemoteList: DataSourceProtocol {
  package let list: SectionController<Errand>
  package let feed: LiveFeed<Errand>
  package let server: SocketServer
  package let proxy: ChaosProxy
  package let remote: RemoteDataSource<Errand>

  /// - Parameter transport: Makes the transport to a port of this machine.
  package init(
    _ start: Snapshot<Errand>, _ habits: ChaosProxy.Habits = [], seed: UInt64 = 0, options: FeedOptions = FeedOptions(),
    through transport: (_ port: UInt16) -> any FeedTransport = { SocketTransport(port: $0) }
  ) {
    list = SectionController(start)
    feed = LiveFeed(list, options: options)
    server = SocketServer(feed)
    proxy = ChaosProxy(to: server.port, habits, seed: seed)
    remote = RemoteDataSource(transport(proxy.port), options: .quick)
  }

  package var snapshot: Snapshot<Errand> { remote.snapshot }
  package func updates() -> AsyncStream<Update<Errand>> { remote.updates() }
  package func follow() -> Following<Errand> { remote.follow() }
  package func reload() async throws { try await remote.reload() }

  package func waitUntilSame() async throws { try await remote.wait { $0.snapshot == list.snapshot } }
}

package struct TookTooLong: Error {
  package init() {}
}

extension RemoteDataSource {
  package func wait(_ seconds: Int = 120, for condition: (RemoteDataSource) -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while !condition(self) {
      if ContinuousClock.now > end { throw TookTooLong() }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

extension RemoteOptions {
  /// Times for tests.
  package static var quick: RemoteOptions {
    var options = RemoteOptions()
    options.patience = .milliseconds(1500)
    options.silence = .milliseconds(1500)
    options.pollingTime = .seconds(1)
    options.quickClose = .milliseconds(50)
    options.shortestPause = .milliseconds(1)
    options.longestPause = .milliseconds(20)
    return options
  }
}
