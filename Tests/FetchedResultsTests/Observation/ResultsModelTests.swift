import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import Observation
import Testing

@Suite(.timeLimit(.minutes(10))) @MainActor struct ResultsModelTests {
  /// The example of ``ResultsModel``.
  @MainActor final class Badge {
    private let todos: ResultsModel<String>
    private(set) var text = ""

    init(_ source: some DataSourceProtocol<String>) {
      todos = ResultsModel(source)
      show()
    }

    private func show() {
      withObservationTracking {
        text = "\(todos.numberOfItems) to do"
      } onChange: { [weak self] in
        Task { await self?.show() }
      }
    }
  }

  /// A source that counts its followers, and records its end.
  final class Source: DataSourceProtocol {
    let list: UpdateBroadcaster<Int>
    let reloads = Locked(0)
    /// A row that comes right after somebody has begun to follow.
    let next = Locked<Int?>(nil)

    init(_ items: [Int]) { list = UpdateBroadcaster(Snapshot([Section(id: .none, name: "", items: items)])) }

    var snapshot: Snapshot<Int> { list.snapshot }
    func updates() -> AsyncStream<Update<Int>> { list.updates() }
    func follow() -> Following<Int> {
      let following = list.follow()
      if let number = next.withLock({ $0 }) { append(number) }
      return following
    }
    func append(_ number: Int) {
      var new = snapshot
      new.append(number, toSection: 0)
      list.publish(Update(old: snapshot, new: new, changes: new.changes(from: snapshot, identifiedBy: { $0 }, by: ==)))
    }
    func reload() async throws { reloads.withLock { $0 += 1 } }
  }

  /// Counts the notifications about the properties of a model that a closure reads.
  @MainActor final class Watcher {
    private(set) var told = 0
    private let look: @MainActor () -> Void

    init(_ look: @escaping @MainActor () -> Void) {
      self.look = look
      watch()
    }

    private func watch() {
      withObservationTracking(look) {
        // The model changes on the main actor only, and notifies synchronously.
        MainActor.assumeIsolated { self.told += 1 }
        Task { @MainActor in self.watch() }
      }
    }
  }

  /// Waits until a condition holds, up to a limit.
  private func until(_ condition: () -> Bool, at place: Testing.SourceLocation = #_sourceLocation) async {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
      if ContinuousClock.now > end {
        Issue.record("it does not come to that", sourceLocation: place)
        return
      }
      await Task.yield()
    }
    // Lets everything run that the previous events have started.
    for _ in 0..<20 { await Task.yield() }
  }

  @Test func `the example shows the list and follows it`() async {
    let list = SectionController(["Milk", "Bread"])
    let badge = Badge(list)
    #expect(badge.text == "2 to do")
    list.append("Eggs", toSection: 0)
    await until { badge.text == "3 to do" }
    list.clear()
    await until { badge.text == "0 to do" }
  }

  @Test func `the list is there from the start, without a notification`() async throws {
    let list = SectionController([1, 2])
    let model = ResultsModel(list)
    let watcher = Watcher { _ = model.snapshot }
    #expect(Array(model.snapshot.items) == [1, 2] && model.numberOfItems == 2 && !model.isEmpty)
    #expect(model.sections.count == 1 && model.lastUpdate == nil)
    try await Task.sleep(for: .milliseconds(20))
    #expect(watcher.told == 0 && model.lastUpdate == nil)
  }

  @Test func `an update right after the first read is neither missed nor seen twice`() async {
    let source = Source([1])
    source.next.withLock { $0 = 2 }
    let model = ResultsModel(source)
    let watcher = Watcher { _ = model.snapshot }
    #expect(Array(model.snapshot.items) == [1])
    await until { model.numberOfItems == 2 }
    #expect(watcher.told == 1 && model.lastUpdate?.old.numberOfItems == 1)
  }

  @Test func `each update notifies each reader once, whatever it reads`() async {
    let list = SectionController([0])
    let model = ResultsModel(list)
    let all = Watcher { _ = (model.snapshot, model.sections, model.numberOfItems, model.isEmpty, model.lastUpdate) }
    let last = Watcher { _ = model.lastUpdate }
    let sections = Watcher { _ = model.sections }
    for number in 1...5 {
      list.append(number, toSection: 0)
      await until { model.numberOfItems == number + 1 }
      #expect(all.told == number && last.told == number && sections.told == number)
      #expect(model.lastUpdate?.changes.insertedItems == [ItemPath(section: 0, item: number)])
      #expect(model.lastUpdate?.new.items.last == number)
    }
  }

  @Test func `a reader of only the number is notified only when it differs`() async {
    let list = SectionController([1, 2])
    let model = ResultsModel(list)
    let snapshot = Watcher { _ = model.snapshot }
    let count = Watcher { _ = model.numberOfItems }
    let isEmpty = Watcher { _ = model.isEmpty }
    list.update(7, at: ItemPath(section: 0, item: 0))
    await until { snapshot.told == 1 }
    #expect(count.told == 0 && isEmpty.told == 0)
    list.append(3, toSection: 0)
    await until { snapshot.told == 2 }
    #expect(count.told == 1 && isEmpty.told == 0)
    list.clear(section: 0)
    await until { snapshot.told == 3 }
    #expect(count.told == 2 && isEmpty.told == 1)
    #expect(model.isEmpty && model.numberOfItems == 0)
    list.append(1, toSection: 0)
    await until { snapshot.told == 4 }
    #expect(count.told == 3 && isEmpty.told == 2)
  }

  @Test func `a reader sees the whole previous list while it is notified`() async {
    let list = SectionController([1])
    let model = ResultsModel(list)
    let seen = Locked<[[Int]]>([])
    func look(_ read: () -> Void) {
      withObservationTracking(read) {
        MainActor.assumeIsolated {
          let now = [model.snapshot.numberOfItems, model.numberOfItems, model.lastUpdate?.new.numberOfItems ?? -1]
          seen.withLock { $0.append(now) }
        }
      }
    }
    look { _ = model.snapshot }
    look { _ = model.lastUpdate }
    look { _ = model.numberOfItems }
    look { _ = model.isEmpty }
    list.clear(section: 0)
    await until { model.isEmpty }
    #expect(seen.withLock { $0 } == Array(repeating: [1, 1, -1], count: 4))
  }

  @Test func `the model shows a chain of updates while others write`() async {
    let list = SectionController([0])
    let writer = Task.detached { for number in 1...500 { list.append(number, toSection: 0) } }
    let model = ResultsModel(list)
    var last = model.snapshot
    var told = 0
    let end = ContinuousClock.now + .seconds(60)
    while model.numberOfItems < 501 && ContinuousClock.now < end {
      await Task.yield()
      if model.snapshot.numberOfItems == last.numberOfItems { continue }
      told += 1
      guard let update = model.lastUpdate else { continue }
      #expect(Laws.replay(update, identifiedBy: { $0 }, by: ==) == [])
      #expect(update.new == model.snapshot)
      last = model.snapshot
    }
    #expect(told > 0 && Array(model.snapshot.items) == Array(0...500))
    await writer.value
  }

  @Test func `a model retains its source, and releases it in deinit`() async {
    var source: Source? = Source([1])
    weak let weakSource = source
    var model: ResultsModel<Int>? = source.map { ResultsModel($0) }
    weak let weakModel = model
    source = nil
    #expect(weakSource?.list.numberOfReaders == 1)
    model = nil
    #expect(weakModel == nil && weakSource == nil)
  }

  @Test func `following ends when the model is released`() async {
    let source = Source([1])
    var model: ResultsModel<Int>? = ResultsModel(source)
    weak let weakly = model
    for number in [2, 3] {
      source.append(number)
      await until { model?.numberOfItems == number }
    }
    let watcher = model.map { model in Watcher { [weak model] in _ = model?.snapshot } }
    #expect(source.list.numberOfReaders == 1)
    model = nil
    #expect(weakly == nil)
    await until { source.list.numberOfReaders == 0 }
    #expect(watcher?.told == 0)
  }

  @Test func `a pending update does not keep the model alive`() async throws {
    let list = SectionController([1])
    var model: ResultsModel<Int>? = ResultsModel(list)
    weak let weakly = model
    let watcher = model.map { model in Watcher { [weak model] in _ = model?.snapshot } }
    list.append(2, toSection: 0)
    model = nil
    #expect(weakly == nil)
    try await Task.sleep(for: .milliseconds(20))
    #expect(watcher?.told == 0)
  }

  @Test func `reloading reloads the source`() async throws {
    let source = Source([1])
    try await ResultsModel(source).reload()
    #expect(source.reloads.withLock { $0 } == 1)
  }

  @Test func `a model works with any source`() async {
    let list = SectionController([1])
    let model = ResultsModel(AnyDataSource(list))
    list.append(2, toSection: 0)
    await until { model.numberOfItems == 2 }
  }
}
