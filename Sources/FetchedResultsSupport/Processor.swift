import CFetchedResultsSupport

/// The machine's processors.
@usableFromInline package enum Processor {
  /// How many there are.
  package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Passes a little time in a loop that waits for another processor.
  @inline(__always)
  package static func pause() { frc_pause() }

  /// Begins to load memory into the cache, and doesn't wait for it.
  ///
  /// Before reading many places that are far from each other, call it for all of them. The processor then loads about
  /// ten at a time, instead of one after the other. Only the time changes.
  @usableFromInline package static func prefetch(_ start: UnsafeRawPointer, _ size: Int = 1) {
    frc_prefetch(start, size)
  }

  /// The same for all objects to which memory refers, which must be loaded and aligned. They are loaded when values are
  /// copied, because copying counts references.
  @usableFromInline package static func prefetchReferences(in start: UnsafeRawPointer, _ size: Int) {
    frc_prefetch_references(start, size)
  }

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
