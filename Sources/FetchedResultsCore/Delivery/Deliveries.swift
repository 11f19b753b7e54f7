import DataSources
import FetchedResultsSupport
import RowModel
import Synchronization

/// A change of a list or an error that waits to be delivered.
///
/// A reference, linked to the next one: the code that runs for every commit is compiled once for all entities, and an
/// array of values that depend on the entity's type would make it look that type up each time.
final class Delivery<E: Entity>: ReleasedLater, Sendable {
  enum Event: Sendable {
    /// The list changed. The delegate doesn't receive the update of a requested fetch.
    case update(Update<E>, isFetch: Bool)
    /// An error of following. After the last one, which says that the database was closed, the list's streams end.
    case error(any Error, isLast: Bool)
  }

  let event: Event
  /// The number of the update, or of the last one that was merged into it.
  // because it is set once, under the lock of the queue that this gets into
  nonisolated(unsafe) fileprivate(set) var number = 0
  // because it is set once, under the lock of the queue that this is in
  nonisolated(unsafe) fileprivate(set) var next: Delivery?

  init(_ event: Event) { self.event = event }

  /// This update and the next one as one update; nil if they can't be merged.
  fileprivate func merged(with later: Delivery) -> Delivery? {
    guard case .update(let first, let isFetch) = event, case .update(let second, isFetch) = later.event else {
      return nil
    }
    let both = Delivery(.update(first.followed(by: second), isFetch: isFetch))
    both.number = later.number
    return both
  }
}

private final class Observer: Sendable {
  let id: Int
  /// How many updates had been published before it was added. It doesn't receive those.
  let seen: Int
  /// Passes the update that is being delivered to the handler.
  let call: @Sendable () -> Void
  /// Whether the observer was removed, perhaps by one that was called before it.
  let hasEnded = Atomic<Bool>(false)

  init(id: Int, seen: Int, call: @escaping @Sendable () -> Void) {
    self.id = id
    self.seen = seen
    self.call = call
  }
}

/// Calls the delegate and the observing closures with every update: one at a time, in order, and under no lock.
final class Deliveries<E: Entity>: Sendable {
  typealias Handler = @Sendable (Update<E>) -> Void

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  private let broadcaster: UpdateBroadcaster<E>
  private let delivered = DeliveredUpdate<E>()

  /// A stream that receives errors.
  private struct ErrorReader {
    let id: Int
    let receive: @Sendable (_ error: any Error, _ isLast: Bool) -> Void
    let finish: @Sendable () -> Void
  }

  private struct State {
    var observers: [Observer] = []
    var errorReaders: [ErrorReader] = []
    /// Whether the last error was delivered.
    var hasEnded = false
    var nextID = 0
    weak var controller: FetchedResultsController<E>?
    /// Don't let a reference to it end under the lock: releasing the last one would run its `deinit` there, which may
    /// use the controller.
    weak var delegate: (any FetchedResultsControllerDelegate<E>)?
    /// Whether a delegate was set. It may have been released since.
    var hasDelegate = false
    /// How many updates had been published before it was set. It doesn't receive those.
    var seenByDelegate = 0
    /// How many updates have been published.
    var published = 0
    /// The list that is being published.
    var publishing: Snapshot<E>?
    /// How many updates had been published before the last observer or delegate was added.
    var lastSeen = 0
    var queue = DeliveryQueue<E>()
    /// Every event up to this number is in the queue or has been delivered.
    var goal = 0
    var isDelivering = false
  }

  init(_ broadcaster: UpdateBroadcaster<E>) { self.broadcaster = broadcaster }

  deinit {
    for reader in state.errorReaders { reader.finish() }
  }

  var controller: FetchedResultsController<E>? {
    get { lock.withLock { state.controller } }
    set { lock.withLock { state.controller = newValue } }
  }

  var delegate: (any FetchedResultsControllerDelegate<E>)? {
    get { lock.withLock { state.delegate } }
    set {
      let former = lock.withLock { () -> (any FetchedResultsControllerDelegate<E>)? in
        let former = state.delegate
        if former !== newValue { state.seenByDelegate = seen() }
        state.delegate = newValue
        state.hasDelegate = newValue != nil
        return former
      }
      withExtendedLifetime(former) {}
    }
  }

  /// Makes the list of an update the current one. An observer or delegate that is added later doesn't receive the
  /// update.
  func publish(_ update: Update<E>) {
    withExtendedLifetime(update) {
      lock.withLock { state.publishing = update.new }
      broadcaster.publish(update)
      lock.withLock {
        state.publishing = nil
        state.published += 1
      }
    }
  }

  /// How many updates the current list contains, for an observer or delegate that is added now. The caller holds the
  /// lock.
  private func seen() -> Int {
    // `publish` holds both lists until it gets the lock again, so no copy that ends here is the last one.
    let isPublished = state.publishing.map { $0.tree.isIdentical(to: broadcaster.snapshot.tree) } ?? false
    state.lastSeen = state.published + (isPublished ? 1 : 0)
    return state.lastSeen
  }

  func add(_ handler: @escaping Handler) -> Int {
    lock.withLock {
      state.nextID += 1
      let observer = Observer(id: state.nextID, seen: seen()) { [delivered] in delivered.pass(to: handler) }
      state.observers.append(observer)
      return state.nextID
    }
  }

  func remove(_ id: Int) {
    // Release what the closure holds outside the lock.
    let removed = lock.withLock {
      state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0) }
    }
    removed?.hasEnded.store(true, ordering: .releasing)
  }

  func errors() -> AsyncStream<any Error> {
    AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
      let reading = readErrors({ error, _ in continuation.yield(error) }, finish: { continuation.finish() })
      continuation.onTermination = { _ in reading.cancel() }
    }
  }

  /// The updates from now on, and the first error. `last` is an error whose cause lasts.
  func throwingUpdates(after last: (any Error)?) -> AsyncThrowingStream<Update<E>, any Error> {
    let reader = ThrowingReader(broadcaster.follow())
    if let last { reader.fail(last) }
    // When the database is closed, the updates just end.
    let reading = readErrors({ [weak reader] error, isLast in if !isLast { reader?.fail(error) } }, finish: {})
    return AsyncThrowingStream {
      defer { withExtendedLifetime(reading) {} }
      return try await reader.next()
    }
  }

  private func readErrors(
    _ receive: @escaping @Sendable (any Error, Bool) -> Void, finish: @escaping @Sendable () -> Void
  ) -> ObservationToken {
    let id = lock.withLock { () -> Int? in
      if state.hasEnded { return nil }
      state.nextID += 1
      state.errorReaders.append(ErrorReader(id: state.nextID, receive: receive, finish: finish))
      return state.nextID
    }
    if id == nil { finish() }
    return ObservationToken { [weak self] in self?.removeErrorReader(id) }
  }

  private func removeErrorReader(_ id: Int?) {
    // Release what the closures hold outside the lock.
    let removed = lock.withLock {
      state.errorReaders.firstIndex { $0.id == id }.map { state.errorReaders.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }

  /// Whether a stream of errors is being read.
  var hasErrorReaders: Bool { lock.withLock { !state.errorReaders.isEmpty } }

  /// Appends a delivery to the queue, unless nobody receives it, and records that everything up to `goal` is there.
  /// `delivery` may be nil. Callers must add deliveries in order, and each update before they publish the next one.
  /// Returns whether somebody receives it.
  @discardableResult
  func add(_ delivery: Delivery<E>?, upTo goal: Int) -> Bool {
    // Release the delivery that was merged outside the lock, together with the rows that only it held.
    var isReceived = false
    let merged = lock.withLock { () -> Delivery<E>? in
      state.goal = max(state.goal, goal)
      guard let delivery else { return nil }
      isReceived = hasReceivers(for: delivery)
      var isLast = false
      if case .error(_, isLast: true) = delivery.event { isLast = true }
      guard isReceived || isLast else { return nil }
      delivery.number = state.published
      // An observer that was added between two updates receives only the second one.
      if state.queue.count >= Self.mostSingly, let last = state.queue.last, last.number > state.lastSeen,
        let both = last.merged(with: delivery)
      {
        state.queue.replaceLast(with: both)
        return last
      }
      state.queue.append(delivery)
      return nil
    }
    withExtendedLifetime(merged) {}
    return isReceived
  }

  /// How many updates wait one by one for slow observers before they are merged.
  private static var mostSingly: Int { 64 }

  /// The caller holds the lock.
  private func hasReceivers(for delivery: Delivery<E>) -> Bool {
    switch delivery.event {
    case .update: !state.observers.isEmpty || state.hasDelegate
    case .error: !state.errorReaders.isEmpty || state.hasDelegate
    }
  }

  /// Whether a thread is delivering.
  var isBusy: Bool { lock.withLock { state.isDelivering } }

  /// Whether a delivery waits in the queue.
  var hasAny: Bool { count > 0 }

  /// How many deliveries wait in the queue.
  var count: Int { lock.withLock { state.queue.count } }

  /// Makes the caller the delivering thread. Returns false if another thread is delivering; that one will also deliver
  /// what was added.
  func begin() -> Bool {
    lock.withLock {
      if state.isDelivering { return false }
      state.isDelivering = true
      return true
    }
  }

  /// Delivers everything, and returns the number up to which everything has been delivered. Call ``begin()`` first.
  func deliver() -> Int {
    var goal = 0
    while let delivery = next(&goal) { deliver(delivery) }
    return goal
  }

  /// Delivers at most `count` of what waits. Returns nil if more wait by then: another thread must continue, without
  /// calling ``begin()``.
  func deliver(atMost count: Int) -> Int? {
    var goal = 0
    for _ in 0..<count {
      guard let delivery = next(&goal) else { return goal }
      deliver(delivery)
    }
    return lock.withLock {
      guard state.queue.isEmpty else { return nil }
      state.isDelivering = false
      return state.goal
    }
  }

  /// Takes the next delivery from the queue. If the queue is empty, ends the delivering and sets the goal.
  private func next(_ goal: inout Int) -> Delivery<E>? {
    lock.withLock {
      if let delivery = state.queue.removeFirst() { return delivery }
      state.isDelivering = false
      goal = state.goal
      return nil
    }
  }

  /// Delivers an update or an error. The references it takes out of the state are released when it returns, so not
  /// under the lock: releasing one may run code that uses this object.
  private func deliver(_ delivery: Delivery<E>) {
    let (observers, readers) = lock.withLock { (state.observers, state.errorReaders) }
    let (delegate, controller, seen) = lock.withLock { (state.delegate, state.controller, state.seenByDelegate) }
    switch delivery.event {
    case .update(let update, let isFetch):
      if !observers.isEmpty {
        delivered.update = update
        for observer in observers
        where observer.seen < delivery.number && !observer.hasEnded.load(ordering: .acquiring) { observer.call() }
        delivered.update = nil
      }
      if let delegate, let controller, !isFetch, seen < delivery.number { delegate.tell(update, of: controller) }
    case .error(let error, let isLast):
      for reader in readers { reader.receive(error, isLast) }
      if let delegate, let controller { delegate.controller(controller, didFailWith: error) }
      guard isLast else { return }
      lock.withLock { state.hasEnded = true }
      for reader in lock.withLock({ state.errorReaders }) { reader.finish() }
      broadcaster.finish()
    }
  }
}

/// The update that is being delivered. Observers find it here, so that they need not know the type of its rows.
private final class DeliveredUpdate<E: Entity>: Sendable {
  // because only the delivering thread uses it, and one thread delivers at a time
  nonisolated(unsafe) var update: Update<E>?

  func pass(to handler: Deliveries<E>.Handler) { if let update { handler(update) } }
}

/// What waits to be delivered, in order.
private struct DeliveryQueue<E: Entity> {
  private(set) var count = 0
  private var first: Delivery<E>?
  private(set) var last: Delivery<E>?
  /// The one before the last.
  private var previous: Delivery<E>?

  var isEmpty: Bool { count == 0 }

  mutating func append(_ delivery: Delivery<E>) {
    if let last { last.next = delivery } else { first = delivery }
    previous = last
    last = delivery
    count += 1
  }

  mutating func replaceLast(with delivery: Delivery<E>) {
    if let previous { previous.next = delivery } else { first = delivery }
    last = delivery
  }

  mutating func removeFirst() -> Delivery<E>? {
    guard let delivery = first else { return nil }
    first = delivery.next
    delivery.next = nil
    count -= 1
    if previous === delivery { previous = nil }
    if count == 0 { last = nil }
    return delivery
  }
}
