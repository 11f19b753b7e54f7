/// A list with any number of readers, as a state machine that does nothing itself, but returns actions.
///
/// One lock protects all of it. The list and its updates change in one step, so that every reader sees a chain of
/// updates.
///
/// A reader either has all updates or is behind. What readers have missed is kept once for all of them. The updates
/// since the first of them stopped are divided into stretches at the positions of the readers, and a change is recorded
/// in the last stretch only. So the cost of publishing depends only on the readers that wait for it, and a stalled
/// reader costs nothing more, however long it stalls. The stretches before the last one are in a ``ComposedStretches``:
/// a reader that continues finds their sum in a few pieces that all readers share.
///
/// `Waiter` represents a waiting reader: a callback, or in tests a name.
struct BroadcastState<Item: Sendable, Waiter: Sendable>: Sendable {
  /// What the owner must do, without holding a lock.
  enum Action: Sendable {
    /// Wake a reader with an update, or with nil if there are no further ones.
    case resume(Waiter, with: PendingUpdate<Item>?)
  }

  private struct Reader: Sendable {
    /// The number of updates that it has received, or that came before it joined.
    var position: Int
    /// The waiters for the next update: more than one if tasks share a stream.
    var waiters: [Waiter] = []
  }

  /// The updates between two positions of readers.
  private struct Stretch: Sendable {
    let start: Int
    /// The list at its start; nil if no reader is there any more.
    var old: Snapshot<Item>?
    /// The changes of the updates; empty if they are found by comparing lists.
    var log = LazyChangesLog()
    /// The number of readers at its start.
    var readers: Int
  }

  /// The current list.
  private(set) var snapshot: Snapshot<Item>
  private let keepsChanges: Bool
  /// The number of updates so far.
  private var position = 0
  private var isFinished = false
  private var readers: [Int: Reader] = [:]
  private var nextReader = 0
  /// The waiting readers.
  private var asking: Set<Int> = []
  /// The number of readers that are up to date and do not wait.
  private var resting = 0
  /// The updates that readers have missed, in order. Stretches without readers stay until ``compact()``.
  private var stretches: [Stretch] = []
  /// The number of stretches that have readers.
  private var stretchesWithReaders = 0
  /// All stretches but the last, if changes are kept.
  private var composed = ComposedStretches()
  /// The last stretch in its current form, once somebody has read it.
  private var lastComposed: LazyChanges?

  init(_ snapshot: Snapshot<Item>, keepsChanges: Bool) {
    self.snapshot = snapshot
    self.keepsChanges = keepsChanges
  }

  /// The number of readers that have not left.
  var numberOfReaders: Int { readers.count }

  /// Adds a reader, and returns it with the list from which its first update starts.
  mutating func join() -> (reader: Int, snapshot: Snapshot<Item>) {
    defer { nextReader += 1 }
    readers[nextReader] = Reader(position: position)
    resting += 1
    return (nextReader, snapshot)
  }

  /// Changes the list if there are no readers. If there are readers, it returns false and does nothing.
  mutating func publishToNobody(_ update: PendingUpdate<Item>) -> Bool {
    guard readers.isEmpty else { return false }
    snapshot = update.new
    return true
  }

  mutating func publish(_ update: Update<Item>) -> [Action] { publish(PendingUpdate(update)) }

  /// Changes the list. An update that is known to be empty wakes no reader.
  ///
  /// Waiting readers are resumed in the order in which they joined.
  ///
  /// Complexity: O(w log w) for w waiting readers; for k changes amortized O(k log k) more if they are kept.
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

  /// A reader asks for its next update.
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

  /// A reader leaves. The updates that waited for it are dropped, and returned so that they can be released outside the
  /// lock: releasing the last reference to a list releases its items, whose own code may then run.
  mutating func leave(_ id: Int) -> (actions: [Action], remains: PendingUpdate<Item>?) {
    guard let reader = readers.removeValue(forKey: id) else { return ([], nil) }
    if reader.position < position { return ([], takeStretches(from: reader.position)) }
    if asking.remove(id) == nil { resting -= 1 }
    return (reader.waiters.map { .resume($0, with: nil) }, nil)
  }

  /// Ends the broadcast. Updates that wait for a reader are still delivered.
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

  /// Joins stretches without readers to those before them, once they are the majority. So it is done once for many.
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
