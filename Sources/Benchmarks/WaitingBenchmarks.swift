import Dispatch
import FetchedResults
import FetchedResultsSupport
import SQLiteStore
import Synchronization

/// How long calls wait for others, and how many threads that takes.
func waitingBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      "frc.writer_beside_observer_ms_p99",
      "a one-row write beside an observer of 1.5 ms and another thread that writes each millisecond"
    ) {
      try WaitingMeasurements.writerBesideObserver($0)
    },
    Benchmark(
      "frc.observer_crosstalk",
      "from a write to the list's update, beside an observer of another table that sleeps, against without"
    ) {
      try WaitingMeasurements.crosstalk($0)
    },
    Benchmark("frc.threads_3000", "the most threads while 3,000 lists fail, and then 3,000 tasks wait for one") {
      try WaitingMeasurements.threads($0)
    },
    Benchmark("store.cancel_ms_p99", "from a cancellation to the end of the call, for each kind of call at any point") {
      try WaitingMeasurements.cancellation($0)
    },
  ]
}

private enum WaitingMeasurements {
  private static func latest99(_ times: [Double]) -> Double { times.sorted()[times.count * 99 / 100] }

  /// A flag that ends a thread's work.
  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  static func writerBesideObserver(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 1000)
    let database = setting.database
    let told = Counter()
    let observation = database.observe(["item"]) { _ in
      usleep(1500)
      told.add(1)
    }
    let isOver = Flag()
    let written = Counter()
    let done = DispatchSemaphore(value: 0)
    guard
      BackgroundThread.start({
        while !isOver.isSet {
          guard (try? database.write({ try $0.execute("UPDATE item SET position = position + 1 WHERE id = 1") })) != nil
          else { break }
          written.add(1)
          usleep(1000)
        }
        done.signal()
      })
    else { throw WrongResult("no thread can be started") }
    defer {
      isOver.set()
      done.wait()
    }
    var times: [Double] = []
    for _ in 0..<1000 * max(1, context.rounds / 3) {
      times.append(
        try BenchContext.seconds {
          _ = try database.write { try $0.execute("UPDATE item SET position = position + 1 WHERE id = 2") }
        })
      usleep(500)
    }
    try context.check(written.value > 100, "the other thread did not write")
    try context.check(told.value > 10, "the observer was not called")
    withExtendedLifetime(observation) {}
    return .milliseconds(latest99(times) * 1000)
  }

  static func crosstalk(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 1000)
    let database = setting.database
    let controller = try setting.controller()
    var number: Int64 = 0
    func latency() throws -> Double {
      var times: [Double] = []
      for _ in 0..<100 {
        number += 1
        times.append(
          try BenchContext.seconds {
            try database.write { c in
              _ = try c.execute("UPDATE item SET position = position + 7 WHERE id = \(number % 1000 + 1)")
              _ = try c.execute("UPDATE note SET text = \("note \(number)") WHERE id = \(number % 1000 + 1)")
            }
            try wait { try await controller.settled() }
          })
      }
      return BenchContext.median(times)
    }
    var ratios: [Double] = []
    for round in 0...context.rounds {
      let baseline = try latency()
      let told = Counter()
      let observation = database.observe(["note"]) { _ in
        told.add(1)
        usleep(100_000)
      }
      let subject = try latency()
      observation.cancel()
      try context.check(told.value > 0, "the observer was not called")
      if round > 0 { ratios.append(subject / baseline) }
    }
    try setting.check(controller)
    return .ratio(BenchContext.median(ratios))
  }

  /// The threads of this process.
  private static func threads() throws -> Int {
    #if os(Linux)
      guard let folder = opendir("/proc/self/task") else { throw WrongResult("this system does not tell its threads") }
      defer { closedir(folder) }
      var count = 0
      while readdir(folder) != nil { count += 1 }
      return count - 2
    #else
      throw WrongResult("this system does not tell its threads")
    #endif
  }

  static func threads(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 20)
    let database = setting.database
    let lists = try (0..<3000).map { _ in try setting.controller() }
    var most = try threads()
    func watch(_ microseconds: UInt64) throws {
      let end = monotonicNanoseconds() + microseconds * 1000
      while monotonicNanoseconds() < end {
        most = max(most, try threads())
        usleep(2000)
      }
    }
    // A title that is no text.
    try database.write { _ = try $0.execute("UPDATE item SET title = x'FF' WHERE id = 1") }
    try watch(3_000_000)
    try context.check(lists.allSatisfy { $0.lastError != nil }, "not all lists fail")
    try database.write { _ = try $0.execute("UPDATE item SET title = 'a title' WHERE id = 1") }
    let served = Counter()
    for list in lists {
      Task {
        do {
          try await list.settled()
          served.add(1)
        } catch {
          // It is not counted.
        }
      }
    }
    let end = monotonicNanoseconds() + 60_000_000_000
    while served.value < lists.count, monotonicNanoseconds() < end { try watch(10_000) }
    try context.check(served.value == lists.count, "\(served.value) of \(lists.count) came to an end")
    for index in [0, 2999] { try setting.check(lists[index]) }
    return Figure(value: Double(most), unit: "threads")
  }

  private static let endless: SQL =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n WHERE x < 0"

  static func cancellation(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 100)
    let database = setting.database
    let controller = try setting.controller()
    let slow = FetchedResultsController(
      fetchRequest: FetchRequest<BenchItem>(where: "EXISTS (\(endless) LIMIT 1 OFFSET 1)"), database: database)
    let large = [UInt8](repeating: 7, count: 20_000_000)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await database.read { try $0.value(endless, as: Int.self) } },
      { _ = try await database.write { try $0.value(endless, as: Int.self) } },
      { try await slow.performFetch() },
      // Nothing runs yet while it is bound.
      { _ = try await database.read { try $0.value("SELECT length(\(large)) FROM (\(endless))", as: Int.self) } },
      { while true { try await controller.settled(); try Task.checkCancellation() } },
    ]
    var times: [Double] = []
    var random = SystemRandomNumberGenerator()
    for round in 0..<60 * max(1, context.rounds / 3) {
      // Of each kind several at once, so that most of them wait for others.
      let ends = Ends()
      let tasks = (0..<10).map { index in
        Task {
          var isCancelled = false
          do { try await calls[(round + index) % calls.count]() } catch is CancellationError {
            isCancelled = true
          } catch {}
          ends.add(monotonicNanoseconds(), isCancelled)
        }
      }
      usleep(UInt32.random(in: 0..<20_000, using: &random))
      let began = monotonicNanoseconds()
      for task in tasks { task.cancel() }
      let limit = began + 30_000_000_000
      while ends.all.count < tasks.count, monotonicNanoseconds() < limit { usleep(500) }
      try context.check(ends.all.count == tasks.count, "a call did not end")
      try context.check(ends.all.allSatisfy(\.isCancelled), "a call ended otherwise")
      for end in ends.all { times.append(Double(max(end.time, began) - began) / 1e6) }
    }
    try setting.check(controller)
    return .milliseconds(latest99(times))
  }

  private final class Ends: @unchecked Sendable {  // because every access is under `mutex`
    private let mutex = Mutex()
    private var ends: [(time: UInt64, isCancelled: Bool)] = []
    var all: [(time: UInt64, isCancelled: Bool)] { mutex.withLock { ends } }
    func add(_ time: UInt64, _ isCancelled: Bool) { mutex.withLock { ends.append((time, isCancelled)) } }
  }
}
