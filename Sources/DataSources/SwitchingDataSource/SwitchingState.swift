/// A reader of a switching source: a state machine that does nothing itself, but returns what is to be done.
///
/// It reads the source that it follows one update at a time, and only while somebody waits. When the source is another one by
/// then, the next update leads from the list that was read last to the other source's.
struct SwitchingState<Handler: Sendable>: Sendable {
  /// What the owner must do, once it holds no lock.
  enum Action: Sendable {
    /// Ask the source that is followed for its next update, and report ``received(_:)`` with the number.
    case fetch(number: Int)
    /// Let a waiter follow the source of the moment and compare, and report ``resolved(_:)``.
    case follow(Handler)
    /// Let a waiter have what was fetched, and report ``resolved(_:)``.
    case deliver(Handler)
    /// Tell a waiter that nothing more comes.
    case end(Handler)
  }

  private enum Phase: Sendable {
    case idle
    /// Waiting for the source's update of this number.
    case fetching(number: Int)
    /// A waiter is finding its update.
    case resolving
    /// The source has ended by itself; another one may come.
    case dry
  }

  /// The number of switches that led to the source that is followed, and to the one that should be.
  private var generation: Int
  private var wanted: Int
  private var phase = Phase.idle
  private var waiters: [Handler] = []
  private var numberOfFetches = 0
  private var isFinished = false

  init(generation: Int) {
    self.generation = generation
    wanted = generation
  }

  /// Somebody waits for the next update.
  mutating func ask(_ handler: Handler) -> [Action] {
    waiters.append(handler)
    return advance()
  }

  /// The source is another one.
  mutating func sourceChanged(_ generation: Int) -> [Action] {
    wanted = max(wanted, generation)
    return advance()
  }

  /// The source has an update of that number, or has ended.
  mutating func received(_ number: Int, hasEnded: Bool) -> [Action] {
    guard case .fetching(number) = phase else { return [] }
    if hasEnded {
      phase = .dry
      return advance()
    }
    guard !waiters.isEmpty else { return [] }
    phase = .resolving
    return [.deliver(waiters.removeFirst())]
  }

  /// A waiter has found its update, and the reader follows the source of that many switches.
  mutating func resolved(_ generation: Int? = nil) -> [Action] {
    guard case .resolving = phase else { return [] }
    phase = .idle
    if let generation {
      self.generation = generation
      wanted = max(wanted, generation)
    }
    return advance()
  }

  /// Nobody reads any more, or the switching source has ended.
  mutating func finish() -> [Action] {
    isFinished = true
    return advance()
  }

  private mutating func advance() -> [Action] {
    if isFinished {
      defer { waiters = [] }
      return waiters.map { .end($0) }
    }
    guard let first = waiters.first else { return [] }
    if case .resolving = phase { return [] }
    if generation != wanted {
      phase = .resolving
      waiters.removeFirst()
      return [.follow(first)]
    }
    guard case .idle = phase else { return [] }
    numberOfFetches += 1
    phase = .fetching(number: numberOfFetches)
    return [.fetch(number: numberOfFetches)]
  }
}
