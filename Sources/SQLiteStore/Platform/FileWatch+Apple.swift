#if canImport(Darwin)
  import Darwin

  /// Wakes up when one of several files is written to, with kqueue. It opens only the write-ahead log, on which SQLite
  /// holds no lock; closing a descriptor of the database or of its shared memory would drop the process's locks.
  ///
  /// It has not been compiled yet: this package is built on Linux.
  final class FileWatch: @unchecked Sendable {  // because `files` is used by the waiting thread only
    private let paths: [String]
    private let queue: Int32
    private var files: [Int32] = []
    private static let cancellation: UInt = 1

    init(written: [String], others: [String]) {
      paths = written.filter { $0.hasSuffix("-wal") }
      queue = kqueue()
      var event = Darwin.kevent(
        ident: Self.cancellation, filter: Int16(EVFILT_USER), flags: UInt16(EV_ADD), fflags: 0, data: 0, udata: nil)
      kevent(queue, &event, 1, nil, 0, nil)
    }

    deinit {
      for file in files { close(file) }
      close(queue)
    }

    func arm() {
      for file in files { close(file) }
      files = paths.compactMap { path in
        let file = open(path, O_EVTONLY | O_CLOEXEC)
        return file >= 0 ? file : nil
      }
      for file in files {
        var event = Darwin.kevent(
          ident: UInt(file), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_ONESHOT),
          fflags: UInt32(NOTE_WRITE | NOTE_EXTEND), data: 0, udata: nil)
        kevent(queue, &event, 1, nil, 0, nil)
      }
    }

    /// A write of this process wakes the thread like any other.
    func pause() -> Bool { false }

    func resume() {}

    func cancel() {
      var event = Darwin.kevent(
        ident: Self.cancellation, filter: Int16(EVFILT_USER), flags: 0, fflags: UInt32(NOTE_TRIGGER), data: 0,
        udata: nil)
      kevent(queue, &event, 1, nil, 0, nil)
    }

    /// Waits for a write, up to a maximum time.
    func wait(nanoseconds: UInt64) -> FileWatchEvent {
      var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      var event = Darwin.kevent()
      let count = kevent(queue, nil, 0, &event, 1, &time)
      guard count > 0 else { return .nothing }
      return event.filter == Int16(EVFILT_USER) ? .cancelled : .written
    }
  }
#endif
