import DataSources
import SQLiteStore

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

private struct Observer {
  let id: Int
  /// Takes a `Delivery`.
  let call: @Sendable (AnyObject) -> Void
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
    weak var delegate: (any FetchedResultsControllerDelegate<E>)?
    var queue: [DeliveryEvent] = []
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
    set { lock.withLock { state.delegate = newValue } }
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
    withExtendedLifetime(removed) {}
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

  /// Whether there is anybody to tell of an event.
  func wants(_ event: DeliveryEvent) -> Bool {
    lock.withLock {
      switch event {
      case .update: !state.observers.isEmpty || state.delegate != nil
      case .error: !state.errorReaders.isEmpty || state.delegate != nil
      }
    }
  }

  /// Tells of an event, behind those that are being told.
  func deliver(_ event: DeliveryEvent) {
    lock.lock()
    if state.isDelivering {
      state.queue.append(event)
      return lock.unlock()
    }
    state.isDelivering = true
    var next: DeliveryEvent? = event
    while let event = next {
      let observers = state.observers
      let readers = state.errorReaders
      let delegate = state.delegate
      let controller = state.controller
      lock.unlock()
      switch event {
      case .update(let delivery):
        for observer in observers where isObserving(observer.id) { observer.call(delivery) }
        if let delegate, let controller {
          let delivery = unsafeDowncast(delivery, to: Delivery<E>.self)
          if !delivery.isFetch { delegate.tell(delivery.update, of: controller) }
        }
      case .error(let error):
        for (_, continuation) in readers { continuation.yield(error) }
        if let delegate, let controller { delegate.controller(controller, didFailWith: error) }
      }
      lock.lock()
      next = state.queue.isEmpty ? nil : state.queue.removeFirst()
    }
    state.isDelivering = false
    lock.unlock()
  }

  private func isObserving(_ id: Int) -> Bool { lock.withLock { state.observers.contains { $0.id == id } } }
}
