import FetchedResults

@testable import FetchedResultsCore

/// An evaluation pool whose threads and clock are simulated: a test chooses each step of each thread.
///
/// It keeps its own account of jobs and threads, and compares it with what `PoolState` decides.
struct SimulatedPool {
  enum Kind: Int, CaseIterable {
    /// They only run. The second is submitted before all others.
    case quick, first
    /// Becomes slow while it runs, or is submitted as a slow job.
    case turnsSlow, wholeQuery
    /// Calls back, and need not return.
    case callsBack

    var isSlow: Bool { self == .turnsSlow || self == .wholeQuery }
  }

  struct Job: Equatable {
    let id: Int
    let kind: Kind
  }

  enum Phase {
    case starting, searching
    case running(Job, isDone: Bool)
    case slow(Job, isReplaced: Bool)
    case inCallback(Job, number: Int, isStuck: Bool)
    case polling(until: UInt64, isOver: Bool)
    /// Sleeps or watches callbacks. Once it is awake it gets no more signals, but still has to take the lock.
    case sleeping(until: UInt64, isAwake: Bool)
    case watching(since: UInt64, taken: Int, until: UInt64, isAwake: Bool)
  }

  struct Thread {
    var phase = Phase.starting
    var search = PoolState<Job>.Search(at: 0)
  }

  enum Move {
    case submit(Kind)
    case expect
    /// The thread does what comes next, if it doesn't wait.
    case go(Int)
    /// The thread has waited until its time has passed.
    case timeOut(Int)
    /// The thread wakes up for no reason.
    case spurious(Int)
  }

  var state: PoolState<Job>
  var clock: UInt64 = 1_000_000_000
  /// Until when the polling thread polls because of commits.
  var prolonged: UInt64 = 0
  var threads: [Thread] = []
  var quick: [Job] = []
  var slow: [Job] = []
  var sinceSlow = 0
  var submitted = 0
  var taken: [Int] = []
  /// What a test may still do.
  var jobsLeft: Int
  var expectsLeft: Int
  var spuriousLeft: Int
  /// Which of the threads that wait receives the next signal, and how many could have received the last one.
  var signalChoice = 0
  var signalTargets = 0
  /// The first rule that was broken.
  var problem: String?

  init(limit: Int, slowLimit: Int, stuckLimit: Int, jobs: Int, expects: Int, spurious: Int) {
    state = PoolState(limit: limit, slowLimit: slowLimit, stuckLimit: stuckLimit)
    (jobsLeft, expectsLeft, spuriousLeft) = (jobs, expects, spurious)
  }

  // MARK: Moves

  var moves: [Move] {
    var moves: [Move] = []
    if jobsLeft > 0 { moves += Kind.allCases.map { .submit($0) } }
    if expectsLeft > 0 { moves.append(.expect) }
    for (index, thread) in threads.enumerated() {
      switch thread.phase {
      case .starting, .searching, .running, .slow, .inCallback: moves.append(.go(index))
      case .polling(_, let isOver):
        moves.append(isOver || !quick.isEmpty ? .go(index) : .timeOut(index))
      case .sleeping(_, let isAwake), .watching(_, _, _, let isAwake):
        moves.append(isAwake ? .go(index) : .timeOut(index))
        if !isAwake, spuriousLeft > 0 { moves.append(.spurious(index)) }
      }
    }
    return moves
  }

  mutating func make(_ move: Move) {
    signalTargets = 0
    switch move {
    case .submit(let kind):
      jobsLeft -= 1
      submit(kind)
    case .expect:
      expectsLeft -= 1
      if threads.contains(where: \.isPolling) {
        prolonged = clock + PoolState<Job>.longPoll
      } else {
        perform(state.commitExpected(at: clock))
        prolonged = max(prolonged, state.expectedUntil)
      }
    case .go(let index): go(index)
    case .timeOut(let index): awaken(index, isInTime: true)
    case .spurious(let index):
      spuriousLeft -= 1
      awaken(index, isInTime: false)
    }
    check()
  }

  mutating func submit(_ kind: Kind) {
    let job = Job(id: submitted, kind: kind)
    submitted += 1
    if kind == .wholeQuery {
      slow.append(job)
    } else {
      quick.insert(job, at: kind == .first ? 0 : quick.count)
    }
    perform(state.jobSubmitted(job, isSlow: kind == .wholeQuery, isFirst: kind == .first, at: clock))
  }

  private mutating func awaken(_ index: Int, isInTime: Bool) {
    switch threads[index].phase {
    case .polling(let end, _):
      clock = max(clock, end, prolonged)
      threads[index].phase = .polling(until: end, isOver: true)
    case .sleeping(let end, _):
      if isInTime { clock = max(clock, end) }
      threads[index].phase = .sleeping(until: end, isAwake: true)
    case .watching(let start, let taken, let end, _):
      if isInTime { clock = max(clock, end) }
      threads[index].phase = .watching(since: start, taken: taken, until: end, isAwake: true)
    default: break
    }
  }

  private mutating func go(_ index: Int) {
    switch threads[index].phase {
    case .starting:
      state.threadStarted()
      search(index)
    case .searching: look(index)
    case .running(let job, isDone: false) where job.kind.isSlow:
      let call = state.becameSlow()
      threads[index].phase = .slow(job, isReplaced: call != nil)
      perform(call ?? .nobody)
    case .running(let job, isDone: false) where job.kind == .callsBack:
      let (number, call) = state.callbackBegan()
      threads[index].phase = .inCallback(job, number: number, isStuck: false)
      perform(call)
    case .running: search(index)
    case .slow(let job, let isReplaced):
      threads[index].phase = .running(job, isDone: true)
      if isReplaced { perform(state.slowEnded()) }
    case .inCallback(let job, let number, _):
      state.callbackEnded(number)
      threads[index].phase = .running(job, isDone: true)
    case .polling:
      state.pollEnded(expectedUntil: prolonged)
      look(index)
    case .sleeping:
      state.threadWoke()
      look(index)
    case .watching(let start, let before, _, _):
      let declared = state.declaredStuck
      state.watchEnded(at: clock)
      if state.declaredStuck != declared {
        if clock < start + PoolState<Job>.callbackTime || taken.count != before {
          problem = "callbacks were declared stuck too early"
        }
        declareStuck()
      }
      look(index)
    }
  }

  private mutating func declareStuck() {
    for index in threads.indices {
      if case .inCallback(let job, let number, _) = threads[index].phase {
        threads[index].phase = .inCallback(job, number: number, isStuck: true)
      }
    }
  }

  private mutating func search(_ index: Int) {
    threads[index].phase = .searching
    threads[index].search = .init(at: clock)
  }

  private mutating func look(_ index: Int) {
    // It is active until it decides to wait.
    threads[index].phase = .searching
    let active = count.active
    switch state.threadLooksForWork(&threads[index].search, at: clock) {
    case .run(let job, let call):
      if active > state.limit { problem = "a job was taken by one thread too many" }
      take(job)
      threads[index].phase = .running(job, isDone: false)
      perform(call)
    case .poll(let end): threads[index].phase = .polling(until: end, isOver: false)
    case .watchCallbacks(let end):
      threads[index].phase = .watching(since: clock, taken: taken.count, until: end, isAwake: false)
    case .sleep(let end): threads[index].phase = .sleeping(until: end, isAwake: false)
    case .end: threads.remove(at: index)
    }
  }

  private mutating func take(_ job: Job) {
    taken.append(job.id)
    if job == slow.first {
      if !quick.isEmpty, sinceSlow < 8 { problem = "a slow job came before its turn" }
      if count.slow >= state.slowLimit { problem = "a slow job was taken beyond the limit" }
      sinceSlow = 0
      slow.removeFirst()
    } else if job == quick.first {
      if sinceSlow >= 8, !slow.isEmpty, count.slow < state.slowLimit { problem = "a slow job did not have its turn" }
      sinceSlow += 1
      quick.removeFirst()
    } else {
      problem = "job \(job.id) was taken twice or before its turn"
    }
  }

  private mutating func perform(_ call: PoolState<Job>.Call) {
    switch call {
    case .nobody: break
    case .newThread: threads.append(Thread())
    case .poller:
      for index in threads.indices where threads[index].isPolling {
        if case .polling(let end, _) = threads[index].phase {
          threads[index].phase = .polling(until: end, isOver: true)
        }
      }
    case .sleeper:
      // The watching thread waits in the same place as the sleeping ones.
      let targets = threads.indices.filter { threads[$0].canReceiveSignal }
      signalTargets = targets.count
      if !targets.isEmpty { awaken(targets[signalChoice % targets.count], isInTime: false) }
    }
  }

  // MARK: Rules

  struct Counts {
    var active = 0, asleep = 0, started = 0, slow = 0, stuck = 0, inCallbacks = 0
    /// Threads that work, look for work or are about to.
    var running = 0, searching = 0, coming = 0, polling = 0, watching = 0, unreplaced = 0
  }

  var count: Counts {
    var count = Counts()
    for thread in threads {
      switch thread.phase {
      case .starting:
        count.started += 1
        count.coming += 1
      case .searching:
        count.active += 1
        count.searching += 1
      case .running:
        count.active += 1
        count.running += 1
      case .slow(_, let isReplaced):
        if isReplaced {
          count.slow += 1
        } else {
          count.active += 1
          count.running += 1
          count.unreplaced += 1
        }
      case .inCallback(_, _, let isStuck):
        if isStuck {
          count.stuck += 1
        } else {
          count.active += 1
          count.inCallbacks += 1
        }
      case .polling(_, let isOver):
        count.active += 1
        if isOver { count.searching += 1 } else { count.polling += 1 }
      case .sleeping(_, let isAwake):
        count.asleep += 1
        if isAwake { count.coming += 1 }
      case .watching(_, _, _, let isAwake):
        count.watching += 1
        if isAwake { count.coming += 1 }
      }
    }
    return count
  }

  private mutating func check() {
    guard problem == nil else { return }
    let count = count
    if (state.active, state.asleep, state.started) != (count.active, count.asleep, count.started)
      || (state.slow, state.stuck, state.inCallbacks) != (count.slow, count.stuck, count.inCallbacks)
      || (state.isWatched, state.isPolling, state.quickCount)
        != (count.watching > 0, threads.contains(where: \.isPolling), quick.count)
      || count.watching > 1
    {
      problem = "the counters are wrong"
    } else if taken.count + quick.count + slow.count != submitted {
      problem = "a job was lost"
    } else if count.slow > state.slowLimit {
      problem = "too many threads are slow"
    } else if count.stuck > state.stuckLimit {
      problem = "too many threads are stuck"
    } else if threads.count > 2 * state.limit + state.slowLimit + state.stuckLimit + 1 {
      problem = "there are \(threads.count) threads"
    } else {
      let maySlow = !slow.isEmpty && count.slow < state.slowLimit
      let isPolled = count.polling > 0 && !quick.isEmpty
      let isSought = count.searching + count.coming + count.watching > 0 || isPolled
      if !quick.isEmpty || maySlow, !isSought, count.running == 0 {
        problem = "a wake-up was lost: nobody will take the jobs that wait"
      }
      // A running thread may go on for ever while only slow jobs wait, and commits can prolong a poll for ever.
      if maySlow, !isSought, count.running + count.inCallbacks < state.limit {
        problem = "a slow job waits although a thread could take it"
      }
    }
  }

  /// What goes wrong if callbacks, and slow work if `slowBlocks`, never return from now on, and no commit comes.
  func problemWhenBlocked(slowBlocks: Bool) -> String? {
    var copy = self
    for _ in 0..<400 where copy.problem == nil {
      let move = copy.moves.first { move in
        guard case .go(let index) = move else { return false }
        switch copy.threads[index].phase {
        case .inCallback: return false
        case .slow: return !slowBlocks
        default: return true
        }
      }
      if let move {
        copy.make(move)
      } else if copy.quick.isEmpty && (slowBlocks || copy.slow.isEmpty) {
        return nil
      } else if let index = copy.threads.firstIndex(where: \.endsByItself) {
        copy.make(.timeOut(index))
      } else {
        break
      }
    }
    if let problem = copy.problem { return problem }
    let count = copy.count
    // The limits forbid more.
    if count.stuck + count.inCallbacks > state.stuckLimit || slowBlocks && count.unreplaced > 0 { return nil }
    return "jobs are never taken if callbacks \(slowBlocks ? "and slow jobs " : "")block"
  }

  // MARK: Comparing

  /// A number that is equal for pools that can't be told apart, but for times that have not passed.
  var fingerprint: UInt64 {
    var codes = threads.map { $0.code(at: clock) }
    codes.sort()
    codes += quick.map(\.kind.rawValue)
    codes.append(9)
    codes += slow.map(\.kind.rawValue)
    codes += [jobsLeft, expectsLeft, spuriousLeft, state.called, min(state.sinceSlow, 8)]
    codes += [state.isWatchWanted, state.usualGap < 300_000, state.expectedUntil > clock, prolonged > clock].map {
      $0 ? 1 : 0
    }
    for case .watching(_, let before, _, _) in threads.lazy.map(\.phase) { codes.append(taken.count == before ? 1 : 0) }
    var mixed: UInt64 = 0xCBF2_9CE4_8422_2325
    for code in codes { mixed = (mixed ^ UInt64(code)) &* 0x9E37_79B9_7F4A_7C15 ^ (mixed >> 29) }
    return mixed
  }
}

extension SimulatedPool.Thread {
  var isPolling: Bool { if case .polling = phase { true } else { false } }

  var canReceiveSignal: Bool {
    switch phase {
    case .sleeping(_, let isAwake), .watching(_, _, _, let isAwake): !isAwake
    default: false
    }
  }

  /// Whether it polls or watches, and is still waiting.
  var endsByItself: Bool {
    switch phase {
    case .polling(_, let isOver): !isOver
    case .watching(_, _, _, let isAwake): !isAwake
    default: false
    }
  }

  fileprivate func code(at clock: UInt64) -> Int {
    let late = search.deadline <= clock ? 1 : 0
    return switch phase {
    case .starting: 10
    case .searching: 11
    case .running(let job, let isDone): 20 + job.kind.rawValue * 2 + (isDone ? 1 : 0)
    case .slow(let job, let isReplaced): 40 + job.kind.rawValue * 2 + (isReplaced ? 1 : 0)
    case .inCallback(_, _, let isStuck): isStuck ? 61 : 60
    case .polling(let end, let isOver): 70 + (isOver ? 1 : 0) + (end <= clock ? 2 : 0) + late * 4
    case .sleeping(_, let isAwake): 80 + (isAwake ? 1 : 0) + late * 2
    case .watching(_, _, let end, let isAwake): 90 + (isAwake ? 1 : 0) + (end <= clock ? 2 : 0) + late * 4
    }
  }
}
