import DataSources
import FetchedResultsSupport
import SQLiteStore
import Synchronization

/// An update that waits to be delivered, and whether it came from a requested fetch. The delegate doesn't receive
/// those.
///
/// A reference: the code that runs for every commit handles no type that depends on the entity's. Such code is compiled
/// once for all entities, and would look the type up each time.
final class Delivery<E: Entity>: Sendable {
  let update: Update<E>
  let isFetch: Bool

  init(_ update: Update<E>, isFetch: Bool) {
    self.update = update
    self.isFetch = isFetch
  }
}

/// An event to deliver.
enum DeliveryEvent: Sendable {
  /// The list changed: a `Delivery` of the entity.
  case update(any AnyObject & Sendable)
  case error(any Error)
}

private final class Observer: Sendable {
  let id: Int
  /// Takes a `Delivery`.
  let call: @Sendable (AnyObject) -> Void
  /// Whether the observer was removed, perhaps by one that was called before it.
  let hasEnded = Atomic<Bool>(false)

  init(id: Int, call: @escaping @Sendable (AnyObject) -> Void) {
    self.id = id
    self.call = call
  }
}

/// Calls the delegate and the observing closures with every update: one at a time, in order, and under no lock.
final class Deliveries<E: Entity>: Sendable {
  typealias Handler = @Sendable (Update<E>) -> Void

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()

  private struct State {
    var observers: [Observer] = []
    var errorReaders: [(id: Int, continuation: AsyncStream<any Error>.Continuation)] = []
    var nextID = 0
    weak var controller: FetchedResultsController<E>?
    /// Don't let a reference to it end under the lock: releasing the last one would run its `deinit` there, which may
    /// use the controller.
    weak var delegate: (any FetchedResultsControllerDelegate<E>)?
    /// Whether a delegate was set. It may have been released since.
    var hasDelegate = false
    var queue: [DeliveryEvent] = []
    /// Every event up to this number is in the queue or has been delivered.
    var goal = 0
    var isDelivering = false
  }

  deinit {
    for (_, continuation) in state.errorReaders { continuation.finish() }
  }

  var controller: FetchedResultsController<E>? {
    get { lock.withLock { state.controller } }
    set { lock.withLock { state.controller = newValue } }
  }

  var delegate: (any FetchedResultsControllerDelegate<E>)? {
    get { lock.withLock { state.delegate } }
    set {
      lock.withLock {
        state.delegate = newValue
        state.hasDelegate = newValue != nil
      }
    }
  }

  func add(_ handler: @escaping Handler) -> Int {
    lock.withLock {
      state.nextID += 1
      let observer = Observer(id: state.nextID) { handler(unsafeDowncast($0, to: Delivery<E>.self).update) }
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
      let id = lock.withLock {
        state.nextID += 1
        state.errorReaders.append((state.nextID, continuation))
        return state.nextID
      }
      continuation.onTermination = { [weak self] _ in self?.removeErrorReader(id) }
    }
  }

  private func removeErrorReader(_ id: Int) { lock.withLock { state.errorReaders.removeAll { $0.id == id } } }

  /// Appends an event to the queue, unless nobody receives such events, and records that every event up to `goal` is
  /// there. `event` may be nil. Callers must add events in order.
  func add(_ event: DeliveryEvent?, upTo goal: Int) {
    // Release the event that was merged outside the lock, together with the rows that only it held.
    let merged = lock.withLock { () -> DeliveryEvent? in
      state.goal = max(state.goal, goal)
      guard let event, wants(event) else { return nil }
      if state.queue.count >= Self.mostSingly, let last = state.queue.last, let both = Self.merged(last, event) {
        state.queue[state.queue.count - 1] = both
        return last
      }
      state.queue.append(event)
      return nil
    }
    withExtendedLifetime(merged) {}
  }

  /// How many updates wait one by one for slow observers before they are merged.
  private static var mostSingly: Int { 64 }

  /// Two successive updates merged into one; nil if they can't be merged.
  private static func merged(_ first: DeliveryEvent, _ second: DeliveryEvent) -> DeliveryEvent? {
    guard case .update(let first) = first, case .update(let second) = second else { return nil }
    let (one, two) = (unsafeDowncast(first, to: Delivery<E>.self), unsafeDowncast(second, to: Delivery<E>.self))
    guard one.isFetch == two.isFetch else { return nil }
    return .update(Delivery(one.update.followed(by: two.update), isFetch: one.isFetch))
  }

  /// The caller holds the lock.
  private func wants(_ event: DeliveryEvent) -> Bool {
    switch event {
    case .update: !state.observers.isEmpty || state.hasDelegate
    case .error: !state.errorReaders.isEmpty || state.hasDelegate
    }
  }

  /// Whether a thread is delivering.
  var isBusy: Bool { lock.withLock { state.isDelivering } }

  /// Whether an event waits in the queue.
  var hasAny: Bool { count > 0 }

  /// How many events wait in the queue.
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

  /// Delivers all events, and returns the number up to which everything has been delivered. Call ``begin()`` first.
  func deliver() -> Int {
    var goal = 0
    while let event = next(&goal) { tell(event) }
    return goal
  }

  /// Delivers at most `count` events. Returns nil if more wait by then: another thread must continue, without calling
  /// ``begin()``.
  func deliver(atMost count: Int) -> Int? {
    var goal = 0
    for _ in 0..<count {
      guard let event = next(&goal) else { return goal }
      tell(event)
    }
    return lock.withLock {
      guard state.queue.isEmpty else { return nil }
      state.isDelivering = false
      return state.goal
    }
  }

  /// The next event. Ends the delivery if there is none.
  private func next(_ goal: inout Int) -> DeliveryEvent? {
    lock.withLock {
      if state.queue.isEmpty {
        state.isDelivering = false
        goal = state.goal
        return nil
      }
      return state.queue.removeFirst()
    }
  }

  /// Delivers one event. The references it takes out of the state are released when it returns, so not under the lock:
  /// releasing one may run code that uses this object.
  private func tell(_ event: DeliveryEvent) {
    let (observers, readers) = lock.withLock { (state.observers, state.errorReaders) }
    let (delegate, controller) = lock.withLock { (state.delegate, state.controller) }
    switch event {
    case .update(let delivery):
      for observer in observers where !observer.hasEnded.load(ordering: .acquiring) { observer.call(delivery) }
      if let delegate, let controller {
        let delivery = unsafeDowncast(delivery, to: Delivery<E>.self)
        if !delivery.isFetch { delegate.tell(delivery.update, of: controller) }
      }
    case .error(let error):
      for (_, continuation) in readers { continuation.yield(error) }
      if let delegate, let controller { delegate.controller(controller, didFailWith: error) }
    }
  }
}
