#if os(Linux)
  import FetchedResultsSupport
  import Synchronization

  /// Wakes up when one of several files is written to, with inotify. It uses paths only, because opening and closing a
  /// database's files drops SQLite's locks.
  ///
  /// A watch fires once, and then not again until `arm` is called. Otherwise every commit of a writer in this process
  /// would pay for waking the thread. With this, a writer wakes it once in several milliseconds at most.
  final class FileWatch: Sendable {
    /// The files that commits are written to, and others, whose loss is watched for.
    private let written: [String]
    private let others: [String]
    /// Whether a write would wake the thread.
    private let isArmed = Atomic<Bool>(false)
    /// -1 if the system has no more of these. Each database with observers takes one, and Linux lets a user have 128.
    private let notifications: Atomic<Int32>
    // A pipe whose writing end is closed to cancel: closing wakes the thread that polls the other end.
    private let cancellation: Int32
    private let canceller = Lock()
    // because every access is under `canceller`
    nonisolated(unsafe) private var cancellationEnd: Int32

    init(written: [String], others: [String]) {
      self.written = written
      self.others = others
      notifications = Atomic(Self.newNotifications())
      var ends: [Int32] = [-1, -1]
      if pipe(&ends) == 0 {
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      }
      cancellation = ends[0]
      cancellationEnd = ends[1]
    }

    private static func newNotifications() -> Int32 { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }

    deinit {
      let notifications = notifications.load(ordering: .relaxed)
      if notifications >= 0 { close(notifications) }
      if cancellation >= 0 { close(cancellation) }
      if cancellationEnd >= 0 { close(cancellationEnd) }
    }

    /// Makes the next write wake the thread, which calls it itself.
    ///
    /// If the system has no watch left, only the timer wakes the thread, and each call tries again.
    func arm() {
      if notifications.load(ordering: .relaxed) < 0 {
        let new = Self.newNotifications()
        if new < 0 { return }
        notifications.store(new, ordering: .relaxed)
      }
      resume()
      watch(others, for: Self.losses)
    }

    /// Makes the watch miss writes from now on, as a write of this process is about to be made. Returns false if it
    /// would have missed them anyway. Otherwise call `resume` after the write.
    func pause() -> Bool {
      guard isArmed.load(ordering: .sequentiallyConsistent) else { return false }
      watch(written, for: Self.losses)
      return true
    }

    /// Makes writes wake the thread again, after `pause`.
    func resume() {
      isArmed.store(true, ordering: .sequentiallyConsistent)
      watch(written, for: UInt32(IN_MODIFY) | Self.losses)
    }

    /// The file gets another name, or loses one. A file that is open is deleted only when it is closed.
    private static var losses: UInt32 { UInt32(IN_MOVE_SELF) | UInt32(IN_ATTRIB) }

    /// Replaces what is watched for.
    private func watch(_ paths: [String], for events: UInt32) {
      let notifications = notifications.load(ordering: .relaxed)
      for path in paths { inotify_add_watch(notifications, path, events | UInt32(IN_ONESHOT)) }
    }

    func cancel() {
      canceller.withLock {
        if cancellationEnd >= 0 { close(cancellationEnd) }
        cancellationEnd = -1
      }
    }

    /// Waits for a write, up to a maximum time.
    func wait(nanoseconds: UInt64) -> FileWatchEvent {
      // -1 is never ready.
      let notifications = notifications.load(ordering: .relaxed)
      var files = [
        pollfd(fd: cancellation, events: Int16(POLLIN), revents: 0),
        pollfd(fd: notifications, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&files, 2, Int32(clamping: (nanoseconds + 999_999) / 1_000_000))
      if files[0].revents != 0 { return .cancelled }
      guard files[1].revents != 0 else { return .nothing }
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while read(notifications, buffer.baseAddress, buffer.count) > 0 {}
      }
      isArmed.store(false, ordering: .sequentiallyConsistent)
      return .written
    }
  }
#endif
