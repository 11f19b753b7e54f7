import FeedTestSupport
import FetchedResultsSupport
import LiveFeeds

/// A transport whose answers a test writes.
final class ScriptedTransport: FeedTransport {
  enum Answer: Sendable {
    case fails(FeedError)
    /// Parts of an answer that then ends.
    case ends([String])
    /// Parts of an answer that then stays open.
    case stays([String])
    /// Nothing ever comes, not even the beginning of an answer.
    case hangs
  }

  private let answers: Locked<[Answer]>
  private let last: Answer
  let requests = Locked<[FeedRequest]>([])

  /// - Parameter last: What follows when there are no other answers.
  init(_ answers: [Answer], then last: Answer) { (self.answers, self.last) = (Locked(answers), last) }

  func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
    requests.withLock { $0.append(request) }
    let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? last
    switch answer {
    case .fails(let error): throw error
    case .hangs:
      while true { try await Task.sleep(for: .seconds(1000)) }
    case .ends(let parts), .stays(let parts):
      return AsyncThrowingStream { reader in
        for part in parts { reader.yield(Array(part.utf8)) }
        if case .ends = answer { reader.finish() }
      }
    }
  }
}

/// A clock that a test drives.
final class DrivenClock: Clock {
  struct Instant: InstantProtocol {
    var time: Duration
    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.time < rhs.time }
  }

  private struct Sleeper: Sendable {
    var end: Instant
    var span: Duration
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State: Sendable {
    var now = Instant(time: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var number = 0
  }

  private let state = Locked(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until end: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if Task.isCancelled || end <= state.now { return true }
          let span = state.now.duration(to: end)
          state.sleepers[number] = Sleeper(end: end, span: span, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Waits until somebody sleeps for less than a limit, moves the time to the end of that sleep, and returns how long
  /// it was.
  func passNextSleep(shorterThan limit: Duration = .seconds(5000)) async throws -> Duration {
    let patience = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < patience {
      let sleeper = state.withLock { state -> Sleeper? in
        guard
          let (number, sleeper) = state.sleepers.filter({ $0.value.span < limit }).min(by: {
            $0.value.end < $1.value.end
          })
        else { return nil }
        state.sleepers[number] = nil
        state.now = max(state.now, sleeper.end)
        return sleeper
      }
      if let sleeper {
        sleeper.continuation.resume()
        return sleeper.span
      }
      try await Task.sleep(for: .microseconds(200))
    }
    throw TookTooLong()
  }
}
