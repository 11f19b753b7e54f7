import FetchedResultsSupport
import Synchronization

/// An interruption of a command: Ctrl-C, a request to terminate, or a terminal that was closed. It is thrown where
/// something must be cleaned up first.
struct Interruption: Error {
  /// The number of the signal.
  let number: Int32

  /// The exit code that shells report for a program that a signal ended.
  var exitCode: Int32 { 128 + number }

  /// Lets an interruption end the program. Writing to a broken pipe, or beyond the allowed file size (`ulimit -f`), is
  /// an error from now on, and no signal.
  ///
  /// Ending at once leaves the database intact: what was not committed never happened.
  static func install() {
    _ = isHeld.load(ordering: .relaxed)
    _ = pending.load(ordering: .relaxed)
    _ = isReading.load(ordering: .relaxed)
    _ = wasWoken.load(ordering: .relaxed)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Even if the parent had them ignored or blocked, as a shell does for programs in the background. A hangup that is
    // ignored, as nohup does, stays ignored.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] + (SignalPipe.isIgnored(SIGHUP) ? [] : [SIGHUP]) {
      // It wakes a call that waits for a slow reader.
      CLibrary.handle(number) { number in
        let isSecond = isReading.load(ordering: .sequentiallyConsistent) && pending.load(ordering: .relaxed) != 0
        guard isHeld.load(ordering: .sequentiallyConsistent), !isSecond else { _exit(128 + number) }
        pending.store(number, ordering: .sequentiallyConsistent)
        if isReading.load(ordering: .sequentiallyConsistent) { alarm(1) }
      }
      sigaddset(&signals, number)
    }
    CLibrary.handle(SIGALRM) { _ in
      // The first wakes a call that began to wait in the very moment of the interruption.
      if wasWoken.exchange(true, ordering: .relaxed) { _exit(128 + pending.load(ordering: .sequentiallyConsistent)) }
      alarm(1)
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Runs code that would leave something behind if it were ended at once. An interruption is held meanwhile: `body`
  /// calls `check` from time to time, which throws if there was one.
  static func held<T>(_ body: (_ check: () throws -> Void) throws -> T) throws -> T {
    let before = isHeld.exchange(true, ordering: .sequentiallyConsistent)
    defer { isHeld.store(before, ordering: .sequentiallyConsistent) }
    do {
      return try body {
        let signal = pending.load(ordering: .sequentiallyConsistent)
        if signal != 0 { throw Interruption(number: signal) }
      }
    } catch {
      // Report the interruption, whatever error it became on the way.
      let signal = pending.load(ordering: .sequentiallyConsistent)
      throw signal == 0 ? error : Interruption(number: signal)
    }
  }

  /// Begins to read. From now on an interruption is thrown by code that prints, so that the database is closed and
  /// leaves no files beside it. A second interruption, or two seconds without an end, ends the program at once.
  static func beginReading() {
    isReading.store(true, ordering: .sequentiallyConsistent)
    isHeld.store(true, ordering: .sequentiallyConsistent)
  }

  /// Ends reading, and throws an interruption that came meanwhile.
  static func endReading() throws {
    isHeld.store(false, ordering: .sequentiallyConsistent)
    isReading.store(false, ordering: .sequentiallyConsistent)
    alarm(0)
    try check()
  }

  /// Throws the interruption, if there was one.
  static func check() throws {
    let signal = pending.load(ordering: .relaxed)
    if signal != 0 { throw Interruption(number: signal) }
  }

  /// Whether there was one.
  static var isPending: Bool { pending.load(ordering: .relaxed) != 0 }
}

private let isHeld = Atomic<Bool>(false)
private let isReading = Atomic<Bool>(false)
private let pending = Atomic<Int32>(0)
private let wasWoken = Atomic<Bool>(false)
