import Synchronization

/// The right to use one connection: held by one thread at a time, handed on in the order of asking.
///
/// A waiter gives up when one and the same holder has kept it waiting for longer than the timeout: so a queue that moves
/// may be long, while two writes that wait for each other end in an error and not in silence.
final class Lane: Sendable {
  private let lock = Lock()
  // because every access is under `lock`; behind a pointer, as each access to a variable of a class is checked for
  // exclusiveness, which the lock makes sure of already and which would be most of what a commit costs here
  nonisolated(unsafe) private let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  // Whether there is a holder, for those who look without the lock.
  private let isHeld = Atomic<Bool>(false)

  private struct State {
    var holder: ThreadID?
    var heldSince: UInt64 = 0
    // Each waits in a place of its own, so that handing on wakes one thread and not all.
    var waiting: [WaitingPlace] = []
    var isClosed = false
  }

  enum Refusal: Error { case reentrant, timedOut, closed, cancelled }

  /// Takes the lane, or says why not. `isCancelled` is asked again whenever the lane is nudged.
  ///
  /// - Parameter since: when the caller began to wait, where that was before now.
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
      // Whoever leaves the queue without the lane may have been the one who was woken for it.
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
      // The wait counts from when the present holder came, or from when this thread did, whichever is later.
      let since = max(began, state.pointee.heldSince)
      if state.pointee.holder != nil, MonotonicClock.now() - since >= timeout { throw .timedOut }
      place.wait(until: since + timeout)
    }
  }

  /// Gives a holder who is quick the time to be done, which costs less than going to sleep; true when the lane is free.
  ///
  /// Called under the lock, and returns under it.
  private func spin() -> Bool {
    guard state.pointee.waiting.isEmpty, !state.pointee.isClosed else { return false }
    lock.unlock()
    var looks = 0
    while isHeld.load(ordering: .relaxed), looks < 10_000 { looks += 1 }
    lock.lock()
    return state.pointee.holder == nil && state.pointee.waiting.isEmpty && !state.pointee.isClosed
  }

  /// Takes the lane if it is free and nobody waits for it.
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

  /// Makes every waiter ask again whether it was cancelled.
  func nudge() {
    lock.withLock { for place in state.pointee.waiting { place.wake() } }
  }

  /// When the holder came; nil where there is none.
  var heldSince: UInt64? { lock.withLock { state.pointee.holder == nil ? nil : state.pointee.heldSince } }

  var isHeldByCurrentThread: Bool { lock.withLock { state.pointee.holder == .current } }

  /// Refuses whoever comes from now on, and waits until the holder is gone.
  func close() {
    lock.withLock {
      state.pointee.isClosed = true
      for place in state.pointee.waiting { place.wake() }
      while state.pointee.holder != nil { lock.wait() }
    }
  }

  /// Runs `body` if somebody holds the lane, who can't give it up meanwhile.
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
