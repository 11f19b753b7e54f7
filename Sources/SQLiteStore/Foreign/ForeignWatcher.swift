import FetchedResultsSupport
import Synchronization

/// A thread that finds out when another connection may have committed, as long as there are observers.
///
/// The file system reports writes to the journal, which happen before the commit can be seen. So the thread checks
/// several times within two milliseconds. A timer covers writes that the file system does not report.
final class ForeignWatcher: Sendable {
  enum Finding {
    case found, nothing, busy, stop
    /// A write of ours has checked meanwhile.
    case doneByWrite
  }

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var current: FileWatch?

  /// How often the file system has woken the thread, for tests.
  let wakeUps = Atomic<Int>(0)

  /// Pauses between checks after a wake-up, in microseconds: the commit follows the write, usually within a few
  /// microseconds.
  private static let pauses = [0, 50, 100, 200, 400, 800]

  /// - Parameter written: The files that commits are written to.
  func start(
    written: [String], others: [String], interval: UInt64, look: @escaping @Sendable () -> Finding
  ) {
    let watch = FileWatch(written: written, others: others)
    lock.withLock {
      current?.cancel()
      current = watch
    }
    // If no thread can be started, our next write notices the commits of others, and so does `catchUp`.
    _ = BackgroundThread.start { [self] in run(watch, interval, look) }
  }

  /// Stops watching, unless there is an observer by now: its registration restarts the watching, or already has.
  func stop(unless isWanted: () -> Bool = { false }) {
    lock.withLock {
      if isWanted() { return }
      current?.cancel()
      current = nil
    }
  }

  // MARK: Writes of ours

  /// When the last write of ours began, by `MonotonicClock`.
  private let lastWrite = Atomic<UInt64>(0)

  /// A commit of ours is about to be written. Keeps it from waking the thread, which would cost more than the commit.
  /// Returns the watch that was paused: resume it after the commit, and then check once for commits of others.
  ///
  /// Writes that follow each other quickly wake the thread once, and it then leaves the checks to them: that costs them
  /// even less.
  func pauseForWrite() -> FileWatch? {
    let now = MonotonicClock.now()
    let last = lastWrite.exchange(now, ordering: .relaxed)
    guard now &- last > 2_000_000, let watch = lock.withLock({ current }), watch.pause() else { return nil }
    return watch
  }

  // MARK: The thread

  private func run(_ watch: FileWatch, _ interval: UInt64, _ look: () -> Finding) {
    var rest = Self.shortRest
    while true {
      // Don't set the watch while we write much: each of our commits would trigger it, and make us set it again.
      guard let wereWritesOurs = Self.leaveToWrites(&rest, look) else { return }
      // Set the watch first and check afterwards. Later writes then wake the thread again, and earlier ones are seen by
      // the last check, or an earlier one, or while it waits.
      watch.arm()
      for pause in wereWritesOurs ? [0] : Self.pauses {
        if pause > 0 { MonotonicClock.sleep(microseconds: pause) }
        if case .stop = look() { return }
      }
      let since = MonotonicClock.now()
      guard wait(watch, interval, look) else { return }
      // Writes that are far apart can each afford to wake the thread.
      if MonotonicClock.now() - since > 50_000_000 { rest = Self.shortRest }
    }
  }

  /// How long to leave the checks to writes of ours, in microseconds: at first, and if they go on.
  private static let shortRest = 2000
  private static let longRest = 16_000

  /// Rests while writes of ours check for foreign commits. Returns true if there were such writes, nil if the watch has
  /// ended.
  ///
  /// The rests grow while the writes go on, even if they are a few milliseconds apart: waking this thread costs a write
  /// more than anything else. A commit that is made just as the writes end is found later by up to the length of one
  /// rest.
  private static func leaveToWrites(_ rest: inout Int, _ look: () -> Finding) -> Bool? {
    var wereWritesOurs = false
    while true {
      switch look() {
      case .stop: return nil
      case .found:
        rest = shortRest
        return wereWritesOurs
      case .nothing, .busy: return wereWritesOurs
      case .doneByWrite: MonotonicClock.sleep(microseconds: rest)
      }
      wereWritesOurs = true
      rest = min(rest * 2, longRest)
    }
  }

  /// Waits until something is written; returns false if the watch has ended.
  ///
  /// It checks meanwhile, less and less often. Two cases are found before the timer: a commit that a busy machine
  /// delayed after its write, and one that was hidden because a writer of ours blocked the checks.
  private func wait(_ watch: FileWatch, _ interval: UInt64, _ look: () -> Finding) -> Bool {
    var patience: UInt64 = 5_000_000
    while true {
      switch watch.wait(nanoseconds: min(patience, interval)) {
      case .cancelled: return false
      case .written:
        wakeUps.add(1, ordering: .relaxed)
        return true
      case .nothing: break
      }
      switch look() {
      case .stop: return false
      case .busy: continue
      case .found, .nothing, .doneByWrite: patience = patience >= interval / 4 ? interval : patience * 4
      }
      // Watch files that were created since, too.
      watch.arm()
    }
  }
}
