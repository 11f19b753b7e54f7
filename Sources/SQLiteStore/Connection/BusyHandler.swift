import CFetchedResultsSQLite
import FetchedResultsSupport

/// Called by SQLite while another connection has the lock: sleeps a little, longer each time, until the timeout.
final class BusyHandler {
  let timeout: UInt64
  var access: Connection.Access?
  /// When the waiting began, if that was before SQLite called.
  var since: UInt64?
  /// Why the handler must not wait at all; nil if it may.
  var impatience: Impatience?

  enum Impatience {
    /// The caller tries again by itself.
    case byCaller
    /// A read inside a write: it would wait for the write of its own thread.
    case ownWrite
  }

  private var began: UInt64 = 0

  init(timeout: UInt64) { self.timeout = timeout }

  func install(on handle: OpaquePointer) {
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<BusyHandler>.fromOpaque(context).takeUnretainedValue().shouldRetry(count) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func shouldRetry(_ count: Int32) -> Bool {
    let now = MonotonicClock.now()
    if count == 0 { began = since ?? now }
    if access?.isCancelled == true || impatience != nil { return false }
    let waited = now - min(began, now)
    guard waited < timeout else { return false }
    // Short at first, because most writes take less than a millisecond. A random part keeps two waiters from retrying
    // in step.
    let step = min(5000, 50 << min(count, 7))
    let pause = Int.random(in: Int(step / 2)...Int(step))
    MonotonicClock.sleep(microseconds: min(pause, Int((timeout - waited) / 1000) + 1))
    return true
  }
}
