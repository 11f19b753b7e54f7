import Foundation

/// Reports when something takes longer than its rule allows.
final class Watchdog: Sendable {
  private struct State {
    var running: [Int: (what: String, since: ContinuousClock.Instant, limit: Duration)] = [:]
    var next = 0
    var overdue: String?
    var mostThreads = 0
    var isOver = false
  }
  private let state = SharedValue(State())

  init() {
    Thread.detachNewThread { [state] in
      while !state.value.isOver {
        let threads = Self.threads
        state.change { state in
          state.mostThreads = max(state.mostThreads, threads)
          for (what, since, limit) in state.running.values where since.duration(to: .now) > limit {
            state.overdue = state.overdue ?? "\(what) has taken longer than \(limit)"
          }
        }
        usleep(20_000)
      }
    }
  }

  /// Runs something that must end within a time.
  func watch<T>(_ what: String, _ limit: Duration, _ body: () throws -> T) rethrows -> T {
    let number = state.change { state in
      state.next += 1
      state.running[state.next] = (what, .now, limit)
      return state.next
    }
    defer { state.change { $0.running[number] = nil } }
    return try body()
  }

  var overdue: String? { state.value.overdue }
  var mostThreads: Int { state.value.mostThreads }
  func fail(_ what: String) { state.change { $0.overdue = $0.overdue ?? what } }
  func end() { state.change { $0.isOver = true } }

  /// The threads of this process, on systems that report them.
  static var threads: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }

  /// The databases that this process has open, on systems that report them.
  static var openFiles: Set<String> {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    return Set(files.filter { $0.contains("stress.db") })
  }

  /// The processor time that this process has used.
  static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
