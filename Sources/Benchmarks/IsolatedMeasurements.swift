import CFetchedResultsSQLite
import FetchedResults
import FetchedResultsSupport

/// What an update costs at a pace: one row of 100,000 moves, back to back or every 20 ms, when threads have gone to
/// sleep and caches are cold. Each is compared with a raw commit that re-reads its row, at the same pace and in turn.
enum IsolatedMeasurements {
  enum Pace: UInt32 {
    case backToBack = 0
    case isolated = 20_000

    /// How many commits of a kind follow each other.
    var block: Int { self == .backToBack ? 100 : 10 }
  }

  struct Result {
    /// The microseconds of each commit until its row has been read again, and until its update.
    var raw: [Double] = []
    var ours: [Double] = []
    /// The processor time of one commit in microseconds, on all threads.
    var rawProcessor = 0.0
    var ourProcessor = 0.0
  }

  static func measure(_ context: BenchContext, _ pace: Pace) throws -> Result {
    let setting = try Setting(rows: 100_000)
    let controller = try setting.controller()
    let arrival = Arrival()
    let observation = controller.observeOnAnyThread { _ in arrival.arrived() }
    defer { observation.cancel() }
    let raw = setting.raw
    let (begin, commit) = (try raw.prepare("BEGIN IMMEDIATE"), try raw.prepare("COMMIT"))
    let update = try raw.prepare("UPDATE item SET position = ?1 WHERE id = ?2")
    let select = try raw.prepare("SELECT * FROM item WHERE id = ?1")
    defer { for statement in [begin, commit, update, select] { sqlite3_finalize(statement) } }
    var random = SystemRandomNumberGenerator()
    var result = Result()
    var (rawUsed, ourUsed): ([Double], [Double]) = ([], [])
    for round in 0..<(2 * context.rounds + 1) {
      let used = processorMicroseconds()
      for _ in 0..<pace.block {
        if pace != .backToBack { usleep(pace.rawValue) }
        let (id, place) = change(&random)
        let started = monotonicNanoseconds()
        try raw.run(begin)
        try raw.run(update, place, id)
        try raw.run(commit)
        sqlite3_bind_int64(select, 1, id)
        let items = raw.items(select)
        if round > 0 { result.raw.append(Double(monotonicNanoseconds() - started) / 1000) }
        try context.check(items.map(\.position) == [place], "another row by hand")
      }
      let between = processorMicroseconds()
      for _ in 0..<pace.block {
        if pace != .backToBack { usleep(pace.rawValue) }
        let (id, place) = change(&random)
        let started = monotonicNanoseconds()
        try setting.database.write { c in _ = try c.execute("UPDATE item SET position = \(place) WHERE id = \(id)") }
        let time = Double(try arrival.wait() - started) / 1000
        if round > 0 { result.ours.append(time) }
      }
      if round > 0 {
        rawUsed.append((between - used) / Double(pace.block))
        ourUsed.append((processorMicroseconds() - between) / Double(pace.block))
      }
    }
    result.rawProcessor = BenchContext.median(rawUsed)
    result.ourProcessor = BenchContext.median(ourUsed)
    try setting.check(controller)
    return result
  }

  private static func change(_ random: inout SystemRandomNumberGenerator) -> (id: Int64, place: Int64) {
    (Int64.random(in: 1...100_000, using: &random), Int64.random(in: 0..<1_000_003, using: &random))
  }

  /// The processor time that this process has used, on all threads.
  private static func processorMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1000
  }

  /// How often threads of this process wake up in a second, with 100 controllers while nothing happens.
  static func idleWakeups(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 1000)
    let controllers = try (0..<100).map { _ in try setting.controller() }
    try setting.database.write { c in _ = try c.execute("UPDATE item SET position = 1 WHERE id = 1") }
    for controller in controllers { try wait { try await controller.settled() } }
    sleep(3)
    let before = try voluntarySwitches()
    sleep(10)
    let after = try voluntarySwitches()
    try setting.check(controllers[0])
    // This thread has slept once.
    return Figure(value: Double(max(0, after - before - 1)) / 10, unit: "per second")
  }

  /// How often the threads of this process have given up their processors. Only Linux reports it.
  private static func voluntarySwitches() throws -> Int {
    guard let folder = opendir("/proc/self/task") else {
      throw WrongResult("this system does not tell how often threads wake up")
    }
    defer { closedir(folder) }
    var sum = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != "..", let file = fopen("/proc/self/task/\(name)/status", "r") else { continue }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard text.hasPrefix("voluntary_ctxt_switches:") else { continue }
        sum += text.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int($0) } ?? 0
      }
    }
    return sum
  }
}
