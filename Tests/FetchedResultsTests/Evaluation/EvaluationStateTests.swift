import DataSourcesTestSupport
import FetchedResults
import TestSupport
import Testing

@testable import FetchedResultsCore

/// The decisions about one list alone: no thread, no lock, no database, and a clock that the test moves.
@Suite(.timeLimit(.minutes(10))) struct EvaluationStateTests {
  typealias Budget = SimulatedList.Budget
  typealias State = SimulatedList.State

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var commits = 0, everything = 0, requests = 0, fetches = 1, stops = 0, waiters = 0, faults = 0, screens = 0
    var postponements = 0

    var budget: Budget {
      Budget(
        commits: commits, everything: everything, requests: requests, fetches: fetches, stops: stops,
        waiters: waiters, faults: faults, screens: screens, postponements: postponements)
    }
  }

  // MARK: All orders of events

  private struct Node {
    let list: SimulatedList
    let parent: Int
    let move: SimulatedList.Move?
  }

  @Test(
    arguments: [
      Case(testDescription: "commits and waiters", commits: 2, waiters: 2),
      Case(testDescription: "faults", commits: 1, waiters: 1, faults: 2),
      Case(testDescription: "requests", commits: 1, requests: 2, waiters: 1),
      Case(testDescription: "a schema that changes", everything: 2, requests: 1, waiters: 1),
      Case(testDescription: "stops and fetches", commits: 1, requests: 1, fetches: 2, stops: 1, waiters: 1),
      Case(testDescription: "fetches that fail", commits: 2, fetches: 2, stops: 1, faults: 1),
      Case(testDescription: "screening", commits: 2, waiters: 1, screens: 1),
      Case(testDescription: "slow threads", commits: 1, requests: 1, waiters: 1, postponements: 1),
    ])
  func `no order of events loses a commit, a waiter or a wake-up`(example: Case) {
    let mostStates = Seeds.soak == nil ? 6000 : 200_000
    var nodes = [Node(list: SimulatedList(example.budget), parent: -1, move: nil)]
    var seen: Set<UInt64> = [nodes[0].list.fingerprint]
    var next = 0
    while next < nodes.count, nodes.count < mostStates {
      let list = nodes[next].list
      for move in list.moves {
        var copy = list
        copy.make(move)
        let isNew = seen.insert(copy.fingerprint).inserted
        if copy.problem == nil, isNew, nodes.count.isMultiple(of: 4) { copy.problem = copy.problemAtRest() }
        if isNew || copy.problem != nil { nodes.append(Node(list: copy, parent: next, move: move)) }
        if let problem = copy.problem {
          Issue.record("\(problem), after \(Self.path(to: nodes.count - 1, in: nodes))")
          return
        }
      }
      next += 1
    }
    // Make sure that something was tried.
    #expect(nodes.count > 1000 && nodes.contains { $0.list.delivered.end > 0 })
  }

  private static func path(to last: Int, in nodes: [Node]) -> [SimulatedList.Move] {
    var moves: [SimulatedList.Move] = []
    var index = last
    while index > 0 {
      if let move = nodes[index].move { moves.append(move) }
      index = nodes[index].parent
    }
    return moves.reversed()
  }

  // MARK: Long schedules

  @Test(arguments: Seeds.range(400)) func `no long random schedule loses a commit, a waiter or a wake-up`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var list = SimulatedList(
      Budget(
        commits: 60, everything: random.pick(0, 2, 6, 30), requests: random.below(12), fetches: 3 + random.below(6),
        stops: random.below(4), waiters: 20, faults: random.below(10), screens: 20, postponements: 5))
    // Some schedules are crowded, in others the list is often idle.
    let patience = 1 + random.below(6)
    // In some, timers are hardly slower than threads.
    let slowness = random.pick(1, 2, 8)
    var moves: [SimulatedList.Move] = [.fetch]
    list.make(.fetch)
    while moves.count < 600, list.problem == nil {
      let own = list.ownMoves
      let move: SimulatedList.Move
      if !own.isEmpty, !random.once(in: patience) {
        // Timers wait longer than threads.
        let quick = own.filter { if case .rest = $0 { false } else if case .retry = $0 { false } else { true } }
        move = random.pick(quick.isEmpty || random.once(in: slowness) ? own : quick)
      } else if let other = Self.pick(list.moves, &random) {
        move = other
      } else {
        break
      }
      moves.append(move)
      list.make(move)
      if list.problem == nil, random.once(in: 12) { list.problem = list.problemAtRest() }
    }
    if list.problem == nil { list.problem = list.problemAtRest() }
    if let problem = list.problem {
      Issue.record("\(problem), after \(moves.count) steps: \(moves.suffix(30)); \(Seeds.hint(seed))")
    }
    #expect(moves.count > 100, "\(Seeds.hint(seed))")
  }

  private static func pick(
    _ moves: [SimulatedList.Move], _ random: inout SeededGenerator
  ) -> SimulatedList.Move? {
    let choices = moves.filter { move in
      switch move {
      case .stop, .cancel, .failFetch: random.once(in: 10)
      default: true
      }
    }
    return choices.isEmpty ? nil : random.pick(choices)
  }

  // MARK: Single rules

  struct Problem: Error {}

  /// A list that has been fetched.
  private static func following() -> State {
    var state = State(request: 0)
    state.fetchBegan()
    _ = state.fetchSucceeded(0, upTo: 0)
    return state
  }

  private static func commit(_ state: inout State) {
    _ = state.committed(isOfEverything: false, at: 0) { $0.numbers.append(1) }
  }

  @Test(arguments: Seeds.range(30)) func `callers are resumed for what they wait for, whichever others have left`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var callers = WaitingCallers<Int>()
    var model: [(id: Int, check: Int, goal: Int?)] = []
    var goal = 0
    // In some schedules nothing is delivered for long.
    let rarity = random.pick(1, 1, 100)
    for _ in 0..<600 {
      switch random.below(9) {
      case 0, 1, 2:
        let id = callers.newID()
        callers.add(id, id: id)
        model.append((id: id, check: 0, goal: nil))
      case 3, 4, 5:
        let unchecked = model.indices.filter { model[$0].goal == nil }
        if unchecked.isEmpty { continue }
        let place = random.pick(unchecked)
        goal += random.below(2)
        callers.check(model[place].id, goal: goal)
        model[place].check = callers.checks
        model[place].goal = goal
      case 6:
        let checks = callers.checks - random.below(4)
        let later = model.indices.filter { model[$0].goal != nil && model[$0].check > checks }
        #expect(callers.hasChecked(after: checks) == !later.isEmpty, "\(Seeds.hint(seed))")
        goal += 1
        callers.delay(checkedAfter: checks, until: goal)
        for place in later { model[place].goal = goal }
      case 7:
        let id = 1 + random.below(callers.newID())
        let waiter = callers.remove(id)
        #expect((waiter == id) == model.contains { $0.id == id }, "\(Seeds.hint(seed))")
        model.removeAll { $0.id == id }
      default:
        if !random.once(in: rarity) { continue }
        let end = goal - random.below(4)
        let checks = random.once(in: 3) ? callers.checks - random.below(4) : Int.max
        let expected = model.filter { ($0.goal ?? .max) <= end && $0.check <= checks }.map { $0.id }
        let removed = callers.remove(upTo: end, checks: checks)
        #expect(Set(removed) == Set(expected) && removed.count == expected.count, "\(Seeds.hint(seed))")
        model.removeAll { expected.contains($0.id) }
      }
      #expect(callers.count == model.count && model.allSatisfy { callers.contains($0.id) }, "\(Seeds.hint(seed))")
    }
  }

  @Test func `a commit during an evaluation is evaluated after it`() {
    var state = Self.following()
    Self.commit(&state)
    #expect(state.evaluationWanted(at: 0).schedulesEvaluation)
    #expect(state.evaluationContinues(isDelivering: false, at: 0) == .evaluate)
    var attempt = state.evaluationBegan()
    state.drain(into: &attempt)
    Self.commit(&state)
    #expect(!state.evaluationWanted(at: 0).schedulesEvaluation)
    #expect(state.evaluated(attempt, fetched: nil).goal == 1)
    #expect(state.evaluationContinues(isDelivering: false, at: 0) == .evaluate)
  }

  @Test func `the pauses between retries double up to ten seconds`() {
    var state = Self.following()
    Self.commit(&state)
    var pauses: [UInt64] = []
    for _ in 0..<10 {
      _ = state.evaluationWanted(at: 0)
      var attempt = state.evaluationBegan()
      state.drain(into: &attempt)
      let ended = state.evaluationFailed(attempt, Problem(), .passing, isRepeated: false)
      pauses.append(ended.retryPause ?? 0)
      _ = state.evaluationContinues(isDelivering: false, at: 0)
      #expect(state.retryDue(at: 0).schedulesEvaluation)
    }
    #expect(pauses.map { $0 / 1_000_000 } == [50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  }

  @Test func `a commit that comes while a request is failing lets it be fetched again`() {
    var state = Self.following()
    _ = state.requestChanged(to: 1)
    var attempt = state.evaluationBegan()
    state.drain(into: &attempt)
    attempt.requestFailed(
      .init(request: 1, error: Problem(), kind: .unclear, isOfRows: false, goal: 1, isRepeated: false))
    _ = state.evaluated(attempt, fetched: nil)
    #expect(state.lastError is Problem)
    Self.commit(&state)
    attempt = state.evaluationBegan()
    _ = state.committed(isOfEverything: true, at: 0) { $0.isOfEverything = true }
    #expect(!attempt.mustReplace(0))
    state.drain(into: &attempt)
    #expect(attempt.mustReplace(0))
  }

  @Test func `the error of a request outlasts a whole query of the list that is shown instead`() {
    var state = Self.following()
    _ = state.requestChanged(to: 1)
    var attempt = state.evaluationBegan()
    state.drain(into: &attempt)
    attempt.requestFailed(
      .init(request: 1, error: Problem(), kind: .unclear, isOfRows: false, goal: 1, isRepeated: false))
    _ = state.evaluated(attempt, fetched: nil)
    _ = state.committed(isOfEverything: true, at: 0) { $0.isOfEverything = true }
    attempt = state.evaluationBegan()
    state.drain(into: &attempt)
    // This commit may make the request valid.
    _ = state.committed(isOfEverything: true, at: 0) { $0.isOfEverything = true }
    _ = state.evaluated(attempt, fetched: 0)
    #expect(state.lastError is Problem)
    // Once the list of another request is shown, the error is gone.
    _ = state.requestChanged(to: 2)
    attempt = state.evaluationBegan()
    state.drain(into: &attempt)
    _ = state.evaluated(attempt, fetched: 2)
    #expect(state.lastError == nil)
  }

  @Test func `a whole query that has failed rests for eight times as long as it took`() {
    var state = Self.following()
    Self.commit(&state)
    _ = state.evaluationWanted(at: 1000)
    var attempt = state.evaluationBegan()
    state.drain(into: &attempt)
    state.wholeQueryFailed(after: 100, at: 1000)
    _ = state.evaluationFailed(attempt, Problem(), .lasting, isRepeated: false)
    let actions = state.committed(isOfEverything: false, at: 1100) { $0.numbers.append(2) }
    #expect(actions == .init(restPause: 700))
    #expect(state.evaluationContinues(isDelivering: false, at: 1100) == .end(.init()))
    #expect(state.restEnded(at: 1800).schedulesEvaluation)
  }
}
