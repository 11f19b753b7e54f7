import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What ends a command before its end: Ctrl-C, or a request to terminate. Thrown where something must be tidied up first.
struct Interruption: Error {
  /// The number of the signal.
  let number: Int32

  /// The code that shells give to a program that a signal ended.
  var exitCode: Int32 { 128 + number }

  /// Has a broken pipe reported by what writes, and has an interruption end the program.
  ///
  /// Ending at once leaves the database whole: what was not committed never happened.
  static func install() {
    _ = isHeld.load(ordering: .relaxed)
    _ = pending.load(ordering: .relaxed)
    signal(SIGPIPE, SIG_IGN)
    // Also where the parent had them ignored or blocked, as a shell does for what it runs in the background.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        guard isHeld.load(ordering: .sequentiallyConsistent) else { _exit(128 + number) }
        pending.store(number, ordering: .sequentiallyConsistent)
      }
      sigaddset(&signals, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Runs what leaves something behind when it is ended at once. An interruption waits meanwhile: `body` calls `check` now and
  /// then, which throws when there was one.
  static func held<T>(_ body: (_ check: () throws -> Void) throws -> T) throws -> T {
    isHeld.store(true, ordering: .sequentiallyConsistent)
    defer { isHeld.store(false, ordering: .sequentiallyConsistent) }
    do {
      return try body {
        let signal = pending.load(ordering: .sequentiallyConsistent)
        if signal != 0 { throw Interruption(number: signal) }
      }
    } catch {
      // Whatever was made of it on its way.
      let signal = pending.load(ordering: .sequentiallyConsistent)
      throw signal == 0 ? error : Interruption(number: signal)
    }
  }

  /// Runs what must not be ended halfway, and is short. An interruption that came meanwhile is thrown afterwards.
  static func postponed<T>(_ body: () throws -> T) throws -> T {
    try held { check in
      let result = try body()
      try check()
      return result
    }
  }
}

private let isHeld = Atomic<Bool>(false)
private let pending = Atomic<Int32>(0)
