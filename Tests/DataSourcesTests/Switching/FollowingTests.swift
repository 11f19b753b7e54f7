import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
  @Test func `a source of closures opens one stream for one client`() async {
    let list = SectionController([Row(1)])
    let opened = Locked(0)
    let source = AnyDataSource(
      snapshot: { Snapshot(Array(list.snapshot)) },
      updates: {
        opened.withLock { $0 += 1 }
        return list.updates()
      })
    let following = source.follow()
    #expect(opened.withLock { $0 } == 1)
    list.append(Row(2), toSection: 0)
    var updates = following.updates.makeAsyncIterator()
    let update = await updates.next()
    #expect(update.map { Laws.chain([$0], from: following.snapshot) } == [])
    #expect(update?.new.numberOfItems == 2)
  }

  @Test func `a change between the stream and the list is seen once`() async {
    let list = SectionController([Row(1)])
    let looks = Locked(0)
    let source = AnyDataSource(
      snapshot: {
        // The list changes just before it is looked at.
        if looks.withLock({ looks in
          looks += 1
          return looks == 1
        }) {
          list.append(Row(2), toSection: 0)
        }
        return list.snapshot
      }, updates: { list.updates() })
    let following = source.follow()
    #expect(following.snapshot.numberOfItems == 2)
    list.append(Row(3), toSection: 0)
    var updates = following.updates.makeAsyncIterator()
    let update = await updates.next()
    #expect(update.map { Laws.chain([$0], from: following.snapshot) + Laws.violations(of: $0) } == [])
    #expect(update?.changes.insertedItems == [ItemPath(section: 0, item: 2)])
  }

  @MainActor @Test(arguments: Seeds.range(20))
  func `observers on one actor are called in the order in which they joined`(
    seed: UInt64
  ) async {
    let list = SectionController([0])
    var called: [Int] = []
    let observations = (0..<12).map { number in list.observe { _ in called.append(number) } }
    for step in 1...5 {
      list.append(step, toSection: 0)
      while called.count < 12 { await Task.yield() }
      #expect(called == Array(0..<12))
      called = []
    }
    withExtendedLifetime(observations) {}
  }

  actor Recorder {
    var called: [Int] = []
    var observations: [ObservationToken] = []
    func follow(_ list: SectionController<Int>) {
      for number in 0..<12 {
        observations.append(list.observe(on: self) { recorder, _ in recorder.called.append(number) })
      }
    }
  }

  @Test func `observers on any actor are called in the order in which they joined`() async {
    for _ in 0..<20 {
      let list = SectionController([0])
      let recorder = Recorder()
      await recorder.follow(list)
      list.append(1, toSection: 0)
      while await recorder.called.count < 12 { await Task.yield() }
      #expect(await recorder.called == Array(0..<12))
    }
  }
}
