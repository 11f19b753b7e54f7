import CFetchedResultsSupport

/// The machine's processors.
package enum Processor {
  /// How many there are.
  package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Passes a little time in a loop that waits for another processor.
  @inline(__always)
  package static func pause() { frc_pause() }

  /// Waits until a condition holds: first by polling for a few microseconds, and then by asking every 50 µs for up to
  /// `limit` nanoseconds. Returns false if it does not hold by then.
  package static func wait(for limit: UInt64, until isMet: () -> Bool) -> Bool {
    for _ in 0..<500 {
      if isMet() { return true }
      pause()
    }
    let deadline = MonotonicClock.now() + limit
    while !isMet() {
      guard MonotonicClock.now() < deadline else { return false }
      MonotonicClock.sleep(microseconds: 50)
    }
    return true
  }
}
