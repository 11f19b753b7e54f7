/// Calls closures at given times, all on one thread, which runs only while calls are scheduled.
///
/// The closures must be quick; they should start longer work elsewhere.
package final class Alarm: Sendable {
  /// The alarm of this process.
  package static let shared = Alarm()

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var state = State()
  /// How long the thread waits for another call before it ends.
  private static let patience: UInt64 = 2_000_000_000

  private struct Call {
    let time: UInt64
    let body: @Sendable () -> Void
  }

  private struct State {
    /// A heap: the call at index i is not later than those at 2i + 1 and 2i + 2.
    var calls: [Call] = []
    var isRunning = false

    mutating func add(_ call: Call) {
      calls.append(call)
      var place = calls.count - 1
      while place > 0, calls[(place - 1) / 2].time > calls[place].time {
        calls.swapAt(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
    }

    mutating func removeFirst() -> Call {
      calls.swapAt(0, calls.count - 1)
      let first = calls.removeLast()
      var place = 0
      while 2 * place + 1 < calls.count {
        var child = 2 * place + 1
        if child + 1 < calls.count, calls[child + 1].time < calls[child].time { child += 1 }
        if calls[place].time <= calls[child].time { break }
        calls.swapAt(place, child)
        place = child
      }
      return first
    }
  }

  /// Calls `body` when `MonotonicClock` reaches `time`, or soon after. If the system can't start a thread, it is called
  /// together with the next one.
  package func call(at time: UInt64, _ body: @escaping @Sendable () -> Void) {
    let needsThread = lock.withLock {
      state.add(Call(time: time, body: body))
      if state.isRunning {
        lock.wakeAll()
        return false
      }
      state.isRunning = true
      return true
    }
    if needsThread, !BackgroundThread.start({ [self] in run() }) { lock.withLock { state.isRunning = false } }
  }

  /// The same, a number of nanoseconds from now.
  package func call(after nanoseconds: UInt64, _ body: @escaping @Sendable () -> Void) {
    call(at: MonotonicClock.now() + nanoseconds, body)
  }

  private func run() {
    while let call = next() { call.body() }
  }

  /// The next call when its time has come; nil if none was scheduled for long enough.
  private func next() -> Call? {
    lock.withLock {
      let end = MonotonicClock.now() + Self.patience
      while true {
        let now = MonotonicClock.now()
        if let first = state.calls.first {
          if first.time <= now { return state.removeFirst() }
          lock.wait(until: first.time)
        } else if now >= end {
          state.isRunning = false
          return nil
        } else {
          lock.wait(until: end)
        }
      }
    }
  }
}
