import DataSources
import Testing

/// The streams of a source: when a reader begins and ends, and what waits for it.
@Suite(.timeLimit(.minutes(10))) struct UpdatesTests {
  let list = SectionController([1, 2])
  let end = ItemPath(section: 0, item: 0)

  @Test func `a reader exists from the call`() async {
    let updates = list.updates()
    list.append(3, toSection: 0)
    var reader = updates.makeAsyncIterator()
    let update = await reader.next()
    #expect(update?.old.map { Array($0.items) } == [[1, 2]])
    #expect(update?.new.map { Array($0.items) } == [[1, 2, 3]])
  }

  @Test func `the list itself is no update`() async {
    let updates = list.updates()
    list.append(3, toSection: 0)
    list.append(4, toSection: 0)
    var reader = updates.makeAsyncIterator()
    #expect(await reader.next()?.old.numberOfItems == 2)
  }

  @Test func `what a slow reader missed is one update`() async {
    var reader = list.updates().makeAsyncIterator()
    for number in 3...1000 { list.append(number, toSection: 0) }
    let update = await reader.next()
    #expect(update?.old.numberOfItems == 2)
    #expect(update?.new.numberOfItems == 1000)
    #expect(update?.changes.insertedItems == (2..<1000).map { ItemPath(section: 0, item: $0) })
    list.clear(section: 0)
    #expect(await reader.next()?.changes.deletedItems.count == 1000)
  }

  @Test func `readers end when the source is released`() async {
    var list: SectionController<Int>? = SectionController([1])
    let waiting = list?.updates()
    let holding = list?.updates()
    list?.append(2, toSection: 0)
    weak let weakly = list
    list = nil
    #expect(weakly == nil, "readers keep the source alive")
    var numbers: [Int] = []
    for await update in waiting ?? AsyncStream(unfolding: { nil }) { numbers.append(update.new.numberOfItems) }
    for await update in holding ?? AsyncStream(unfolding: { nil }) { numbers.append(update.new.numberOfItems) }
    #expect(numbers == [2, 2])
  }

  @Test func `a waiting reader is woken when the source is released`() async {
    var list: SectionController<Int>? = SectionController([1])
    let updates = list?.updates()
    async let count = updates?.reduce(0) { count, _ in count + 1 }
    await Task.yield()
    list = nil
    #expect(await count == 0)
  }

  @Test func `cancelling one reader leaves the others alone`() async {
    let cancelled = list.updates()
    let kept = list.updates()
    let task = Task { for await _ in cancelled {} }
    await Task.yield()
    task.cancel()
    await task.value
    list.append(3, toSection: 0)
    var reader = kept.makeAsyncIterator()
    #expect(await reader.next()?.new.numberOfItems == 3)
  }

  @Test func `a reader whose task is cancelled already ends at once`() async {
    let updates = list.updates()
    list.append(3, toSection: 0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var count = 0
      for await _ in updates { count += 1 }
      return count
    }
    #expect(await task.value == 0)
  }

  @Test func `a stream shared by tasks gives each update to one of them`() async {
    var source: SectionController<Int>? = SectionController([])
    let updates = source?.updates()
    let readers = (0..<4).map { _ in
      Task {
        var inserted = 0
        for await update in updates ?? AsyncStream(unfolding: { nil }) {
          inserted += update.changes.insertedItems.count
        }
        return inserted
      }
    }
    for number in 0..<200 {
      source?.append(number, toSection: 0)
      if number % 10 == 0 { await Task.yield() }
    }
    source = nil
    var inserted = 0
    for reader in readers { inserted += await reader.value }
    #expect(inserted == 200)
  }

  @Test func `following takes the list and the updates at the same instant`() async {
    let list = list
    let writer = Task.detached { for number in 3...2000 { list.append(number, toSection: 0) } }
    for _ in 0..<50 {
      let following = list.follow()
      var reader = following.updates.makeAsyncIterator()
      if following.snapshot.numberOfItems == 2000 { break }
      let update = await reader.next()
      #expect(update?.old.numberOfItems == following.snapshot.numberOfItems)
    }
    await writer.value
  }

  @Test func `the default way of following leaves no gap either`() async {
    let list = list
    let source = AnyDataSource(snapshot: { list.snapshot }, updates: { list.updates() })
    let writer = Task.detached { for number in 3...3000 { list.append(number, toSection: 0) } }
    for _ in 0..<100 {
      let following = source.follow()
      if following.snapshot.numberOfItems == 3000 { break }
      var reader = following.updates.makeAsyncIterator()
      #expect(await reader.next()?.old.numberOfItems == following.snapshot.numberOfItems)
    }
    await writer.value
  }
}
