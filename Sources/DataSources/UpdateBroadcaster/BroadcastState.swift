/// A list that is followed by any number of readers: a state machine that does nothing itself, but says what is to be done.
///
/// It is all that a lock protects. The list and its updates change in one step, so that every reader sees a chain.
///
/// A reader is either at the end, having all updates, or behind. What readers are behind by is kept once for all of them: the
/// updates since the first of them stopped are cut into stretches at the places where some reader stands, and a change is
/// noted in the last stretch only. So publishing takes the time of those who wait for it, and a reader that stalls costs
/// nothing more, however long. The stretches before the last one are in a ``ComposedStretches``, so that a reader who reads on
/// finds the sum of them in a few pieces that all readers share.
///
/// `Waiter` stands for a reader that waits: a callback, or in tests a name.
struct BroadcastState<Item: Sendable, Waiter: Sendable>: Sendable {
  /// What the owner must do, once it holds no lock.
  enum Action: Sendable {
    /// Wake a reader with an update, or with nil: there will be none.
    case resume(Waiter, with: PendingUpdate<Item>?)
  }

  private struct Reader: Sendable {
    /// The number of updates that it has had, or has been there for.
    var position: Int
    /// Who waits for the next update: more than one where a stream is shared by tasks.
    var waiters: [Waiter] = []
  }

  /// The updates between two places at which readers stand.
  private struct Stretch: Sendable {
    let start: Int
    /// The list at its start; nil when no reader is there any more.
    var old: Snapshot<Item>?
    /// What the updates did; empty where they are to be found by comparing.
    var log = LazyChangesLog()
    /// The number of readers at its start.
    var readers: Int
  }

  /// The list as it is now.
  private(set) var snapshot: Snapshot<Item>
  private let keepsChanges: Bool
  /// The number of updates so far.
  private var position = 0
  private var isFinished = false
  private var readers: [Int: Reader] = [:]
  private var nextReader = 0
  /// The readers that wait.
  private var asking: Set<Int> = []
  /// The number of readers at the end that do not wait.
  private var resting = 0
  /// What readers are behind by, in order. Those without readers wait there for ``compact()``.
  private var stretches: [Stretch] = []
  /// The number of stretches that have readers.
  private var stretchesWithReaders = 0
  /// All stretches but the last, where changes are kept.
  private var composed = ComposedStretches()
  /// The last stretch as it is at the moment, once somebody has read it.
  private var lastComposed: LazyChanges?

  init(_ snapshot: Snapshot<Item>, keepsChanges: Bool) {
    self.snapshot = snapshot
    self.keepsChanges = keepsChanges
  }

  /// The number of readers that have not left.
  var numberOfReaders: Int { readers.count }

  /// A new reader, and the list that its first update starts from.
  mutating func join() -> (reader: Int, snapshot: Snapshot<Item>) {
    defer { nextReader += 1 }
    readers[nextReader] = Reader(position: position)
    resting += 1
    return (nextReader, snapshot)
  }

  /// The list changed, and nobody has to be told; false, and nothing done, where there are readers.
  mutating func publishToNobody(_ update: PendingUpdate<Item>) -> Bool {
    guard readers.isEmpty else { return false }
    snapshot = update.new
    return true
  }

  mutating func publish(_ update: Update<Item>) -> [Action] { publish(PendingUpdate(update)) }

  /// The list changed. An update that is known to be empty wakes nobody.
  ///
  /// Readers that wait are resumed in the order in which they joined.
  ///
  /// Complexity: O(w log w) for w readers that wait; for k changes amortized O(k log k) more where they are kept.
  mutating func publish(_ update: PendingUpdate<Item>) -> [Action] {
    snapshot = update.new
    guard !update.isKnownToBeEmpty, !isFinished else { return [] }
    if resting > 0 {
      if keepsChanges, let last = stretches.last { composed.append(lastComposed ?? last.log.changes) }
      stretches.append(Stretch(start: position, old: update.old, readers: resting))
      stretchesWithReaders += 1
      lastComposed = nil
      resting = 0
    }
    if !stretches.isEmpty { note(update) }
    position += 1
    var actions: [Action] = []
    for id in asking.sorted() {
      guard var reader = readers.removeValue(forKey: id) else { continue }
      actions.append(.resume(reader.waiters.removeFirst(), with: update))
      reader.position = position
      if reader.waiters.isEmpty {
        asking.remove(id)
        resting += 1
      }
      readers[id] = reader
    }
    return actions
  }

  /// A reader wants its next update.
  mutating func ask(_ id: Int, _ waiter: Waiter) -> Action? {
    guard var reader = readers.removeValue(forKey: id) else { return .resume(waiter, with: nil) }
    defer { readers[id] = reader }
    if reader.position < position {
      let pending = takeStretches(from: reader.position)
      reader.position = position
      resting += 1
      return .resume(waiter, with: pending)
    }
    if isFinished { return .resume(waiter, with: nil) }
    if reader.waiters.isEmpty {
      asking.insert(id)
      resting -= 1
    }
    reader.waiters.append(waiter)
    return nil
  }

  /// A reader wants no more. What waited for it is dropped, and returned so that it can be released outside the lock: with
  /// the last reference to a list go its items, whose own code may then run.
  mutating func leave(_ id: Int) -> (actions: [Action], remains: PendingUpdate<Item>?) {
    guard let reader = readers.removeValue(forKey: id) else { return ([], nil) }
    if reader.position < position { return ([], takeStretches(from: reader.position)) }
    if asking.remove(id) == nil { resting -= 1 }
    return (reader.waiters.map { .resume($0, with: nil) }, nil)
  }

  /// There will be no more changes. What waits for a reader is still handed out.
  mutating func finish() -> [Action] {
    isFinished = true
    var actions: [Action] = []
    for id in asking.sorted() {
      actions += (readers[id]?.waiters ?? []).map { .resume($0, with: nil) }
      readers[id]?.waiters = []
    }
    resting += asking.count
    asking = []
    return actions
  }

  private mutating func note(_ update: PendingUpdate<Item>) {
    let last = stretches.count - 1
    lastComposed = nil
    if keepsChanges || stretches[last].start == position {
      update.note(in: &stretches[last].log)
    } else {
      stretches[last].log = LazyChangesLog()
    }
  }

  /// All updates since a position, for a reader that leaves the position.
  ///
  /// Complexity: O(log n) for n stretches, amortized.
  private mutating func takeStretches(from start: Int) -> PendingUpdate<Item>? {
    let index = stretches.partitioningIndex { $0.start >= start }
    guard index < stretches.count, stretches[index].start == start, let old = stretches[index].old else { return nil }
    let pending = PendingUpdate(old: old, new: snapshot, count: position - start, parts: parts(from: index))
    stretches[index].readers -= 1
    if stretches[index].readers == 0 {
      stretches[index].old = nil  // `pending` holds it until the lock is free
      stretchesWithReaders -= 1
      compact()
    }
    return pending
  }

  private mutating func parts(from index: Int) -> [LazyChanges] {
    guard keepsChanges || index == stretches.count - 1 else { return [] }
    let last = lastComposed ?? stretches[stretches.count - 1].log.changes
    lastComposed = last
    return keepsChanges ? composed.parts(from: index) + [last] : [last]
  }

  /// Joins stretches without readers to those before them, once there are more than others. So that is done once for many.
  private mutating func compact() {
    if stretchesWithReaders == 0 {
      stretches = []
      composed = ComposedStretches()
      lastComposed = nil
      return
    }
    let unused = stretches.count - stretchesWithReaders
    guard unused > 16, unused > stretchesWithReaders else { return }
    var joined: [Stretch] = []
    for stretch in stretches where stretch.readers > 0 || !joined.isEmpty {
      if stretch.readers > 0 {
        joined.append(stretch)
      } else if keepsChanges {
        joined[joined.count - 1].log.append(stretch.log)
      }
    }
    stretches = joined
    lastComposed = nil
    composed = ComposedStretches()
    if keepsChanges { for stretch in joined.dropLast() { composed.append(stretch.log.changes) } }
  }
}
