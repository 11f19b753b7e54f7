import DataSourcesTestSupport
import Dispatch
import FetchedResults
import FetchedResultsSupport
import SQLiteStore
import TestSupport
import Testing

@testable import FetchedResultsCore

/// Each cursor of a commit log receives each later commit exactly once and in order, whatever else happens.
@Suite(.timeLimit(.minutes(2))) struct CommitLogModelTests {
  /// How the log delivers.
  enum Kind: CaseIterable {
    /// The thread that commits wakes the cursors.
    case inline
    /// A thread of the pool does.
    case pooled
    /// It also leaves out the cursors that the commits don't concern.
    case screened
  }

  @Test(arguments: Kind.allCases) func `each cursor receives each later commit once and in order`(kind: Kind) {
    for seed in Seeds.range(30) {
      let model = CommitLogModel(kind, seed)
      for step in 0..<200 {
        let what = model.step()
        guard let broken = model.problem() else { continue }
        Issue.record("\(broken), after step \(step) (\(what)) of \(kind), \(Seeds.hint(seed))")
        return
      }
    }
  }

  @Test func `a cursor is woken for each commit while it sleeps, on any thread`() throws {
    for seed in Seeds.range(6) {
      var dice = SeededGenerator(seed: seed)
      let log = CommitLog(EvaluationPool(processors: 2))
      let evaluators = (0..<dice.pick(1, 3, 4, 7)).map { _ in Evaluator(log, rests: dice.once(in: 2)) }
      let problems = Shared<[String]>([])
      let isWritten = Shared(0)
      for evaluator in evaluators {
        let start = BackgroundThread.start {
          if let problem = evaluator.run(until: 3000) { problems.change { $0.append(problem) } }
        }
        try #require(start)
      }
      let passing = dice.next()
      let threads = [
        BackgroundThread.start {
          for number in 0..<3000 {
            log.committed(CommitLogModel.commit(number))
            log.wake()
            guard number % 50 == 49 else { continue }
            // A cursor whose wake-up was lost would not receive these commits now.
            let end = MonotonicClock.now() + 5_000_000_000
            while evaluators.contains(where: { $0.received.value.count <= number }) {
              if MonotonicClock.now() > end {
                problems.change { $0.append("a cursor is not woken for commit \(number)") }
                return isWritten.change { $0 += 2 }
              }
              MonotonicClock.sleep(microseconds: 20)
            }
          }
          isWritten.change { $0 += 1 }
        },
        // Cursors that come and go, and receive what is committed meanwhile.
        BackgroundThread.start {
          var dice = SeededGenerator(seed: passing)
          while isWritten.value == 0 {
            let received = Shared<[Int]>([])
            let cursor = log.add(
              committed: { commit in received.change { $0.append(CommitLogModel.number(of: commit)) } }, wake: {})
            MonotonicClock.sleep(microseconds: dice.below(300))
            if dice.once(in: 2) { cursor.stayAwake() }
            cursor.catchUp()
            let numbers = received.value
            if let first = numbers.first, numbers != Array(first..<first + numbers.count) {
              problems.change { $0.append("a passing cursor has received \(numbers)") }
            }
          }
          isWritten.change { $0 += 1 }
        },
      ]
      #expect(threads == [true, true])
      let end = MonotonicClock.now() + 10_000_000_000
      while isWritten.value < 2 || evaluators.contains(where: { !$0.isDone.value }), MonotonicClock.now() < end {
        MonotonicClock.sleep(microseconds: 500)
      }
      let counts = evaluators.map(\.received.value.count)
      #expect(counts.allSatisfy { $0 == 3000 } && problems.value == [], "\(counts), \(Seeds.hint(seed))")
      guard counts.allSatisfy({ $0 == 3000 }) else { return }
      #expect(log.firstBrokenInvariant() == nil, "\(Seeds.hint(seed))")
    }
  }

  @Test func `a long backlog that screening passes over is released without recursion`() {
    let screening = RowScreening(
      read: { taking, body in
        taking()
        try body(FakeView())
      }, screen: { _ in { _, _ in [] } })
    let log = CommitLog(EvaluationPool(processors: 2), screening)
    let lists = (0..<RowScreening.fewestLists).map { _ in PassingList() }
    let cursors = lists.map { list in
      log.add(screening: (list, FakeQuery(concern: 0)), committed: { _ in }, wake: {})
    }
    // Releasing each link within the release of the one before it would need more than any thread's stack.
    let count = 300_000
    for _ in 0..<count { log.committed(EngineCommit(changes: [:], hadOldState: true)) }
    log.screen()
    #expect(lists.allSatisfy { $0.count.value == count })
    #expect(cursors.allSatisfy { $0.numberOfWaitingCommits == 0 })
    #expect(log.firstBrokenInvariant() == nil)
  }

  @Test func `a cursor that catches up while it is screened passes over nothing`() {
    let hook = Shared<(@Sendable () -> Void)?>(nil)
    let screening = RowScreening(
      read: { taking, body in
        taking()
        hook.take(leaving: nil)?()
        try body(FakeView())
      }, screen: { _ in { _, _ in [] } })
    let log = CommitLog(EvaluationPool(processors: 2), screening)
    let lists = (0..<RowScreening.fewestLists).map { _ in PassingList() }
    let received = Shared(0)
    let cursors = lists.map { list in
      log.add(
        screening: (list, FakeQuery(concern: 0)), committed: { _ in received.change { $0 += 1 } }, wake: {})
    }
    log.committed(CommitLogModel.commit(0))
    hook.change {
      $0 = {
        // What the screening doesn't contain.
        log.committed(CommitLogModel.commit(1))
        for cursor in cursors { cursor.catchUp() }
      }
    }
    log.screen()
    #expect(lists.allSatisfy { $0.count.value == 0 } && received.value == 2 * cursors.count)
    log.committed(CommitLogModel.commit(2))
    log.screen()
    #expect(lists.allSatisfy { $0.count.value == 1 } && received.value == 2 * cursors.count)
    #expect(log.firstBrokenInvariant() == nil)
    withExtendedLifetime(cursors) {}
  }

  @Test func `a writer answers a limited number of questions, however cheap each of them is`() {
    let questions = (0..<5000).flatMap { OldStateQuestion.all(of: FakeQuery(concern: 3 * $0)).compactMap(\.self) }
    let work = OldStateWork()
    let state = OldState.answers(to: questions, ["item": .rows([.number(1)])], work) { body in try body(FakeView()) }
    let count = questions.filter { state.answer(to: $0) != nil }.count
    #expect(Set(questions).count == 5000)
    #expect(count > 500 && count < 1500 && work.count == count)
  }

  private static func isFree(_ lock: Lock) -> Bool {
    guard lock.tryLock() else { return false }
    lock.unlock()
    return true
  }

  /// An old state that is the only owner of an object.
  private static func oldState(holding probe: ReleaseProbe) -> OldState {
    let questions = OldStateQuestion.all(of: FakeQuery(concern: 0, holding: probe)).compactMap(\.self)
    return OldState(Dictionary(uniqueKeysWithValues: questions.map { ($0, [RowKey]()) }))
  }

  @Test func `no old state is released under the lock of the log`() {
    let log = CommitLog(EvaluationPool(processors: 2))
    let released = Shared<[Bool]>([])
    func announce() {
      log.announce(Self.oldState(holding: ReleaseProbe { released.change { $0.append(Self.isFree(log.lock)) } }))
    }
    announce()
    // The write was rolled back, and so is the next one.
    announce()
    log.committed(EngineCommit(changes: [:], hadOldState: false))
    #expect(released.value == [true, true])
    announce()
    log.committed(EngineCommit(changes: [:], hadOldState: true))
    #expect(released.value.count == 2)
    // No cursor needs the commit.
    log.committed(EngineCommit(changes: [:], hadOldState: true))
    #expect(released.value == [true, true, true])
  }

  @Test func `neither a list nor an old state is released under the lock of a cursor`() throws {
    let log = CommitLog(EvaluationPool(processors: 2))
    let cursor = Shared<CommitCursor?>(nil)
    let released = Shared<[Bool]>([])
    let note: @Sendable () -> Void = {
      let isFree = cursor.value.map { Self.isFree($0.lock) } ?? false
      released.change { $0.append(isFree) }
    }
    let list = Shared<ReleaseProbe?>(ReleaseProbe(note))
    let added = log.add(
      committed: { [weak owner = list.value] _ in
        guard let owner else { return }
        // Another thread releases the list now.
        _ = list.take(leaving: nil)
        withExtendedLifetime(owner) {}
      }, wake: {})
    try added.setOwner(#require(list.value))
    cursor.change { $0 = added }
    log.announce(Self.oldState(holding: ReleaseProbe(note)))
    log.committed(EngineCommit(changes: [:], hadOldState: true))
    added.catchUp()
    #expect(released.value == [true])
    log.committed(EngineCommit(changes: [:], hadOldState: false))
    added.catchUp()
    #expect(released.value == [true, true])
    cursor.change { $0 = nil }
  }

  @Test func `no cursor is released while lists are screened`() {
    let cursors = Shared<[CommitCursor]>([])
    let screening = RowScreening(
      read: { taking, body in
        taking()
        _ = cursors.take(leaving: [])
        try body(FakeView())
      }, screen: { _ in { _, _ in [] } })
    let log = CommitLog(EvaluationPool(processors: 2), screening)
    let released = Shared<[Bool]>([])
    let lists = (0..<RowScreening.fewestLists).map { _ in PassingList() }
    for list in lists {
      let probe = ReleaseProbe { released.change { $0.append(Self.isFree(log.screeningLock)) } }
      let cursor = log.add(
        screening: (list, FakeQuery(concern: 0, holding: probe)), committed: { _ in }, wake: {})
      cursors.change { $0.append(cursor) }
    }
    log.committed(CommitLogModel.commit(0))
    log.screen()
    #expect(released.value == lists.map { _ in true })
  }

  /// Follows the log as an evaluation does: it sleeps until it is woken, and never looks by itself.
  private final class Evaluator: Sendable {
    let received = Shared<[Int]>([])
    let isDone = Shared(false)
    private let cursor: CommitCursor
    private let woken = DispatchSemaphore(value: 0)
    private let rests: Bool

    init(_ log: CommitLog, rests: Bool) {
      self.rests = rests
      let (received, woken) = (received, woken)
      cursor = log.add(
        committed: { commit in received.change { $0.append(CommitLogModel.number(of: commit)) } },
        wake: { woken.signal() })
    }

    /// Returns what is wrong; nil if nothing is.
    func run(until count: Int) -> String? {
      defer { isDone.change { $0 = true } }
      while received.value.count < count {
        if woken.wait(timeout: .now() + 6) == .timedOut { return "a cursor with \(received.value.count) is not woken" }
        repeat {
          cursor.stayAwake()
          cursor.catchUp()
          if rests { MonotonicClock.sleep(microseconds: 20) }
        } while !cursor.sleep()
      }
      return received.value == Array(0..<count) ? nil : "a cursor has received the commits in another order"
    }
  }
}

/// A log, and what each of its cursors should have received.
private final class CommitLogModel {
  /// A cursor, and what it has received.
  private final class Follower: ScreenedList {
    /// The commits that it has received or passed over, and those that it was woken for.
    let next: Shared<Int>
    let wakes = Shared(0)
    let passes = Shared(0)
    let problem = Shared<String?>(nil)
    let concern: Int
    /// Whether it refuses to pass over commits.
    let isBusy = Shared(false)
    let questions: [OldStateQuestion]

    init(_ next: Int, concern: Int, questions: [OldStateQuestion]) {
      self.next = Shared(next)
      self.concern = concern
      self.questions = questions
    }

    func committed(_ commit: EngineCommit) {
      let number = CommitLogModel.number(of: commit)
      next.change { next in
        if number != next { note("commit \(number) is delivered instead of \(next)") }
        next = number + 1
      }
    }

    func pass(_ commits: Int, _ rows: [RowKey], of query: any ResultQuery, _ view: any EngineView) -> Bool {
      if isBusy.value { return false }
      if rows.contains(where: { concerns($0) }) { note("a commit of its rows is passed over") }
      next.change { $0 += commits }
      return true
    }

    func passed() { passes.change { $0 += 1 } }

    func concerns(_ row: RowKey) -> Bool {
      if case .number(let number) = row { Int(number) % CommitLogModel.concerns == concern } else { true }
    }

    private func note(_ text: String) { problem.change { $0 = $0 ?? text } }
  }

  private struct Entry {
    var follower: Follower
    var cursor: CommitCursor
    var isAwake = false
    /// What the follower should have received at least, and how often it should have been woken.
    var received: Int
    var wakes = 0
    var query: FakeQuery
  }

  static let concerns = 12
  private static let manyRows = ChangedRows.rows((0..<200_000).map { .number($0) })

  private let kind: CommitLogModelTests.Kind
  private var dice: SeededGenerator
  private let pool = EvaluationPool(processors: 1)
  private let log: CommitLog
  private let queries: [FakeQuery]
  private var entries: [Entry] = []
  private var released: [(follower: Follower, next: Int)] = []
  /// The number of commits so far, and the weights of each.
  private var count = 0
  private var weights: [Int] = []
  private var failure: String?

  init(_ kind: CommitLogModelTests.Kind, _ seed: UInt64) {
    self.kind = kind
    dice = SeededGenerator(seed: seed)
    queries = (0..<Self.concerns).map { FakeQuery(concern: $0) }
    let screening = RowScreening(
      read: { taking, body in
        taking()
        try body(FakeView())
      },
      screen: { lists in
        { rows, _ in
          Set(
            lists.filter { list in
              rows.contains {
                if case .number(let row) = $0 { list.condition.condition.text == "\(row % 12)" } else { true }
              }
            }.map(\.number))
        }
      })
    log = CommitLog(pool, kind == .screened ? screening : nil)
  }

  /// A commit of a row, which also names its own number.
  static func commit(_ number: Int, _ rows: ChangedRows = .rows([])) -> EngineCommit {
    EngineCommit(changes: ["number": .rows([.number(Int64(number))]), "item": rows], hadOldState: true)
  }

  static func number(of commit: EngineCommit) -> Int {
    guard case .rows(let rows)? = commit.changes["number"], case .number(let number)? = rows.first else { return -1 }
    return Int(number)
  }

  /// Makes a random step, and returns what it was.
  func step() -> String {
    switch dice.below(20) {
    case 0, 1, 2, 3: return add()
    case 4 where !entries.isEmpty: return release(dice.below(entries.count))
    case 5, 6, 7, 8, 9: return commit()
    case 10, 11, 12: return wake()
    case 13 where kind == .screened: return screen()
    default: return entries.isEmpty ? commit() : use(dice.below(entries.count))
    }
  }

  private func add() -> String {
    if entries.count >= (kind == .inline ? 4 : 20) { return "nothing" }
    let query = queries[dice.below(queries.count)]
    let questions = dice.once(in: 3) ? OldStateQuestion.all(of: query).compactMap(\.self) : []
    let follower = Follower(count, concern: query.concern, questions: questions)
    let isScreened = kind == .screened && dice.below(5) > 0
    let cursor = log.add(
      asking: questions, screening: isScreened ? (follower, query) : nil,
      committed: { [unowned follower] in follower.committed($0) },
      wake: { [wakes = follower.wakes] in wakes.change { $0 += 1 } })
    entries.append(Entry(follower: follower, cursor: cursor, received: count, query: query))
    return "a cursor is added"
  }

  private func release(_ number: Int) -> String {
    let follower = entries.remove(at: number).follower
    released.append((follower, follower.next.value))
    return "a cursor is released"
  }

  private func commit() -> String {
    let rows: ChangedRows =
      dice.once(in: 40)
      ? Self.manyRows
      : dice.once(in: 20) ? .everything("test") : .rows((0..<dice.pick(0, 1, 1, 2, 60)).map { _ in .number(row()) })
    let commit = Self.commit(count, rows)
    weights.append(1 + commit.rows / 48)
    log.committed(commit)
    count += 1
    return "a commit of \(commit.rows) rows"
  }

  private func row() -> Int64 { Int64(dice.below(1000)) }

  private func wake() -> String {
    let isInline = entries.count <= 4
    log.wake()
    waitForPool()
    for number in entries.indices {
      // One that is far behind is woken even if it is awake.
      let behind = weights[entries[number].received...].reduce(0, +)
      if entries[number].isAwake, behind <= 4096 { continue }
      entries[number].wakes += 1
      entries[number].received = count
    }
    return isInline ? "woken on this thread" : "woken by the pool"
  }

  /// Returns when the pool, which has one thread, has done what was submitted before.
  private func waitForPool() {
    let isDone = DispatchSemaphore(value: 0)
    pool.submit(EvaluatorErrand { isDone.signal() })
    if isDone.wait(timeout: .now() + 10) == .timedOut { failure = failure ?? "the pool does no work" }
  }

  private func screen() -> String {
    log.screen()
    // It may leave out any cursor that sleeps.
    for number in entries.indices where !entries[number].isAwake {
      entries[number].received = max(entries[number].received, entries[number].follower.next.value)
    }
    return "screened"
  }

  private func use(_ number: Int) -> String {
    switch dice.below(4) {
    case 0:
      entries[number].cursor.stayAwake()
      entries[number].isAwake = true
      return "cursor \(number) stays awake"
    case 1:
      entries[number].isAwake = false
      let hasAll = entries[number].cursor.sleep()
      if hasAll != (entries[number].received == count) { failure = "sleep() returns \(hasAll)" }
      return "cursor \(number) sleeps"
    case 2:
      let isBusy = dice.once(in: 2)
      entries[number].follower.isBusy.change { $0 = isBusy }
      return "cursor \(number) is \(isBusy ? "busy" : "idle")"
    default:
      entries[number].cursor.catchUp()
      entries[number].received = count
      return "cursor \(number) catches up"
    }
  }

  /// What is wrong; nil if nothing is.
  func problem() -> String? {
    if let failure { return failure }
    if let broken = log.firstBrokenInvariant() { return broken }
    for (number, entry) in entries.enumerated() {
      if let problem = entry.follower.problem.value { return "cursor \(number): \(problem)" }
      let received = entry.follower.next.value
      if received != entry.received { return "cursor \(number) has \(received) commits, and not \(entry.received)" }
      let wakes = entry.follower.wakes.value
      if wakes != entry.wakes { return "cursor \(number) was woken \(wakes) times, and not \(entry.wakes)" }
    }
    for (follower, next) in released where follower.next.value != next { return "a released cursor receives commits" }
    let questions = Set(entries.flatMap(\.follower.questions))
    if Set(log.questions) != questions { return "\(log.questions.count) questions are asked, not \(questions.count)" }
    return nil
  }
}

/// A list that passes over every commit, and counts them.
private final class PassingList: ScreenedList {
  let count = Shared(0)

  func pass(_ commits: Int, _ rows: [RowKey], of query: any ResultQuery, _ view: any EngineView) -> Bool {
    count.change { $0 += commits }
    return true
  }

  func passed() {}
}

/// Calls a closure when it is released.
private final class ReleaseProbe: Sendable {
  private let released: @Sendable () -> Void

  init(_ released: @escaping @Sendable () -> Void) { self.released = released }

  deinit { released() }
}

private struct FakeView: EngineView {
  let mayHoldUnreported = false

  func compare(_ collation: String, _ left: String, _ right: String) -> Int { left < right ? -1 : left > right ? 1 : 0 }
}

/// A query of rows whose numbers leave a remainder.
private final class FakeQuery: ResultQuery {
  let concern: Int
  let identity = QueryIdentity()
  let dependencies = [ResultDependency(table: "item", role: .entity, needsOldState: true)]
  let order = KeyOrder(parts: [], sectionOrderParts: 0, hasSections: false)
  let reason: String? = nil
  let isNameOfID = false
  let isIDUnique = true
  let numberOfPartners = 0
  let lostIndexes: Set<String> = []
  let hasHeaders = false
  let contentNames: [String] = []

  private let held: ReleaseProbe?

  init(concern: Int, holding held: ReleaseProbe? = nil) {
    self.concern = concern
    self.held = held
  }

  var condition: RowCondition? {
    RowCondition(table: "item", from: "item", key: ["id"], condition: SQL(raw: "\(concern)"))
  }

  func fetch(_ view: any EngineView, onto storage: RowOperations, former: [String]?) -> RowBatch { RowBatch() }
  func rows(of keys: [RowKey], _ view: any EngineView, onto storage: RowOperations) -> RowBatch { RowBatch() }
  func affected(
    by rows: [RowKey], of dependency: Int, within limit: inout SearchLimit, _ view: any EngineView
  ) -> [RowKey] { rows }
  // Some queries ask the same question.
  func wording(of dependency: Int) -> SQL? { SQL(raw: "\(concern / 3)") }
  func headers(_ view: any EngineView) -> [SectionHeader] { [] }
  func isStale(_ view: any EngineView) -> Bool { false }
  func isOvertaken(_ view: any EngineView) -> Bool { false }
}
