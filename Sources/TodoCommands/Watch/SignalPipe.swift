import FetchedResultsSupport

/// Signals for an event loop: each one is a byte in a pipe, and has no other effect.
struct SignalPipe {
  /// Becomes readable when a signal comes, or when ``wake()`` is called.
  let descriptor: Int32

  /// Handles signals from now on; there is one pipe for the process. A signal that the parent ignores, as nohup
  /// does, stays ignored.
  init(_ signals: [Int32]) {
    var ends: [Int32] = [-1, -1]
    if writingEnd < 0, pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
      }
      readingEnd = ends[0]
      writingEnd = ends[1]
    }
    descriptor = readingEnd
    for signal in signals where !Self.isIgnored(signal) { Self.take(signal) }
  }

  /// Handles a signal again, after ``leave(_:)``.
  static func take(_ signal: Int32) { setHandler(signal, noteSignal) }

  /// Restores the default action of a signal.
  static func leave(_ signal: Int32) { setHandler(signal, SIG_DFL) }

  /// Wakes the loop, from any thread.
  static func wake() { noteSignal(0) }

  /// The signals since the last call, in order; 0 for a wake-up.
  func read() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 256)
    var signals: [Int32] = []
    while true {
      let count = systemRead(descriptor, &bytes)
      if count <= 0 { return signals }
      signals += bytes[..<count].map(Int32.init)
    }
  }

  /// Whether a signal is ignored, as by nohup.
  static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(CLibrary.handler(of: action), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// The exit code that a shell reports for a program that a signal ended.
  static func exitCode(_ signal: Int32) -> Int32 { 128 + signal }
}

// because they are set once, before any signal is taken
nonisolated(unsafe) private var readingEnd: Int32 = -1
nonisolated(unsafe) private var writingEnd: Int32 = -1

private func noteSignal(_ signal: Int32) {
  let before = errno
  var byte = UInt8(truncatingIfNeeded: signal)
  _ = write(writingEnd, &byte, 1)
  errno = before
}

private func setHandler(_ signal: Int32, _ handler: CLibrary.SignalHandler) {
  // System calls are restarted: waiting code is woken by the pipe.
  CLibrary.handle(signal, flags: Int32(SA_RESTART), handler)
}

/// read(2), restarted when a signal interrupts it.
func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
  while true {
    let count = read(descriptor, &bytes, bytes.count)
    if count >= 0 || errno != EINTR { return count }
  }
}

/// Waits until one of these can be read, or for a maximum time. Returns which of them can be read, and which have been
/// closed at the other end.
///
/// - Parameter watched: Descriptors of which only the closing is reported.
func waitFor(
  _ descriptors: [Int32], watched: [Int32] = [], milliseconds: Int32? = nil
) -> (readable: Set<Int32>, closed: Set<Int32>) {
  var files = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  files += watched.map { pollfd(fd: $0, events: 0, revents: 0) }
  guard poll(&files, nfds_t(files.count), milliseconds ?? -1) > 0 else { return ([], []) }
  let readable = files.filter { $0.revents & Int16(POLLIN) != 0 }.map(\.fd)
  let closed = files.filter { $0.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 }.map(\.fd)
  return (Set(readable), Set(closed))
}
