import FetchedResultsSupport
import Synchronization

/// The right to use one connection. One thread holds it at a time, and it passes to the waiters in the order of asking.
///
/// A waiter gives up when the same holder has kept the writer lock for longer than the timeout. So a queue that moves
/// may be long, and two writes that wait for each other end in an error instead of waiting for ever.
final class WriterLock: Sendable {
  let lock = Lock()
  // because every access is under `lock`. Behind a pointer, because each access to a variable of a class is checked for
  // exclusiveness. The lock ensures that already, and the checks would be most of the cost of a commit here.
  nonisolated(unsafe) let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  // Whether there is a holder, for checks without `lock`.
  let isHeld = Atomic<Bool>(false)

  struct State {
    var holder: ThreadID?
    var heldSince: UInt64 = 0
    // Each waiter has a place of its own, so that a release wakes one thread and not all.
    var waiting: [WaitingPlace] = []
    var isClosed = false
  }

  enum Refusal: Error { case reentrant, timedOut, closed, cancelled }

  /// Takes the writer lock, or throws the reason. `isCancelled` is called again at every ``nudge()``.
  ///
  /// - Parameter since: When the caller began to wait, if that was before now.
  func acquire(
    timeout: UInt64, since: UInt64? = nil, isCancelled: () -> Bool = { false }
  ) throws(Refusal) {
    let me = ThreadID.current
    lock.lock()
    defer { lock.unlock() }
    if state.pointee.holder == nil, state.pointee.waiting.isEmpty, !state.pointee.isClosed {
      take(me)
      return
    }
    guard state.pointee.holder != me else { throw .reentrant }
    if spin() {
      take(me)
      return
    }
    let place = WaitingPlace(under: lock)
    state.pointee.waiting.append(place)
    defer {
      state.pointee.waiting.removeAll { $0 === place }
      // A waiter that gives up may have been the one that was woken for it.
      if state.pointee.holder == nil { state.pointee.waiting.first?.wake() }
    }
    let began = since ?? MonotonicClock.now()
    while true {
      if state.pointee.isClosed { throw .closed }
      if isCancelled() { throw .cancelled }
      if state.pointee.holder == nil, state.pointee.waiting.first === place {
        take(me)
        return
      }
      // The timeout counts from when the current holder took it, or from when this thread began to wait,
      // whichever is later.
      let since = max(began, state.pointee.heldSince)
      if state.pointee.holder != nil, MonotonicClock.now() - since >= timeout { throw .timedOut }
      place.wait(until: since + timeout)
    }
  }

  /// Gives a quick holder time to finish, which costs less than sleeping. Returns true when it has.
  ///
  /// The caller holds `lock`, which is released meanwhile.
  private func spin() -> Bool {
    guard state.pointee.waiting.isEmpty, !state.pointee.isClosed else { return false }
    lock.unlock()
    var looks = 0
    while isHeld.load(ordering: .relaxed), looks < 10_000 { looks += 1 }
    lock.lock()
    return state.pointee.holder == nil && state.pointee.waiting.isEmpty && !state.pointee.isClosed
  }

  /// Takes the writer lock if it is free and nobody waits for it.
  func tryAcquire() -> Bool {
    lock.withLock {
      guard state.pointee.holder == nil, state.pointee.waiting.isEmpty, !state.pointee.isClosed else { return false }
      take(.current)
      return true
    }
  }

  func release() {
    lock.withLock {
      state.pointee.holder = nil
      isHeld.store(false, ordering: .relaxed)
      state.pointee.waiting.first?.wake()
      if state.pointee.isClosed { lock.wakeAll() }
    }
  }

  /// Makes every waiter check again whether it was cancelled.
  func nudge() {
    lock.withLock { for place in state.pointee.waiting { place.wake() } }
  }

  /// When the holder took the writer lock; nil if there is no holder.
  var heldSince: UInt64? { lock.withLock { state.pointee.holder == nil ? nil : state.pointee.heldSince } }

  var isHeldByCurrentThread: Bool { lock.withLock { state.pointee.holder == .current } }

  /// Refuses new callers, and waits until the holder has released the writer lock.
  func close() {
    lock.withLock {
      state.pointee.isClosed = true
      for place in state.pointee.waiting { place.wake() }
      while state.pointee.holder != nil { lock.wait() }
    }
  }

  /// Runs `body` if the writer lock is held. The holder can't release it meanwhile.
  func whileHeld(_ body: () -> Void) {
    lock.withLock { if state.pointee.holder != nil { body() } }
  }

  var isClosed: Bool { lock.withLock { state.pointee.isClosed } }

  private func take(_ thread: ThreadID) {
    state.pointee.holder = thread
    isHeld.store(true, ordering: .relaxed)
    state.pointee.heldSince = MonotonicClock.now()
  }
}
