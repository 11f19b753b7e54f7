/// A reader of a switching source, as a state machine that does nothing itself, but returns actions.
///
/// It reads the source that it follows one update at a time, and only while somebody waits. If the source has been
/// switched by then, the next update leads from the list that was read last to the list of the new source.
struct SwitchingState<Handler: Sendable>: Sendable {
  /// What the owner must do, without holding a lock.
  enum Action: Sendable {
    /// Ask the followed source for its next update, and report it with the number to ``received(_:hasEnded:)``.
    case fetch(number: Int)
    /// Let a waiter follow the current source and compare, and report ``resolved(_:)``.
    case follow(Handler)
    /// Give a waiter the fetched update, and report ``resolved(_:)``.
    case deliver(Handler)
    /// Tell a waiter that there are no further updates.
    case end(Handler)
  }

  private enum Phase: Sendable {
    case idle
    /// Waiting for the source's update with this number.
    case fetching(number: Int)
    /// A waiter is computing its update.
    case resolving
    /// The source has ended by itself; another one may be set.
    case dry
  }

  /// The number of switches that led to the source that is followed, and to the current one.
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

  /// A waiter asks for the next update.
  mutating func ask(_ handler: Handler) -> [Action] {
    waiters.append(handler)
    return advance()
  }

  /// The source was switched.
  mutating func sourceChanged(_ generation: Int) -> [Action] {
    wanted = max(wanted, generation)
    return advance()
  }

  /// The source has delivered the update with that number, or has ended.
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

  /// A waiter has its update, and the reader follows the source of that many switches.
  mutating func resolved(_ generation: Int? = nil) -> [Action] {
    guard case .resolving = phase else { return [] }
    phase = .idle
    if let generation {
      self.generation = generation
      wanted = max(wanted, generation)
    }
    return advance()
  }

  /// The reader has left, or the switching source has ended.
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
