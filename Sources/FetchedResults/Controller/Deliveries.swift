import DataSources
import SQLiteStore
import Synchronization

/// An update on its way to those who want it, and whether a fetch that was asked for has brought it, of which the delegate is not
/// told.
///
/// A reference, as what is evaluated for every commit handles no type that depends on the entity's: this code is compiled
/// once for all entities, and would look up such a type each time.
final class Delivery<E: Entity>: Sendable {
  let update: Update<E>
  let isFetch: Bool

  init(_ update: Update<E>, isFetch: Bool) {
    self.update = update
    self.isFetch = isFetch
  }
}

/// What there is to tell.
enum DeliveryEvent: Sendable {
  /// The list changed: a `Delivery` of the entity.
  case update(any AnyObject & Sendable)
  case error(any Error)
}

private final class Observer: Sendable {
  let id: Int
  /// Takes a `Delivery`.
  let call: @Sendable (AnyObject) -> Void
  /// Whether it was taken out, perhaps by one that was called before it.
  let hasEnded = Atomic<Bool>(false)

  init(id: Int, call: @escaping @Sendable (AnyObject) -> Void) {
    self.id = id
    self.call = call
  }
}

/// Calls those who want to be called with every update: the delegate and observing closures. One at a time, in order, and
/// under no lock.
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
    /// Never looked up where it is let go of under the lock: it may be gone then, and look at the controller as it goes.
    weak var delegate: (any FetchedResultsControllerDelegate<E>)?
    /// Whether one was set, which may have gone since.
    var hasDelegate = false
    var queue: [DeliveryEvent] = []
    /// Everything up to this is in the queue, or has been told.
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
    // What the closure holds is released outside of the lock.
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

  /// Puts an event behind those that are to be told, unless nobody wants it. With it, or with nil, everything up to a goal is
  /// there. Whoever adds calls for the events to come in their order.
  func add(_ event: DeliveryEvent?, upTo goal: Int) {
    // What is merged goes outside of the lock, with the rows that it alone had.
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

  /// How many updates are kept one by one for those who are slow to take them.
  private static var mostSingly: Int { 64 }

  /// Two updates in turn as one; nil where they can't be.
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

  /// Whether somebody is delivering.
  var isBusy: Bool { lock.withLock { state.isDelivering } }

  /// Whether there is anything to tell.
  var hasAny: Bool { count > 0 }

  /// How much there is to tell.
  var count: Int { lock.withLock { state.queue.count } }

  /// Makes the caller the one who delivers; false where somebody is at it, who will deliver what was added too.
  func begin() -> Bool {
    lock.withLock {
      if state.isDelivering { return false }
      state.isDelivering = true
      return true
    }
  }

  /// Tells all there is, and returns up to where everything has been told. The caller has begun.
  func deliver() -> Int {
    var goal = 0
    while let event = next(&goal) { tell(event) }
    return goal
  }

  /// Tells so much of it; nil where there is more by then, which somebody is to go on with who need not begin.
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

  /// The next event; with the last one the delivery is over.
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

  /// Tells of an event. What it takes out of the state is gone when it returns, and so not under the lock: somebody may end
  /// with it who uses this.
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
