import DataSourcesTestSupport
import FetchedResults
import TestSupport
import Testing

@testable import FetchedResultsCore

/// The decisions of the evaluation pool alone: no thread, no lock, and a clock that the test moves.
@Suite(.timeLimit(.minutes(10))) struct PoolStateTests {
  typealias State = PoolState<Int>

  struct Limits: CustomTestStringConvertible {
    var active: Int
    var slow: Int
    var stuck: Int
    var jobs = 3
    var testDescription: String { "\(active) active, \(slow) slow, \(stuck) stuck, \(jobs) jobs" }
  }

  // MARK: All orders of events

  private struct Node {
    let pool: SimulatedPool
    let parent: Int
    let move: SimulatedPool.Move?
  }

  @Test(
    arguments: [
      Limits(active: 1, slow: 1, stuck: 1), Limits(active: 2, slow: 1, stuck: 2, jobs: 2),
      Limits(active: 2, slow: 2, stuck: 1, jobs: 2), Limits(active: 3, slow: 2, stuck: 2, jobs: 2),
      Limits(active: 2, slow: 1, stuck: 1),
    ])
  func `no order of events loses a job or a wake-up, or exceeds a limit`(limits: Limits) {
    let mostStates = Seeds.soak == nil ? 6000 : 150_000
    var nodes = [
      Node(
        pool: SimulatedPool(
          limit: limits.active, slowLimit: limits.slow, stuckLimit: limits.stuck, jobs: limits.jobs, expects: 1,
          spurious: 1), parent: -1, move: nil)
    ]
    var seen: Set<UInt64> = [nodes[0].pool.fingerprint]
    var next = 0
    while next < nodes.count, nodes.count < mostStates {
      let pool = nodes[next].pool
      for move in pool.moves {
        var choice = 0
        repeat {
          var copy = pool
          copy.signalChoice = choice
          copy.make(move)
          choice += 1
          let isNew = seen.insert(copy.fingerprint).inserted
          if copy.problem == nil, isNew, nodes.count.isMultiple(of: 8) {
            copy.problem = copy.problemWhenBlocked(slowBlocks: nodes.count.isMultiple(of: 16))
          }
          if isNew || copy.problem != nil { nodes.append(Node(pool: copy, parent: next, move: move)) }
          if let problem = copy.problem {
            Issue.record("\(problem), after \(Self.path(to: nodes.count - 1, in: nodes))")
            return
          }
          if choice >= copy.signalTargets { break }
        } while true
      }
      next += 1
    }
    // Make sure that something was tried.
    #expect(nodes.count > 1000 && nodes.contains { $0.pool.taken.count == limits.jobs })
  }

  private static func path(to last: Int, in nodes: [Node]) -> [SimulatedPool.Move] {
    var moves: [SimulatedPool.Move] = []
    var index = last
    while index > 0 {
      if let move = nodes[index].move { moves.append(move) }
      index = nodes[index].parent
    }
    return moves.reversed()
  }

  // MARK: Long schedules

  @Test(arguments: Seeds.range(40)) func `no long random schedule loses a job or a wake-up, or exceeds a limit`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var pool = SimulatedPool(
      limit: 1 + random.below(4), slowLimit: 1 + random.below(4), stuckLimit: 1 + random.below(6), jobs: 400,
      expects: 200, spurious: 100)
    // Some schedules are crowded, in others the pool is often idle.
    let crowd = 1 + random.below(12)
    var moves: [SimulatedPool.Move] = []
    while pool.taken.count < 400, moves.count < 3000, pool.problem == nil {
      let choices = pool.moves.filter { move in
        switch move {
        case .submit, .expect: pool.quick.count + pool.slow.count < crowd
        case .spurious, .timeOut: random.once(in: 3)
        // Callbacks and slow work take longer than other steps, and some callbacks very long.
        case .go(let index):
          switch pool.threads[index].phase {
          case .inCallback(let job, _, _): random.once(in: job.id.isMultiple(of: 5) ? 200 : 5)
          case .slow: random.once(in: 5)
          default: true
          }
        }
      }
      pool.clock += UInt64(random.once(in: 20) ? random.below(1_000_000) : random.below(20_000))
      guard !choices.isEmpty else { continue }
      pool.signalChoice = random.below(8)
      let move = random.pick(choices)
      moves.append(move)
      pool.make(move)
      if pool.problem == nil, random.once(in: 16) {
        pool.problem = pool.problemWhenBlocked(slowBlocks: random.once(in: 2))
      }
    }
    if let problem = pool.problem {
      Issue.record("\(problem), after \(moves.count) steps: \(moves.suffix(20)); \(Seeds.hint(seed))")
    }
    #expect(pool.taken.count > 100, "\(Seeds.hint(seed))")
  }

  // MARK: Order

  var state = State(limit: 2, slowLimit: 4, stuckLimit: 4)

  private mutating func submit(_ job: Int, isSlow: Bool = false, isFirst: Bool = false, at now: UInt64 = 0) {
    _ = state.jobSubmitted(job, isSlow: isSlow, isFirst: isFirst, at: now)
  }

  /// The jobs that a thread takes, one after the other.
  private mutating func takeAll(_ most: Int = .max) -> [Int] {
    var jobs: [Int] = []
    while jobs.count < most {
      var search = State.Search(at: 0)
      guard case .run(let job, _) = state.threadLooksForWork(&search, at: 0) else { break }
      jobs.append(job)
    }
    return jobs
  }

  @Test mutating func `jobs are taken in order, and urgent ones before all others`() {
    submit(1)
    submit(2)
    submit(3, isFirst: true)
    submit(4, isFirst: true)
    #expect(takeAll(2) == [4, 3])
    submit(5, isFirst: true)
    submit(6)
    #expect(takeAll() == [5, 1, 2, 6])
  }

  @Test(arguments: [false, true])
  mutating func `thousands of jobs that arrive while others are taken stay in order`(isSlow: Bool) {
    var taken: [Int] = []
    for number in 0..<1000 {
      submit(2 * number, isSlow: isSlow)
      submit(2 * number + 1, isSlow: isSlow)
      taken += takeAll(1)
    }
    taken += takeAll()
    #expect(taken == Array(0..<2000))
  }

  @Test mutating func `a slow job runs after eight quick ones, or at once without any`() {
    for number in 0..<20 { submit(number) }
    for number in 100..<103 { submit(number, isSlow: true) }
    #expect(takeAll() == Array(0..<8) + [100] + Array(8..<16) + [101] + Array(16..<20) + [102])
  }

  @Test mutating func `looking for work without success doesn't advance the turn of a slow job`() {
    for _ in 0..<20 {
      state.threadStarted()
      var search = State.Search(at: 0)
      _ = state.threadLooksForWork(&search, at: .max / 2)
      _ = state.threadLooksForWork(&search, at: .max / 2)
    }
    submit(1, isSlow: true)
    submit(2)
    #expect(takeAll(1) == [2])
  }

  @Test mutating func `a slow job waits while the maximum number of threads is slow`() {
    state = State(limit: 2, slowLimit: 1, stuckLimit: 4)
    #expect(state.jobSubmitted(1, isSlow: true, isFirst: false, at: 0) == .newThread(isWatcher: false))
    state.threadStarted()
    #expect(takeAll(1) == [1])
    #expect(state.becameSlow() == .nobody && !state.mayBeSlow)
    #expect(state.jobSubmitted(2, isSlow: true, isFirst: false, at: 0) == .nobody)
    #expect(state.slowEnded() == .newThread(isWatcher: false))
  }

  // MARK: Calling threads

  @Test mutating func `a thread that can't be started leaves room for another`() {
    for number in 0..<3 {
      #expect(state.jobSubmitted(number, isSlow: false, isFirst: false, at: 0) == .newThread(isWatcher: false))
      state.threadFailedToStart(isWatcher: false)
    }
  }

  @Test mutating func `a watch is requested again if its thread can't be started`() {
    state = State(limit: 1, slowLimit: 1, stuckLimit: 1)
    submit(0)
    state.threadStarted()
    #expect(takeAll(1) == [0])
    _ = state.callbackBegan()
    for number in 1..<4 {
      #expect(state.jobSubmitted(number, isSlow: false, isFirst: false, at: 0) == .newThread(isWatcher: true))
      state.threadFailedToStart(isWatcher: true)
    }
  }

  // MARK: Polling

  /// How long a thread that has finished a job polls, after jobs at these times.
  private mutating func pollTime(afterJobsAt times: [UInt64]) -> UInt64? {
    for time in times {
      submit(0, at: time)
      if state.active == 0 { state.threadStarted() }
      _ = takeAll(1)
    }
    let now = times.max() ?? 0
    var search = State.Search(at: now)
    guard case .poll(let end) = state.threadLooksForWork(&search, at: now) else { return nil }
    return end - now
  }

  private static let often = (1...100).map { UInt64(1_000_000_000 + $0 * 100_000) }

  @Test mutating func `a thread polls for long only if jobs arrive often`() {
    #expect(pollTime(afterJobsAt: Self.often) == 300_000)
    state = State(limit: 2, slowLimit: 4, stuckLimit: 4)
    #expect(pollTime(afterJobsAt: [1_000_000_000, 2_000_000_000]) == 10_000)
    state = State(limit: 1, slowLimit: 4, stuckLimit: 4)
    #expect(pollTime(afterJobsAt: Self.often) == nil)
  }

  @Test mutating func `a time that another thread read a little earlier doesn't count as a pause`() {
    #expect(pollTime(afterJobsAt: Self.often + [Self.often[98]]) == 300_000)
  }

  @Test mutating func `a commit that begins wakes a thread, which polls`() {
    #expect(state.commitExpected(at: 1000) == .newThread(isWatcher: false))
    #expect(state.commitExpected(at: 2000) == .nobody)
    state.threadStarted()
    var search = State.Search(at: 5000)
    guard case .poll(302_000) = state.threadLooksForWork(&search, at: 5000) else {
      Issue.record("it does not poll for the commit")
      return
    }
  }

  @Test mutating func `no thread polls for a commit while one is slow`() {
    _ = state.commitExpected(at: 0)
    state.threadStarted()
    #expect(state.becameSlow() == .nobody)
    #expect(state.commitExpected(at: 1000) == .nobody)
  }
}
