import DataSources
import DataSourcesTestSupport
import FeedTestSupport
import FetchedResultsSupport
import Foundation
import LiveFeeds
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RemoteTests {
  @Test(arguments: Seeds.range(6)) func `a remote list keeps the laws of data sources`(seed: UInt64) async throws {
    let suite = DataSourceConformance<RemoteList>(
      making: { list in
        let remote = RemoteList(list)
        try await remote.waitUntilSame()
        return remote
      },
      changing: { remote, list in
        remote.list.replace(with: list)
        try await remote.waitUntilSame()
      },
      reading: { $0 })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test(arguments: Seeds.range(6)) func `and behind a bad connection`(seed: UInt64) async throws {
    let suite = DataSourceConformance<RemoteList>(
      making: { list in
        let remote = RemoteList(list, [.cuts, .delays, .splits, .repeats], seed: seed)
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
    for seed in Seeds.range(60) {
      var random = SeededGenerator(seed: seed)
      var options = FeedOptions()
      (options.historyBytes, options.pieceBytes) = (random.pick(2000, 100_000), random.pick(200, 64_000))
      let remote = RemoteList(ErrandsAndCareer.list, .all, seed: seed, options: options)
      let following = remote.follow()
      let updates = Locked<[Update<Errand>]>([])
      let reading = Task { for await update in following.updates { updates.withLock { $0.append(update) } } }
      for _ in 0..<30 {
        remote.list.replace(with: ErrandsAndCareer.changed(remote.list.snapshot, using: &random))
        if random.once(in: 4) { try await Task.sleep(for: .milliseconds(random.below(8))) }
        if random.once(in: 8) { remote.proxy.cut() }
      }
      remote.proxy.calm()
      try await remote.waitUntilSame()
      // The rest of what comes must not change it.
      try await remote.remote.wait { $0.state == .live }
      try await Task.sleep(for: .milliseconds(30))
      #expect(remote.snapshot == remote.list.snapshot, "\(Seeds.hint(seed))")
      let seen = updates.withLock { $0 }
      #expect(Laws.chain(seen, from: following.snapshot) == [], "\(Seeds.hint(seed))")
      #expect(seen.flatMap { Laws.violations(of: $0) } == [], "\(Seeds.hint(seed))")
      #expect(seen.allSatisfy { !$0.changes.isEmpty } && (seen.last?.new ?? Snapshot()) == remote.snapshot)
      reading.cancel()
    }
  }
}
