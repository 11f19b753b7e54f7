import CFetchedResultsSQLite
import FetchedResultsSupport

/// The machine's processors.
package enum Processor {
  /// How many there are.
  package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Passes a little time in a loop that waits for another processor.
  @inline(__always)
  package static func pause() {
    #if arch(x86_64) || arch(i386)
      frc_pause()
    #else
      sched_yield()
    #endif
  }
}
