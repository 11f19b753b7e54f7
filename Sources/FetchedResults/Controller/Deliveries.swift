import DataSources
import SQLiteStore

/// Calls those who want to be called with every update: the delegate and observing closures. One at a time, in order, and
/// under no lock.
final class Deliveries<E: Entity>: Sendable {
  enum Event {
    /// The list changed; by a fetch that was asked for, of which the delegate is not told.
    case update(Update<E>, isFetch: Bool)
    case error(any Error)
  }

  typealias Handler = @Sendable (Update<E>) -> Void

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()

  private struct State {
    var observers: [(id: Int, call: Handler)] = []
    var errorReaders: [(id: Int, continuation: AsyncStream<any Error>.Continuation)] = []
    var nextID = 0
    weak var controller: FetchedResultsController<E>?
    weak var delegate: (any FetchedResultsControllerDelegate<E>)?
    var queue: [Event] = []
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
      state.observers.append((state.nextID, handler))
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
  func wants(_ event: Event) -> Bool {
    lock.withLock {
      switch event {
      case .update: !state.observers.isEmpty || state.delegate != nil
      case .error: !state.errorReaders.isEmpty || state.delegate != nil
      }
    }
  }

  /// Tells of an event, behind those that are being told.
  func deliver(_ event: Event) {
    lock.lock()
    state.queue.append(event)
    if state.isDelivering { return lock.unlock() }
    state.isDelivering = true
    while !state.queue.isEmpty {
      let event = state.queue.removeFirst()
      let observers = state.observers
      let readers = state.errorReaders
      let delegate = state.delegate
      let controller = state.controller
      lock.unlock()
      switch event {
      case .update(let update, let isFetch):
        for observer in observers where isObserving(observer.id) { observer.call(update) }
        if !isFetch, let delegate, let controller { delegate.tell(update, of: controller) }
      case .error(let error):
        for (_, continuation) in readers { continuation.yield(error) }
        if let delegate, let controller { delegate.controller(controller, didFailWith: error) }
      }
      lock.lock()
    }
    state.isDelivering = false
    lock.unlock()
  }

  private func isObserving(_ id: Int) -> Bool { lock.withLock { state.observers.contains { $0.id == id } } }
}
