import CFetchedResultsSQLite
import Dispatch
import FetchedResults
import FetchedResultsSupport
import Synchronization

/// The measurements of the controller.
enum ControllerMeasurements {
  /// The microseconds from before a write to its update, minus those of the raw write.
  static func updateLatency(_ context: BenchContext, rows: Int, isJoined: Bool = false) throws -> Double {
    let latency = try UpdateLatency(rows: rows, isJoined: isJoined)
    for _ in 0..<UpdateLatency.blocks { try latency.measureBlock() }
    return try latency.result(context)
  }

  /// The ratio for many rows to few, with changes to the two in turn, so that both run on the machine at the same
  /// moment.
  static func updateGrowth(_ context: BenchContext) throws -> Figure {
    let large = try UpdateLatency(rows: 1_000_000)
    let small = try UpdateLatency(rows: 1000)
    for _ in 0..<UpdateLatency.blocks {
      try large.measureBlock()
      try small.measureBlock()
    }
    return .ratio(try large.result(context) / small.result(context))
  }

  static func writesOverhead(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 100_000)
    var random = SystemRandomNumberGenerator()
    func writes() throws {
      for _ in 0..<1000 {
        let id = Int64.random(in: 1...100_000, using: &random)
        let place = Int64.random(in: 0..<1_000_003, using: &random)
        try setting.database.write { c in try c.execute("UPDATE item SET position = \(place) WHERE id = \(id)") }
      }
    }
    var ratios: [Double] = []
    for round in 0...context.rounds {
      try setting.database.checkpoint()
      let controller = try setting.controller()
      let subject = try BenchContext.seconds {
        try writes()
        try wait { try await controller.settled() }
      }
      try setting.check(controller)
      controller.stop()
      try setting.database.checkpoint()
      let baseline = try BenchContext.seconds(writes)
      if round > 0 { ratios.append(subject / baseline) }
    }
    return .ratio(BenchContext.median(ratios))
  }

  static func bulk(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 100_000)
    let controller = try setting.controller()
    let arrival = Arrival()
    let observation = controller.observeOnAnyThread { _ in arrival.arrived() }
    defer { observation.cancel() }
    let query = try setting.raw.prepare("SELECT * FROM item ORDER BY section, position, id")
    defer { sqlite3_finalize(query) }
    var ratios: [Double] = []
    for round in 0...context.rounds {
      // From the commit on: the transaction itself is the writer's own work, with or without a controller.
      var committed: UInt64 = 0
      try setting.database.write { c in
        try c.execute("UPDATE item SET position = (position * 7 + 13) % 1000003 WHERE id % 10 = \(round % 10)")
        committed = monotonicNanoseconds()
      }
      let subject = Double(try arrival.wait() - committed)
      var count = 0
      let baseline = BenchContext.seconds { count = setting.raw.items(query).count }
      try context.check(count == 100_000, "\(count) rows by hand")
      if round > 0 { ratios.append(subject / (baseline * 1e9)) }
    }
    try setting.check(controller)
    return .ratio(BenchContext.median(ratios))
  }

  static func fetch(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 1_000_000)
    let query = try setting.raw.prepare("SELECT * FROM item ORDER BY section, position, id")
    defer { sqlite3_finalize(query) }
    return try context.ratio {
      let controller = FetchedResultsController(fetchRequest: BenchItem.request(), database: setting.database)
      try controller.performFetch()
      try context.check(controller.snapshot.numberOfItems == 1_000_000, "not all rows were fetched")
    } baseline: {
      try context.check(setting.raw.items(query).count == 1_000_000, "not all rows were read")
    }
  }

  static func requery(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 100_000)
    let sql = "SELECT DISTINCT id, section, title, done, position FROM item"
    let controller = try setting.controller(
      FetchRequest(sql: SQL(raw: sql), sectionBy: "section", orderBy: ["position"]))
    let arrival = Arrival()
    let observation = controller.observeOnAnyThread { _ in arrival.arrived() }
    defer { observation.cancel() }
    let query = try setting.raw.prepare("SELECT * FROM (\(sql)) ORDER BY section, position, id")
    defer { sqlite3_finalize(query) }
    var ratios: [Double] = []
    var random = SystemRandomNumberGenerator()
    for round in 0...context.rounds * 2 {
      let id = Int64.random(in: 1...100_000, using: &random)
      let before = monotonicNanoseconds()
      try setting.database.write { c in try c.execute("UPDATE item SET position = position + 1000003 WHERE id = \(id)")
      }
      let subject = Double(try arrival.wait() - before)
      var count = 0
      let baseline = BenchContext.seconds { count = setting.raw.items(query).count }
      try context.check(count == 100_000, "\(count) rows by hand")
      if round > 0 { ratios.append(subject / (baseline * 1e9)) }
    }
    try context.check(controller.statistics.incremental == 0, "the request was followed row by row")
    try setting.check(controller)
    return .ratio(BenchContext.median(ratios))
  }

  static func many(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 10_000)
    let arrivals = DispatchGroup()
    var controllers: [FetchedResultsController<BenchItem>] = []
    var observations: [ObservationToken] = []
    for number in 0..<100 {
      let controller = try setting.controller(
        FetchRequest(where: "position >= \(-number)", sectionBy: "section", orderBy: ["position"]))
      controllers.append(controller)
      observations.append(controller.observeOnAnyThread { _ in arrivals.leave() })
    }
    var random = SystemRandomNumberGenerator()
    var times: [Double] = []
    for round in 0..<60 {
      let id = Int64.random(in: 1...10_000, using: &random)
      for _ in controllers { arrivals.enter() }
      let before = monotonicNanoseconds()
      try setting.database.write { c in
        try c.execute("UPDATE item SET position = position + 1000003 WHERE id = \(id)")
      }
      guard arrivals.wait(timeout: .now() + .seconds(30)) == .success else { throw WrongResult("not all updates came") }
      if round >= 10 { times.append(Double(monotonicNanoseconds() - before) / 1000) }
    }
    for controller in [controllers[0], controllers[99]] { try setting.check(controller) }
    withExtendedLifetime(observations) {}
    return .microseconds(BenchContext.median(times))
  }

  static func slowFallback(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 1000)
    try setting.database.addFunction("slow", arguments: 1, isDeterministic: true) { values in
      let end = monotonicNanoseconds() + 300_000  // 1,000 rows: 300 ms a query
      while monotonicNanoseconds() < end {}
      return values[0]
    }
    var random = SystemRandomNumberGenerator()
    func latency() throws -> Double {
      var times: [Double] = []
      for _ in 0..<60 {
        let id = Int64.random(in: 1...1000, using: &random)
        times.append(
          try BenchContext.seconds {
            _ = try setting.database.write { c in
              try c.execute("UPDATE item SET position = position + 1 WHERE id = \(id)")
            }
          })
        usleep(5000)
      }
      return BenchContext.median(times)
    }
    var ratios: [Double] = []
    for round in 0...context.rounds * 2 {
      try setting.database.checkpoint()
      let baseline = try latency()
      let controller = try setting.controller(
        FetchRequest(
          sql: "SELECT DISTINCT id, section, title, done, slow(position) AS position FROM item", sectionBy: "section",
          orderBy: ["position"]))
      let subject = try latency()
      try wait { try await controller.settled() }
      try context.check(controller.statistics.requeried > 0, "nothing was run again")
      controller.stop()
      if round > 0 { ratios.append(subject / baseline) }
    }
    return .ratio(BenchContext.median(ratios))
  }

  /// The time of consecutive writes with 200 controllers and 1,000 readers, half of them stalled, compared with none.
  ///
  /// `isOwn` leaves out the time in which the writer was ready to run and had no processor.
  static func crowd(_ context: BenchContext, isOwn: Bool) throws -> Figure {
    let setting = try Setting(rows: 1000)
    var random = SystemRandomNumberGenerator()
    func writes() throws -> Double {
      let waited = isOwn ? try processorWait() : 0
      let seconds = try BenchContext.seconds {
        for _ in 0..<10_000 {
          let id = Int64.random(in: 1...1000, using: &random)
          try setting.database.write { c in
            _ = try c.execute("UPDATE item SET position = position + 7 WHERE id = \(id)")
          }
        }
      }
      return isOwn ? seconds - Double(try processorWait() - waited) / 1e9 : seconds
    }
    let requests = [
      BenchItem.request(), BenchItem.request(limit: 20), FetchRequest(orderBy: ["title"]),
      FetchRequest(where: "done", orderBy: [.descending("position")]), FetchRequest(sectionBy: "done"),
    ]
    var ratios: [Double] = []
    for round in 0...max(2, context.rounds / 2) {
      try setting.database.checkpoint()
      let baseline = try writes()
      try setting.database.checkpoint()
      let controllers = try (0..<200).map { try setting.controller(requests[$0 % requests.count]) }
      let readers = (0..<1000).map { controllers[$0 % 200].updates() }
      let tasks = readers.prefix(500).map { reader in Task { for await _ in reader {} } }
      let subject = try writes()
      for controller in controllers { try wait { try await controller.settled() } }
      try setting.check(controllers[0])
      for task in tasks { task.cancel() }
      withExtendedLifetime(readers) {}
      if round > 0 { ratios.append(subject / baseline) }
    }
    return .ratio(BenchContext.median(ratios))
  }
}
