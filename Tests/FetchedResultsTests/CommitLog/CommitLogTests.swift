import Dispatch
import FetchedResults
import FixtureSupport
import Testing

@testable import FetchedResultsCore

/// Cursors of a `CommitLog` receive every commit, once and in order, whichever thread delivers it.
@Suite(.timeLimit(.minutes(10))) struct CommitLogTests {
  /// A follower that records what it receives.
  private final class Listener: Sendable {
    let numbers = Shared<[Int64]>([])
    let wakes = Shared(0)
    func committed(_ commit: EngineCommit) {
      guard case .rows(let rows)? = commit.changes["item"], case .number(let number)? = rows.first else { return }
      numbers.change { $0.append(number) }
    }
    func join(_ followers: CommitLog) -> CommitCursor {
      followers.add(committed: { self.committed($0) }, wake: { self.wakes.change { $0 += 1 } })
    }
  }

  private static func commit(_ number: Int) -> EngineCommit {
    EngineCommit(changes: ["item": .rows([.number(Int64(number))])], hadOldState: true)
  }

  @Test(arguments: [1, 50]) func `an awake cursor is not woken, and learns of new commits when it goes to sleep`(
    count: Int
  )
    async throws
  {
    let followers = CommitLog(EvaluationPool(processors: 2))
    let listeners = (0..<count).map { _ in Listener() }
    let joined = listeners.map { $0.join(followers) }
    joined[0].stayAwake()
    followers.committed(Self.commit(1))
    followers.wake()
    for listener in listeners.dropFirst() { try await eventually("it is woken") { listener.wakes.value == 1 } }
    #expect(listeners[0].wakes.value == 0 && listeners[0].numbers.value.isEmpty)
    #expect(!joined[0].sleep())
    joined[0].catchUp()
    #expect(listeners[0].numbers.value == [1] && joined[0].sleep())
    followers.committed(Self.commit(2))
    followers.wake()
    try await eventually("it is woken") { listeners[0].wakes.value == 1 }
    #expect(listeners[0].numbers.value == [1, 2])
  }

  @Test func `commits are drained for a cursor that never drains them, so they don't pile up`() {
    let followers = CommitLog(EvaluationPool(processors: 2))
    let listener = Listener()
    let follower = listener.join(followers)
    follower.stayAwake()
    for number in 0..<10_000 {
      followers.committed(Self.commit(number))
      followers.wake()
      #expect(number - listener.numbers.value.count < 4200)
    }
    follower.catchUp()
    #expect(listener.numbers.value == Array(0..<10_000))
  }

  @Test func `many rows are drained sooner than many commits`() {
    let followers = CommitLog(EvaluationPool(processors: 2))
    let listener = Listener()
    let follower = listener.join(followers)
    follower.stayAwake()
    let rows = (0..<10_000).map { RowKey.number($0) }
    for number in 0..<100 {
      followers.committed(EngineCommit(changes: ["item": .rows(rows)], hadOldState: true))
      followers.wake()
      #expect(number - listener.numbers.value.count < 22)
    }
    withExtendedLifetime(follower) {}
  }

  @Test func `jobs behind a long callback run while other jobs are slow`() async throws {
    let pool = EvaluationPool(processors: 2)
    let gate = DispatchSemaphore(value: 0)
    let began = Shared(0)
    let isDone = Shared(false)
    pool.submit(
      EvaluatorErrand {
        pool.callingBack {
          began.change { $0 += 1 }
          gate.wait()
        }
      })
    try await eventually("the callback has begun") { began.value == 1 }
    pool.submit(
      EvaluatorErrand {
        pool.submit(EvaluatorErrand { isDone.change { $0 = true } })
        pool.beingSlow { gate.wait() }
      })
    try await eventually("the rest is done", within: .seconds(10)) { isDone.value }
    for _ in 0..<2 { gate.signal() }
  }

  @Test func `a writer notifies a few cursors; an evaluator notifies many, first if much waits`()
    async throws
  {
    let pool = EvaluationPool(processors: 1)
    let followers = CommitLog(pool)
    let listeners = (0..<5).map { _ in Listener() }
    let joined = listeners.map { $0.join(followers) }
    let gate = DispatchSemaphore(value: 0)
    let seen = Shared<[Int]?>(nil)
    let isHeld = Shared(false)
    pool.submit(
      EvaluatorErrand {
        isHeld.change { $0 = true }
        gate.wait()
      })
    try await eventually("the thread is held") { isHeld.value }
    pool.submit(EvaluatorErrand { seen.change { $0 = listeners.map(\.numbers.value.count) } })
    for number in 0..<5000 {
      followers.committed(Self.commit(number))
      followers.wake()
    }
    #expect(listeners.allSatisfy { $0.numbers.value.isEmpty })
    // But commits that no follower drains do not accumulate.
    for number in 5000..<70_000 {
      followers.committed(Self.commit(number))
      followers.wake()
    }
    #expect(listeners.allSatisfy { $0.numbers.value.count > 65_000 })
    gate.signal()
    try await eventually("other work is done") { seen.value != nil }
    #expect(seen.value == Array(repeating: 70_000, count: 5))
    withExtendedLifetime(joined) {}
  }

  @Test func `released cursors receive nothing`() {
    let followers = CommitLog(EvaluationPool(processors: 2))
    let listener = Listener()
    var joined: [CommitCursor?] = (0..<9).map { _ in listener.join(followers) }
    for index in 1..<9 { joined[index] = nil }
    followers.committed(Self.commit(1))
    followers.wake()
    #expect(listener.numbers.value == [1] && listener.wakes.value == 1)
    withExtendedLifetime(joined) {}
  }
}
