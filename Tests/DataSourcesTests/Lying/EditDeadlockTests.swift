import FetchedResultsSupport
import TerminalLists
import Testing

@testable import DataSources

/// An item may guard its id, `==`, `hash` or `deinit` with a lock of the program's. A thread that holds this lock may
/// edit the list while another thread's edit waits for the lock in an item: neither waits for ever.
@Suite(.timeLimit(.minutes(10))) struct EditDeadlockTests {
  /// The code that the items run. Once armed, its first call waits for the other thread, as it would for a lock that
  /// the other thread holds.
  final class Hook: Sendable {
    private struct State {
      var isArmed = false
      var isInside = false
      var isDone = false
      var hasGivenUp = false
    }

    private let state = Locked(State())

    /// Whether an item ran, and whether it waited in vain.
    var outcome: (wasInside: Bool, hasGivenUp: Bool) { state.withLock { ($0.isInside, $0.hasGivenUp) } }

    func run() {
      let isFirst = state.withLock { state in
        defer { if state.isArmed { state.isInside = true } }
        return state.isArmed && !state.isInside
      }
      guard isFirst, !waits({ $0.isDone }) else { return }
      state.withLock { $0.hasGivenUp = true }
    }

    /// Runs an edit in which an item waits, and meanwhile another one, which the item waits for.
    func check(_ edit: @escaping @Sendable () -> Void, meanwhile other: @escaping @Sendable () -> Void) async {
      state.withLock { $0.isArmed = true }
      let (first, second) = (
        Thread { edit() },
        Thread { [self] in
          _ = waits { $0.isInside }
          other()
          state.withLock { $0.isDone = true }
        }
      )
      await first.end()
      await second.end()
    }

    private func waits(_ condition: (State) -> Bool) -> Bool {
      for _ in 0..<10_000 {
        if state.withLock({ condition($0) }) { return true }
        usleep(1_000)
      }
      return false
    }
  }

  /// A thread of its own: one that blocks must not take one of the few that run tasks.
  final class Thread: Sendable {
    private let hasEnded = Locked(false)

    init(_ body: @escaping @Sendable () -> Void) {
      final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
      }
      let work = Work { [hasEnded] in
        body()
        hasEnded.withLock { $0 = true }
      }
      #if canImport(Darwin)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let status = pthread_create(
        &thread, nil,
        { argument in
          #if canImport(Darwin)
            Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
          #else
            if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
          #endif
          return nil
        }, Unmanaged.passRetained(work).toOpaque())
      #expect(status == 0)
    }

    func end() async { while !hasEnded.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) } }
  }

  /// Runs each piece of a task on a thread of its own, for tasks that block.
  final class Threads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      _ = Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  struct Full: Identifiable, Hashable, Sendable {
    let number: Int
    var version = 0
    let hook: Hook

    var id: Int {
      hook.run()
      return number
    }
    static func == (first: Full, second: Full) -> Bool {
      first.hook.run()
      return first.number == second.number && first.version == second.version
    }
    func hash(into hasher: inout Hasher) {
      hook.run()
      hasher.combine(number)
    }
  }

  struct OnlyIdentifiable: Identifiable, Sendable {
    let base: Full
    var id: Int { base.id }
  }
  struct OnlyEquatable: Equatable, Sendable { let base: Full }
  final class Object: Identifiable, Equatable, Sendable {
    let base: Full
    init(_ base: Full) { self.base = base }
    var id: Int { base.id }
    static func == (first: Object, second: Object) -> Bool { first.base == second.base }
  }
  final class Mortal: Sendable {
    let hook: Hook
    init(_ hook: Hook) { self.hook = hook }
    deinit { hook.run() }
  }

  private let path = ItemPath(section: 0, item: 1)

  /// Runs an edit of a list of 100 such items against an appending one. Both happen, and readers receive the changes.
  private func check<Item: Sendable>(
    _ make: @escaping @Sendable (Full) -> Item, _ edit: @escaping @Sendable (SectionController<Item>, Hook) -> Void,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let hook = Hook()
    let list = SectionController((0..<100).map { make(Full(number: $0, hook: hook)) })
    let updates = list.updates()
    let appended = make(Full(number: 1_000, hook: hook))
    await hook.check {
      edit(list, hook)
    } meanwhile: {
      list.append(appended, toSection: 0)
    }
    #expect(hook.outcome.wasInside, "no item ran", sourceLocation: location)
    #expect(!hook.outcome.hasGivenUp, "an item waited for an edit in vain", sourceLocation: location)
    list.createSection(name: "last")
    var seen: [Update<Item>] = []
    for await update in updates {
      seen.append(update)
      if update.new.last?.id == "last" { break }
    }
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.new.isIdentical(to: $1.old) }, sourceLocation: location)
  }

  @Test func `a row is replaced`() async {
    await check({ $0 }) { [path] in $0.update(Full(number: 1, version: 1, hook: $1), at: path) }
    await check(OnlyIdentifiable.init) { [path] in
      $0.update(OnlyIdentifiable(base: Full(number: 1, hook: $1)), at: path)
    }
    await check(OnlyEquatable.init) { [path] in $0.update(OnlyEquatable(base: Full(number: 1, hook: $1)), at: path) }
    await check(Object.init) { [path] in $0.update(Object(Full(number: 1, version: 1, hook: $1)), at: path) }
  }

  @Test func `a row is edited by its id`() async {
    await check({ $0 }) { $0.update(Full(number: 50, version: 1, hook: $1)) }
    await check({ $0 }) { list, _ in list.remove(id: 50) }
    await check(OnlyIdentifiable.init) { list, _ in list.remove(id: 50) }
  }

  @Test func `a list is replaced with another`() async {
    @Sendable func other<Item>(_ make: (Full) -> Item, _ hook: Hook) -> Snapshot<Item> {
      Snapshot([Section(id: .none, name: "", items: (0..<90).reversed().map { make(Full(number: $0, hook: hook)) })])
    }
    await check({ $0 }) { $0.replace(with: other({ $0 }, $1)) }
    await check(OnlyIdentifiable.init) { $0.replace(with: other(OnlyIdentifiable.init, $1)) }
    await check(OnlyEquatable.init) { $0.replace(with: other(OnlyEquatable.init, $1)) }
    await check(Object.init) { $0.replace(with: other(Object.init, $1)) }
  }

  @Test func `a sequence computes its items`() async {
    await check({ $0 }) { list, hook in
      list.append(
        contentsOf: (0..<3).lazy.map {
          hook.run()
          return Full(number: 200 + $0, hook: hook)
        }, toSection: 0)
    }
  }

  @Test func `an object is released with an edit`() async {
    for edit in [
      { $0.remove(at: ItemPath(section: 0, item: 0)) }, { $0.clear() }, { $0.clear(section: 0) },
      { $0.removeSection(at: 0) }, { $0.update(Mortal(Hook()), at: ItemPath(section: 0, item: 0)) },
      { $0.update(at: ItemPath(section: 0, item: 0)) { $0 = Mortal(Hook()) } }, { $0.replace(with: Snapshot()) },
    ] as [@Sendable (SectionController<Mortal>) -> Void] {
      let hook = Hook()
      let list = SectionController([Mortal(hook)])
      await hook.check {
        edit(list)
      } meanwhile: {
        list.createSection(name: "Other")
      }
      #expect(hook.outcome.wasInside && !hook.outcome.hasGivenUp)
    }
  }

  @Test func `a store is read`() async {
    let hook = Hook()
    let provider = DataProvider<[Int], Full>(
      numberOfSections: { _ in 1 }, numberOfItems: { store, _ in store.count },
      item: { store, path in
        hook.run()
        return Full(number: store[path.item], hook: hook)
      }, path: { _, _ in nil })
    for edit in [{ $0.setStore([1, 2]) }, { _ in }] as [@Sendable (ProviderDataSource<[Int], Full>) -> Void] {
      let source = ProviderDataSource(store: [1], provider: provider)
      await hook.check {
        edit(source)
      } meanwhile: {
        source.setStore([4, 5, 6])
      }
      #expect(source.store == [4, 5, 6] && source.snapshot.items.map(\.number) == [4, 5, 6])
    }
    #expect(hook.outcome.wasInside && !hook.outcome.hasGivenUp)
  }

  @Test func `the items of a store are compared`() async {
    let hook = Hook()
    let source = ProviderDataSource(store: [Full(number: 1, hook: hook)], provider: .singleSection)
    var updates = source.updates().makeAsyncIterator()
    await hook.check {
      source.setStore([Full(number: 1, version: 1, hook: hook), Full(number: 2, hook: hook)])
    } meanwhile: {
      source.setStore([Full(number: 3, hook: hook)])
    }
    #expect(hook.outcome.wasInside && !hook.outcome.hasGivenUp)
    #expect(source.snapshot.items.map(\.number) == [3])
    #expect(await updates.next()?.new.items.map(\.number) == [3])
  }

  @Test func `a store is read again`() async throws {
    let hook = Hook()
    let shelf = SectionController([1])
    let provider = DataProvider<SectionController<Int>, Int>(
      numberOfSections: { $0.numberOfSections },
      numberOfItems: {
        let count = $0.numberOfItems(inSection: $1) ?? 0
        hook.run()
        return count
      }, item: { $0.snapshot[$1] }, path: { _, _ in nil })
    let source = provider.dataSource(of: shelf)
    let first = Locked<Task<Void, any Error>?>(nil)
    let threads = Threads()
    await hook.check {
      let task = Task(executorPreference: threads) { try await source.reload() }
      first.withLock { $0 = task }
    } meanwhile: {
      shelf.append(2, toSection: 0)
      let done = Locked(false)
      Task(executorPreference: threads) {
        try await source.reload()
        done.withLock { $0 = true }
      }
      for _ in 0..<10_000 where !done.withLock({ $0 }) { usleep(1_000) }
    }
    try await first.withLock { $0 }?.value
    #expect(hook.outcome.wasInside && !hook.outcome.hasGivenUp)
    // The reload that began first has read the older list and ends last.
    #expect(source.numberOfItems == 2)
  }

  @Test func `a source is switched`() async {
    let hook = Hook()
    let lists = (0..<3).map { number in SectionController([Full(number: number, hook: hook)]) }
    let source = SwitchingDataSource(lists[0])
    let following = source.follow()
    source.source = AnyDataSource(lists[1])
    let read = Locked<Task<Void, Never>?>(nil)
    let threads = Threads()
    await hook.check {
      let task = Task(executorPreference: threads) {
        for await update in following.updates where update.new[0].items[0].number == 2 { break }
      }
      read.withLock { $0 = task }
    } meanwhile: {
      lists[1].append(Full(number: 9, hook: hook), toSection: 0)
      source.source = AnyDataSource(lists[2])
    }
    await read.withLock { $0 }?.value
    #expect(hook.outcome.wasInside && !hook.outcome.hasGivenUp)
  }

  @Test func `an adapter compares`() async {
    let hook = Hook()
    let list = SectionController([Full(number: 0, hook: hook)])
    await hook.check {
      let adapter = ListAdapter(
        source: list, presenter: .configuring(TextCell.self) { $0.text = StyledText("\($1.number)") },
        host: TerminalTable(screen: TerminalScreen(size: TerminalSize(columns: 20, rows: 4)) { _ in }))
      adapter.show(Snapshot([Section(id: .none, name: "", items: [Full(number: 1, hook: hook)])]))
    } meanwhile: {
      list.append(Full(number: 2, hook: hook), toSection: 0)
    }
    #expect(hook.outcome.wasInside && !hook.outcome.hasGivenUp)
  }

  @Test func `an id may edit its list`() async {
    struct Editing: Identifiable, Equatable, Sendable {
      let number: Int
      let edit: @Sendable () -> Void
      var id: Int {
        edit()
        return number
      }
      static func == (first: Editing, second: Editing) -> Bool { first.number == second.number }
    }
    let times = Locked(0)
    let owner = Locked<SectionController<Editing>?>(nil)
    let edit: @Sendable () -> Void = {
      let isFirst = times.withLock { times in
        defer { times += 1 }
        return times == 0
      }
      guard isFirst, let list = owner.withLock({ $0 }) else { return }
      list.createSection(name: "from an id")
    }
    let editing = SectionController((0..<50).map { Editing(number: $0, edit: edit) })
    owner.withLock { $0 = editing }
    #expect(editing.remove(id: 20)?.number == 20)
    #expect(editing.numberOfItems == 49 && editing.numberOfSections == 2)
    owner.withLock { $0 = nil }
  }
}
