import DataSources
import DataSourcesTestSupport
import FeedTestSupport
import FetchedResultsSupport
import Foundation
import LiveFeeds
import TestSupport
import Testing

/// A list whose readers may edit it: each row must still be as the reader has seen it.
private final class EditedList: Sendable {
  let list: SectionController<Errand>
  let feed: Locked<LiveFeed<Errand>>
  /// What ``apply(_:)`` waits for.
  let gate = Locked<CheckedContinuation<Void, Never>?>(nil)
  let isClosed = Locked(false)

  init(_ start: Snapshot<Errand> = ErrandsAndCareer.list) {
    list = SectionController(start)
    feed = Locked(LiveFeed(list))
    begin()
  }

  /// Begins another feed, as a service does that starts again.
  func begin() {
    let feed = LiveFeed(list) { [unowned self] edits in
      if isClosed.withLock({ $0 }) {
        await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
      }
      try apply(edits)
    }
    self.feed.withLock { current in
      current.end()
      current = feed
    }
  }

  func open() async throws {
    while gate.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(1)) }
    isClosed.withLock { $0 = false }
    gate.withLock { $0.take() }?.resume()
  }

  private func apply(_ edits: [RowEdit<Errand>]) throws {
    try list.edit { draft in
      func path(of old: Errand) throws -> ItemPath {
        guard let path = draft.snapshot.path(of: old.id), draft.snapshot[path] == old else {
          throw EditConflict("\"\(old.title)\" has changed")
        }
        return path
      }
      for edit in edits {
        switch edit {
        case .delete(let old): draft.remove(at: try path(of: old))
        case .update(let old, let new, let place):
          draft.remove(at: try path(of: old))
          let former = list.snapshot.path(of: old.id) ?? ItemPath(section: 0, item: 0)
          let section = place.flatMap { place in draft.snapshot.firstIndex { $0.id == place.section } }
          let before = place?.after.flatMap { draft.snapshot.path(of: $0.id) }
          let target =
            place == nil
            ? former : ItemPath(section: section ?? former.section, item: before.map { $0.item + 1 } ?? 0)
          let count = draft.snapshot[target.section].items.count
          draft.insert(new, at: ItemPath(section: target.section, item: min(target.item, count)))
        case .insert(let new, let place):
          guard let section = draft.snapshot.firstIndex(where: { $0.id == place.section }),
            draft.snapshot.path(of: new.id) == nil
          else { throw EditConflict("\"\(new.title)\" has no place") }
          let before = place.after.flatMap { draft.snapshot.path(of: $0.id) }
          let item = before.flatMap { $0.section == section ? $0.item + 1 : nil } ?? 0
          draft.insert(new, at: ItemPath(section: section, item: item))
        }
      }
    }
  }
}

/// Reaches the current feed of a list, and fails as told.
private final class EditTransport: FeedTransport {
  enum Failure {
    case none, before, after
  }
  enum Gate {
    case open, held, cut
  }
  let list: EditedList
  let failure: @Sendable () -> Failure
  /// What becomes of frames that come.
  let gate = Locked(Gate.open)

  init(_ list: EditedList, failing failure: @escaping @Sendable () -> Failure = { .none }) {
    (self.list, self.failure) = (list, failure)
  }

  func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
    let answer = try await LocalTransport(list.feed.withLock { $0 }).open(request)
    return AsyncThrowingStream { [gate] reader in
      let reading = Task {
        do {
          for try await part in answer {
            while gate.withLock({ $0 == .held }) { try await Task.sleep(for: .milliseconds(1)) }
            if gate.withLock({ $0 == .cut }) { throw FeedError("cut") }
            reader.yield(part)
          }
          reader.finish()
        } catch {
          reader.finish(throwing: error)
        }
      }
      reader.onTermination = { _ in reading.cancel() }
    }
  }

  func send(_ edit: [UInt8]) async throws -> [UInt8] {
    let failure = failure()
    if failure == .before { throw FeedError("the network is down") }
    let answer = try await list.feed.withLock { $0 }.apply(edit)
    if failure == .after { throw FeedError("the answer is lost") }
    return answer
  }
}

@Suite(.timeLimit(.minutes(5))) struct RemoteEditTests {
  private func remote(_ list: EditedList) async throws -> RemoteDataSource<Errand> {
    let remote = RemoteDataSource<Errand>(EditTransport(list), options: .quick)
    try await remote.wait { $0.snapshot == list.list.snapshot }
    return remote
  }

  private let first = ItemPath(section: 0, item: 0)

  /// A remote list whose transport a test holds up.
  private func heldRemote(_ list: EditedList) async throws -> (EditTransport, RemoteDataSource<Errand>) {
    let transport = EditTransport(list)
    let remote = RemoteDataSource<Errand>(transport, options: .quick)
    try await remote.wait { $0.snapshot == list.list.snapshot }
    transport.gate.withLock { $0 = .held }
    return (transport, remote)
  }

  @Test func `an edit is shown at once, and stays above other changes until the list has it`() async throws {
    let list = EditedList()
    let remote = try await remote(list)
    let updates = Locked<[Update<Errand>]>([])
    let following = remote.follow()
    let start = following.snapshot
    let reading = Task { for await update in following.updates { updates.withLock { $0.append(update) } } }
    defer { reading.cancel() }
    list.isClosed.withLock { $0 = true }
    let editing = Task { [first] in try await remote.edit { $0.update(at: first) { $0.title = "Oat milk" } } }
    try await remote.wait { $0.snapshot[first].title == "Oat milk" }
    #expect(list.list.snapshot == start)
    // Another row comes before it meanwhile.
    list.list.insert(Errand(id: 900, title: "Bread"), at: first)
    try await remote.wait { $0.snapshot[first].title == "Bread" }
    #expect(remote.snapshot[ItemPath(section: 0, item: 1)].title == "Oat milk")
    try await list.open()
    try await editing.value
    try await remote.wait { $0.snapshot == list.list.snapshot }
    #expect(list.list.snapshot[ItemPath(section: 0, item: 1)].title == "Oat milk")
    try await eventuallyEqual { updates.withLock { $0.last?.new } == list.list.snapshot }
    // Nothing flickered: the row was changed once.
    let changed = updates.withLock { $0.flatMap(\.changes.updatedItems) }
    #expect(changed.count == 1 && updates.withLock { $0.allSatisfy(\.changes.deletedItems.isEmpty) })
    #expect(updates.withLock { Laws.chain($0, from: start) } == [])
  }

  @Test @MainActor func `an edit from the main actor may use what belongs to it`() async throws {
    final class Screen { var title = "Oat milk" }
    let (screen, list) = (Screen(), EditedList())
    let (transport, remote) = try await heldRemote(list)
    transport.gate.withLock { $0 = .open }
    try await remote.edit { draft in
      draft.update(at: first) { $0.title = screen.title }
      screen.title = "edited"
    }
    #expect(remote.snapshot[first].title == "Oat milk" && screen.title == "edited")
  }

  private func eventuallyEqual(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
      if ContinuousClock.now > end { throw TookTooLong() }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test func `an edit that the service has accepted is shown although its frame is late`() async throws {
    let list = EditedList()
    let (transport, remote) = try await heldRemote(list)
    try await remote.edit { $0.update(at: first) { $0.title = "Mine" } }
    #expect(remote.snapshot[first].title == "Mine")
    try await remote.edit { $0.update(at: first) { $0.title = "Mine again" } }
    #expect(remote.snapshot[first].title == "Mine again")
    list.list.update(at: first) { $0.title = "Theirs" }
    transport.gate.withLock { $0 = .open }
    try await remote.wait { $0.snapshot == list.list.snapshot }
  }

  @Test func `a row that moves is shown where it was put, before the service has answered`() async throws {
    let list = EditedList()
    let (transport, remote) = try await heldRemote(list)
    let order = list.list.snapshot[0].items.map(\.id)
    for target in [1, 2, 0, 2, 1, 0] {
      try await remote.edit {
        $0.move(from: $0.snapshot.path(of: order[0]) ?? first, to: ItemPath(section: 0, item: target))
      }
      var moved = Array(order.dropFirst())
      moved.insert(order[0], at: target)
      #expect(remote.snapshot[0].items.map(\.id) == moved)
      #expect(list.list.snapshot[0].items.map(\.id) == moved)
    }
    transport.gate.withLock { $0 = .open }
    try await remote.wait { $0.snapshot == list.list.snapshot }
  }

  @Test func `an edit is not shown above the list of a service that has started again since`() async throws {
    let list = EditedList()
    let (transport, remote) = try await heldRemote(list)
    try await remote.edit { $0.update(at: first) { $0.title = "Mine" } }
    list.list.update(at: first) { $0.title = "Theirs" }
    transport.gate.withLock { $0 = .cut }
    list.begin()
    try await remote.wait { $0.state != .live }
    #expect(remote.snapshot[first].title == "Mine")
    transport.gate.withLock { $0 = .open }
    try await remote.wait { $0.snapshot == list.list.snapshot }
  }

  @Test func `the answer names a place that has the edit, however late the list's updates are`() async throws {
    final class Late: DataSourceProtocol {
      let list = SectionController(ErrandsAndCareer.list)
      var snapshot: Snapshot<Errand> { list.snapshot }
      func updates() -> AsyncStream<Update<Errand>> {
        let updates = list.updates()
        return AsyncStream { reader in
          Task {
            for await update in updates {
              try? await Task.sleep(for: .milliseconds(20))
              reader.yield(update)
            }
          }
        }
      }
      func reload() async throws {}
    }
    let late = Late()
    let feed = LiveFeed(late) { edits in
      for case .update(_, let new, to: _) in edits { late.list.update(new) }
    }
    for title in ["one", "two", "two"] {
      let old = late.snapshot[first]
      var new = old
      new.title = title
      let edit = Array(try JSONEncoder().encode([RowEdit.update(old: old, new: new, to: nil)]))
      let answer = String(decoding: try await feed.apply(edit), as: UTF8.self)
      let place = answer.split(separator: "\"").dropFirst(3).first.map(String.init)
      // Behind that place nothing follows, and the last frame before it has the title.
      #expect(feed.read(after: place).frames.count == 0)
      let frames = feed.read(after: "\(feed.handle).0").frames
      #expect(frames.last.map { String(decoding: $0.data, as: UTF8.self) }?.contains(title) == true)
    }
  }

  @Test func `an edit whose reader has gone keeps no thread`() async throws {
    // Its updates never come.
    final class Stuck: DataSourceProtocol {
      let list = SectionController(ErrandsAndCareer.list)
      var snapshot: Snapshot<Errand> { list.snapshot }
      func updates() -> AsyncStream<Update<Errand>> { AsyncStream { _ in } }
      func reload() async throws {}
    }
    let stuck = Stuck()
    let feed = LiveFeed(stuck) { _ in stuck.list.update(at: ItemPath(section: 0, item: 0)) { $0.title += "!" } }
    let edits = (0..<4).map { _ in Task { try await feed.apply(Array("[]".utf8)) } }
    try await Task.sleep(for: .milliseconds(50))
    for edit in edits { edit.cancel() }
    for edit in edits { _ = await edit.result }
  }

  @Test func `a conflict undoes the edit, and is named`() async throws {
    let list = EditedList()
    let remote = try await remote(list)
    list.isClosed.withLock { $0 = true }
    let editing = Task { [first] in try await remote.edit { $0.update(at: first) { $0.title = "Mine" } } }
    try await remote.wait { $0.snapshot[first].title == "Mine" }
    let old = list.list.snapshot[first].title
    list.list.update(at: first) { $0.title = "Theirs" }
    try await list.open()
    await #expect(throws: EditConflict("\"\(old)\" has changed")) { try await editing.value }
    try await remote.wait { $0.snapshot == list.list.snapshot }
    #expect(remote.snapshot[first].title == "Theirs")
  }

  @Test func `all kinds of edits reach the service as they were made`() async throws {
    let list = EditedList()
    let remote = try await remote(list)
    try await remote.edit { draft in
      draft.remove(at: ItemPath(section: 1, item: 0))
      draft.insert(Errand(id: 901, title: "Call Kim"), at: ItemPath(section: 0, item: 1))
      draft.update(at: first) { $0.title = "Changed" }
      draft.move(from: first, to: ItemPath(section: 1, item: 0))
    }
    try await remote.wait { $0.snapshot == list.list.snapshot }
    #expect(list.list.snapshot[0].items.first?.title == "Call Kim")
    #expect(list.list.snapshot[1].items.first?.title == "Changed")
    await #expect(throws: EditConflict.self) { try await remote.edit { $0.createSection(name: "Mine") } }
    struct Own: Error {}
    await #expect(throws: Own.self) { try await remote.edit { _ in throw Own() } }
    try await remote.edit { _ in }
    #expect(remote.snapshot == list.list.snapshot)
  }

  @Test func `lists that take no edits, services that fail and answers that make no sense`() async throws {
    let list = SectionController(ErrandsAndCareer.list)
    let feed = LiveFeed(list)
    let plain = RemoteDataSource<Errand>(LocalTransport(feed), options: .quick)
    try await plain.wait { $0.snapshot == list.snapshot }
    await #expect(throws: FeedError("this list takes no edits", isFinal: true)) {
      try await plain.edit { $0.remove(at: first) }
    }
    #expect(plain.snapshot == list.snapshot)
    struct Answers: FeedTransport {
      let feed: LiveFeed<Errand>
      let answer: @Sendable () async throws -> [UInt8]
      func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
        try await LocalTransport(feed).open(request)
      }
      func send(_ edit: [UInt8]) async throws -> [UInt8] { try await answer() }
    }
    for answer in ["", "{}", #"{"next":"not of this feed"}"#, #"{"next":"other.7"}"#] {
      let remote = RemoteDataSource<Errand>(Answers(feed: feed) { Array(answer.utf8) }, options: .quick)
      try await remote.wait { $0.snapshot == list.snapshot }
      try await remote.edit { $0.remove(at: first) }
      try await remote.wait { $0.snapshot == list.snapshot }
    }
    var options = RemoteOptions.quick
    options.patience = .milliseconds(500)
    let never = RemoteDataSource<Errand>(
      Answers(feed: feed) {
        try await Task.sleep(for: .seconds(3600))
        return []
      }, options: options)
    try await never.wait { $0.snapshot == list.snapshot }
    await #expect(throws: FeedError.self) { try await never.edit { $0.remove(at: first) } }
    #expect(never.snapshot == list.snapshot)
  }

  @Test func `an edit of a window is confirmed by the window's own feed`() async throws {
    let list = EditedList()
    let window = try #require(list.feed.withLock { $0 }.window(1, of: 2))
    let remote = RemoteDataSource<Errand>(LocalTransport(window), options: .quick)
    try await remote.wait { $0.snapshot.numberOfItems == 2 }
    try await remote.edit { $0.update(at: first) { $0.title = "In the window" } }
    let row = try #require(list.list.snapshot.path(of: remote.snapshot[first].id))
    #expect(list.list.snapshot[row].title == "In the window")
    // A change outside the window confirms nothing and disturbs nothing.
    list.list.update(at: first) { $0.title = "Before" }
    try await remote.edit { $0.update(at: first) { $0.title = "Again" } }
    #expect(list.list.snapshot[row].title == "Again" && remote.snapshot[first].title == "Again")
  }

  @Test func `whoever edits, whatever fails, all readers end with the list of the service`() async throws {
    for seed in Seeds.range(30) {
      let list = EditedList()
      let fails = Locked(SeededGenerator(seed: seed))
      let remotes = (0..<3).map { _ in
        RemoteDataSource<Errand>(
          EditTransport(list) {
            fails.withLock { random in random.once(in: 5) ? random.pick(.before, .after) : .none }
          }, options: .quick)
      }
      for remote in remotes { try await remote.wait { $0.snapshot == list.list.snapshot } }
      let followings = remotes.map { $0.follow() }
      let seen = Locked([[Update<Errand>]](repeating: [], count: remotes.count))
      let reading = followings.enumerated().map { index, following in
        Task { for await update in following.updates { seen.withLock { $0[index].append(update) } } }
      }
      await withTaskGroup(of: Void.self) { group in
        for (index, remote) in remotes.enumerated() {
          group.addTask {
            var random = SeededGenerator(seed: seed &* 31 &+ UInt64(index))
            for step in 0..<12 {
              try? await remote.edit { draft in
                let paths = Array(draft.snapshot.paths)
                guard let path = paths.randomElement(using: &random) else { return }
                switch random.below(4) {
                case 0: draft.remove(at: path)
                case 1: draft.insert(Errand(id: Int64(1000 + step + 100 * index), title: "new \(step)"), at: path)
                case 2: draft.update(at: path) { $0.title = "by \(index) in \(step)" }
                default: draft.move(from: path, to: ItemPath(section: path.section, item: 0))
                }
              }
            }
          }
        }
        group.addTask { if seed.isMultiple(of: 3) { list.begin() } }
      }
      for remote in remotes { try await remote.wait { $0.snapshot == list.list.snapshot } }
      try await eventuallyEqual {
        seen.withLock { seen in
          zip(seen, remotes).allSatisfy { ($0.last?.new ?? $1.snapshot) == $1.snapshot }
        }
      }
      for (updates, following) in zip(seen.withLock { $0 }, followings) {
        #expect(Laws.chain(updates, from: following.snapshot) == [], "\(Seeds.hint(seed))")
        #expect(updates.flatMap { Laws.violations(of: $0) } == [], "\(Seeds.hint(seed))")
      }
      for task in reading { task.cancel() }
    }
  }
}
