/// A thread that finds out when another connection may have committed, while somebody wants to know.
///
/// The file system says when the journal is written to, which is before the commit can be seen; so the thread looks several
/// times within two milliseconds. A timer covers what the file system does not say.
final class ForeignWatcher: Sendable {
  enum Finding {
    case found, nothing, busy, stop
    /// A write of ours has looked meanwhile.
    case doneByWrite
  }

  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var current: FileWatch?

  /// Pauses between looks after a wake-up, in microseconds: the commit follows the write, mostly within a few of them.
  private static let pauses = [0, 50, 100, 200, 400, 800]

  func start(path: String, interval: UInt64, look: @escaping @Sendable () -> Finding) {
    let watch = FileWatch(paths: [path + "-wal", path])
    lock.withLock {
      current?.cancel()
      current = watch
    }
    // Without a thread, what others commit is noticed with our next write, and by whoever calls `catchUp`.
    _ = BackgroundThread.start { Self.run(watch, interval, look) }
  }

  /// Stops watching, unless somebody wants to know by now, who has or will have started it anew.
  func stop(unless isWanted: () -> Bool = { false }) {
    lock.withLock {
      if isWanted() { return }
      current?.cancel()
      current = nil
    }
  }

  private static func run(_ watch: FileWatch, _ interval: UInt64, _ look: () -> Finding) {
    var rest = shortRest
    while true {
      // Not set while we write much: each of our commits would set it off, and have it set again.
      guard let wereWritesOurs = leaveToWrites(&rest, look) else { return }
      // Set first and looked after: what is written from here on wakes the thread again, and what was written before can be
      // seen by the last look, if not by the first or while it waits.
      watch.arm()
      for pause in wereWritesOurs ? [0] : pauses {
        if pause > 0 { MonotonicClock.sleep(microseconds: pause) }
        if case .stop = look() { return }
      }
      let since = MonotonicClock.now()
      guard wait(watch, interval, look) else { return }
      // Writes that are so far apart can each afford to wake the thread.
      if MonotonicClock.now() - since > 50_000_000 { rest = shortRest }
    }
  }

  /// How long to leave it to writes of ours, in microseconds: at first, and where they go on.
  private static let shortRest = 2000
  private static let longRest = 16_000

  /// Rests while writes of ours look, which find what there is to find. True when there were such writes, nil when it is over.
  ///
  /// The rests grow while the writes go on, also such that are some milliseconds apart: being woken costs a write more than
  /// anything else. Their length is how late a commit can be found that comes as they end.
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

  /// Waits until something is written; false when it is over.
  ///
  /// It looks meanwhile, seldom and then more seldom: a committer that was held up between its write and its commit by a
  /// busy machine, or a writer of ours that was in the way of the looks, is found out before the timer.
  private static func wait(_ watch: FileWatch, _ interval: UInt64, _ look: () -> Finding) -> Bool {
    var patience: UInt64 = 5_000_000
    while true {
      switch watch.wait(nanoseconds: min(patience, interval)) {
      case .cancelled: return false
      case .written: return true
      case .nothing: break
      }
      switch look() {
      case .stop: return false
      case .busy: continue
      case .found, .nothing, .doneByWrite: patience = patience >= interval / 4 ? interval : patience * 4
      }
      // Files that came to be since are watched too.
      watch.arm()
    }
  }
}
