import FetchedResults

@testable import FetchedResultsCore

extension SimulatedList {
  /// A number that is equal for lists that can't be told apart, but for times.
  var fingerprint: UInt64 {
    var codes = [
      budget.commits, budget.everything, budget.requests, budget.fetches, budget.stops, budget.waiters, budget.faults,
      budget.screens, budget.postponements, commits, requests, received, wakes, locker ?? -2, queue.count,
      waiters.count,
    ]
    codes += [
      isAwake, isFollowing, isDelivering, isStopped, queryIsCancelled, queriesRunning > 0, restDue != nil,
      retryDue != nil, state.isScheduled, state.isBlocked, state.lastError != nil, state.rest.until > clock,
      state.rest.retriesRequest, state.failed != nil, state.pending.isOfEverything, state.pending.reload != nil,
    ].map { $0 ? 1 : 0 }
    codes += [
      state.request, state.failed?.request ?? -1, state.reported ?? -1, state.cancelledInARow, state.recorded,
      state.evaluated, state.delivered, Int(min(leastPause, 1_000_000_000)),
    ]
    codes.append(fault.map { [ErrorKind.busy, .passing, .unclear, .lasting].firstIndex(of: $0) ?? 0 } ?? -1)
    codes.append(state.phase.code)
    codes += state.pending.numbers + [-1] + everything + [-1]
    for contents in [list ?? Contents(request: -1), delivered] + queue { codes += contents.codes }
    for number in obstacles.keys.sorted() {
      if let (obstacle, since) = obstacles[number] { codes += [number, obstacle.rawValue, since] }
    }
    for waiter in waiters { codes += [waiter.id, waiter.commits ?? -1, waiter.request] }
    codes.append(state.waiting.checks)
    // Which evaluation is the first does not matter.
    for step in evaluations.keys.sorted().compactMap({ evaluations[$0] }) { codes += step.codes }
    for step in [fetch, screening] { codes += step?.codes ?? [-1] }
    var mixed: UInt64 = 0xCBF2_9CE4_8422_2325
    for code in codes {
      mixed = (mixed ^ UInt64(truncatingIfNeeded: code)) &* 0x9E37_79B9_7F4A_7C15 ^ (mixed >> 29)
    }
    return mixed
  }
}

extension SimulatedList.Contents {
  fileprivate var codes: [Int] { missing + [-1, request, end] }
}

extension SimulatedList.Step {
  fileprivate var codes: [Int] {
    switch self {
    case .beginTurn: [10]
    case .decide(let isDelivering): [11, isDelivering ? 1 : 0]
    case .lookAgain(let isDelivering): [12, isDelivering ? 1 : 0]
    case .sleep: [13]
    case .takeLock: [14]
    case .choose(let attempt): [15] + attempt.codes
    case .drain(let attempt, let fetching, let goal): [16, fetching ?? -1, goal] + attempt.codes
    case .read(let attempt, let fetching, let goal): [17, fetching ?? -1, goal] + attempt.codes
    case .publish(let attempt, let contents, let fetched): [18, fetched ?? -1] + contents.codes + attempt.codes
    case .fail(let attempt, _): [19] + attempt.codes
    case .handOver(let failure): [20, failure?.goal ?? -1]
    case .callBack(let failure): [21, failure?.goal ?? -1]
    case .deliver(let failure, let goal): [22, failure?.goal ?? -1, goal]
    case .failWaiters(let failure): [23, failure?.goal ?? -1]
    }
  }
}

extension SimulatedList.State.Attempt {
  fileprivate var codes: [Int] {
    let flags = [mustReplace(0), mustReplace(1), pending.isOfEverything, pending.reload != nil].map { $0 ? 1 : 0 }
    return pending.numbers + [-1, request, checks, goal ?? -1, failure?.request ?? -1, failure?.goal ?? -1] + flags
  }
}

extension SimulatedList.FetchStep {
  fileprivate var codes: [Int] {
    switch self {
    case .take: [30]
    case .read(let request, let goal): [31, request, goal]
    case .end(let contents, let goal, let fails): [32, goal, fails ? 1 : 0] + contents.codes
    case .handOver: [33]
    case .callBack: [34]
    case .deliver(let goal): [35, goal]
    case .schedule: [36]
    }
  }
}

extension SimulatedList.State.Phase {
  fileprivate var code: Int {
    switch self {
    case .stopped: 0
    case .fetchingFirst: 1
    case .following: 2
    case .fetchingAgain: 3
    }
  }
}
