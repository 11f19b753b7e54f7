import FetchedResultsSupport

/// A difference that is computed on first use and kept for all others: by composing several, or by the items' code.
final class LazyChanges: Sendable {
  private enum State: Sendable {
    case log(ChangesLog, followedBy: [LazyChanges])
    case finding(@Sendable () -> Changes)
    case known(Changes)
  }

  private let state: Locked<State>

  /// Successive differences as one.
  init(_ log: ChangesLog, followedBy others: [LazyChanges] = []) { state = Locked(.log(log, followedBy: others)) }

  /// A difference computed by a function, which may run the items' code.
  init(finding find: @escaping @Sendable () -> Changes) { state = Locked(.finding(find)) }

  /// The difference if it has been computed.
  var known: Changes? {
    state.withLock { state in
      if case .known(let changes) = state { changes } else { nil }
    }
  }

  /// The difference. It may run the items' code, so call it under no lock.
  var changes: Changes {
    let found: Changes
    switch state.withLock({ $0 }) {
    case .known(let changes): return changes
    case .finding(let find): found = find()
    case .log(var log, let others):
      for other in others { log.append(other.changes) }
      found = log.changes
    }
    // Several threads may have computed it. All receive the same one, even for items with inconsistent code.
    let (changes, before) = state.withLock { state in
      let before = state
      if case .known(let changes) = state { return (changes, before) }
      state = .known(found)
      return (found, before)
    }
    return withExtendedLifetime(before) { changes }  // it may hold the last references to items
  }
}

/// Successive differences, to be read as one. The last ones may not have been computed yet.
struct LazyChangesLog: Sendable {
  private var log = ChangesLog()
  private var rest: [LazyChanges] = []

  /// Appends the next difference.
  mutating func append(_ changes: Changes) {
    settle()
    if rest.isEmpty { log.append(changes) } else { rest.append(LazyChanges(ChangesLog(changes))) }
  }

  /// Appends the next difference, which may not have been computed yet.
  mutating func append(_ changes: LazyChanges) {
    settle()
    rest.append(changes)
  }

  /// Appends the differences of another log.
  mutating func append(_ other: LazyChangesLog) {
    settle()
    if rest.isEmpty {
      log.append(other.log)
      rest = other.rest
    } else {
      rest.append(other.changes)
    }
  }

  /// All of them as one.
  var changes: LazyChanges { LazyChanges(log, followedBy: rest) }

  /// Composes the differences that have been computed since.
  private mutating func settle() {
    while let changes = rest.first?.known {
      log.append(changes)
      rest.removeFirst()
    }
  }
}

/// Stretches of updates, arranged so that the sum from any of them to the last one consists of few pieces.
///
/// Each level contains the neighbours of the level below in pairs.
struct ComposedStretches: Sendable {
  private var levels: [[LazyChanges]] = [[]]

  /// Appends a stretch.
  ///
  /// Complexity: amortized O(1); nothing is composed yet.
  mutating func append(_ stretch: LazyChanges) {
    levels[0].append(stretch)
    var level = 0
    while levels[level].count.isMultiple(of: 2) {
      let count = levels[level].count
      let pair = LazyChanges(ChangesLog(), followedBy: [levels[level][count - 2], levels[level][count - 1]])
      level += 1
      if level == levels.count { levels.append([]) }
      levels[level].append(pair)
    }
  }

  /// The pieces that make up all stretches from one to the last, in order.
  ///
  /// Complexity: O(log n).
  func parts(from start: Int) -> [LazyChanges] {
    var (low, high, level) = (start, levels[0].count, 0)
    var first: [LazyChanges] = []
    var last: [LazyChanges] = []
    while low < high {
      if !low.isMultiple(of: 2) {
        first.append(levels[level][low])
        low += 1
      }
      if !high.isMultiple(of: 2) {
        high -= 1
        last.append(levels[level][high])
      }
      (low, high, level) = (low / 2, high / 2, level + 1)
    }
    return first + last.reversed()
  }
}
