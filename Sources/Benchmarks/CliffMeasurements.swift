import CFetchedResultsSQLite
import Dispatch
import FetchedResults
import FetchedResultsSupport

/// A row whose id the schema does not make unique, because NULL may occur more than once.
struct TextIDItem: Entity, Equatable {
  static let table = "part"
  static let idColumn = "uuid"
  var id: String?
  var kind: Int64
  var place: Int64

  init(row: Row) throws {
    id = try row["uuid"]
    kind = try row["kind"]
    place = try row["place"]
  }
}

/// A row of the same table.
struct PartItem: MappedEntity, Equatable {
  static let table = "part"
  static let mapping = Mapping(PartItem.init, ("id", \.id), ("kind", \.kind), ("place", \.place))
  var id: Int64
  var kind: Int64
  var place: Int64
}

/// A file with a table `part`, and lists of it.
final class Parts {
  let folder: TemporaryFolder
  let database: Database
  let rows: Int

  /// `kind` is an expression of `i`, from 1.
  init(rows: Int, kind: String) throws {
    folder = try TemporaryFolder()
    self.rows = rows
    var options = Database.Options()
    options.durability = .normal
    database = try Database(path: folder.path("parts.db"), options: options)
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE part(id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, kind INTEGER NOT NULL, place INTEGER NOT NULL);
        CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE tag(id INTEGER PRIMARY KEY, part INTEGER NOT NULL, name TEXT NOT NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO part SELECT i, printf('uuid-%08d', i), \(kind), i * 1048573 % 1000003 FROM n;
        CREATE INDEX part_kind ON part(kind, place);
        CREATE INDEX tag_part ON tag(part);
        """)
    }
    try database.checkpoint()
  }

  func controller<E: Entity & Equatable>(_ request: FetchRequest<E>) throws -> FetchedResultsController<E> {
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    try controller.performFetch()
    return controller
  }

  /// Fails unless a list is what a fresh fetch gives, and was never fetched as a whole.
  func check<E: Entity & Equatable>(_ list: FetchedResultsController<E>) throws {
    try wait { try await list.settled() }
    guard list.statistics.requeried == 0 else { throw WrongResult("run as a whole: \(list.statistics.reasons)") }
    guard try controller(list.fetchRequest).snapshot == list.snapshot else { throw WrongResult("another list") }
  }

  /// The microseconds from before a write to the update.
  func latency(_ arrival: Arrival, _ sql: SQL) throws -> Double {
    let before = monotonicNanoseconds()
    try database.write { c in _ = try c.execute(sql) }
    return Double(try arrival.wait() - before) / 1000
  }
}

/// The measurements of what once grew with the list and not with the commit.
enum CliffMeasurements {
  /// The ratio of the median latencies of two lists, with changes to the two in turn.
  private static func growth<E: Entity & Equatable>(
    _ large: Parts, _ small: Parts, _ request: FetchRequest<E>, _ change: (Parts, Int64) -> SQL
  ) throws -> Figure {
    var random = SystemRandomNumberGenerator()
    let settings = try [large, small].map { parts in
      let (controller, arrival) = (try parts.controller(request), Arrival())
      return (parts, controller, arrival, controller.observeOnAnyThread { _ in arrival.arrived() })
    }
    var times: [[Double]] = [[], []]
    for round in 0..<200 {
      for (index, (parts, _, arrival, _)) in settings.enumerated() {
        let id = Int64.random(in: 1...Int64(parts.rows), using: &random)
        let time = try parts.latency(arrival, change(parts, id))
        if round >= 40 { times[index].append(time) }
      }
    }
    for (parts, controller, _, observation) in settings {
      observation.cancel()
      try parts.check(controller)
    }
    return .ratio(BenchContext.median(times[0]) / BenchContext.median(times[1]))
  }

  static func textIDs() throws -> Figure {
    let request = FetchRequest<TextIDItem>(sectionBy: "kind", orderBy: ["place"])
    return try growth(Parts(rows: 400_000, kind: "i % 100"), Parts(rows: 4000, kind: "i % 100"), request) { _, id in
      "UPDATE part SET place = place + 1000003 WHERE id = \(id)"
    }
  }

  /// A row of the table that an IN selects from changes, so that a row of the list comes or goes.
  static func inList() throws -> Figure {
    let (large, small) = (try Parts(rows: 100_000, kind: "i % 100"), try Parts(rows: 1000, kind: "i % 100"))
    for parts in [large, small] {
      try parts.database.write { try $0.executeScript("INSERT INTO tag(part, name) SELECT id, 'a' FROM part") }
    }
    let request = FetchRequest<PartItem>(
      where: "id IN (SELECT part FROM tag WHERE name = \("a"))", sectionBy: "kind", orderBy: ["place"])
    return try growth(large, small, request) { _, id in
      "UPDATE tag SET name = CASE name WHEN 'a' THEN 'b' ELSE 'a' END WHERE part = \(id)"
    }
  }

  /// A fetch of a condition with many lists of another table, whose column no index has, against few, per list.
  static func planning(_ context: BenchContext) throws -> Figure {
    let parts = try Parts(rows: 1000, kind: "i % 100")
    func time(_ count: Int) throws -> Double {
      let lists = (0..<count).map { "place IN (SELECT id FROM kind WHERE name = 'kind \($0)')" }
      let request = FetchRequest<PartItem>(where: SQL(raw: lists.joined(separator: " OR ")), orderBy: ["place"])
      let list = FetchedResultsController(fetchRequest: request, database: parts.database)
      return try BenchContext.seconds { try list.performFetch() } / Double(count)
    }
    var ratios: [Double] = []
    for _ in 0..<(2 + context.rounds) { ratios.append(try time(48) / time(12)) }
    return .ratio(BenchContext.median(ratios))
  }

  /// A row of another table is added with 1,000 lists, each of which asks for it with a statement of its own, against
  /// 250, per list.
  static func texts(_ context: BenchContext) throws -> Figure {
    var random = SystemRandomNumberGenerator()
    func time(_ count: Int) throws -> Double {
      let parts = try Parts(rows: 1000, kind: "i % 100")
      let lists = try (0..<count).map { number in
        try parts.controller(
          FetchRequest<PartItem>(
            where: "id IN (SELECT part FROM tag WHERE name = '\(raw: "name \(number)")')", orderBy: ["place"]))
      }
      var times: [Double] = []
      for round in 0..<(8 + 4 * context.rounds) {
        let id = Int64.random(in: 1...1000, using: &random)
        let name = "name \(round * 37 % count)"
        let seconds = try BenchContext.seconds {
          try parts.database.write { _ = try $0.execute("INSERT INTO tag(part, name) VALUES (\(id), \(name))") }
        }
        for list in lists { try wait { try await list.settled() } }
        if round >= 8 { times.append(seconds) }
      }
      for number in [0, 37, count - 1] { try parts.check(lists[number]) }
      for list in lists { list.stop() }
      return BenchContext.median(times) / Double(count)
    }
    return .ratio(try time(1000) / time(250))
  }

  /// One row changes in a list of which most sections are empty.
  static func emptySections() throws -> Figure {
    let (large, small) = (try Parts(rows: 1000, kind: "i * 32"), try Parts(rows: 1000, kind: "i * 3"))
    for (parts, kinds) in [(large, 32_000), (small, 3000)] {
      try parts.database.write { c in
        try c.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(kinds))
          INSERT INTO kind SELECT i, 'kind ' || i FROM n
          """)
      }
    }
    let request = FetchRequest<PartItem>(
      sectionBy: .by("kind", including: "SELECT id, name FROM kind"), orderBy: ["place"])
    return try growth(large, small, request) { _, id in
      // A section loses its only row, and another one gets its first.
      "UPDATE part SET kind = CASE kind WHEN id * 3 THEN id * 3 - 1 ELSE id * 3 END WHERE id = \(id)"
    }
  }

  /// One row moves to another section within a long window, against a short one.
  static func window() throws -> Figure {
    var random = SystemRandomNumberGenerator()
    var times: [[Double]] = [[], []]
    let limits = [100_000, 1000]
    let settings = try limits.map { limit in
      let parts = try Parts(rows: 200_000, kind: "i / 4")
      let request = FetchRequest<PartItem>(
        sectionBy: .by("kind", name: "'kind ' || kind"), orderBy: ["place"], limit: limit)
      let (controller, arrival) = (try parts.controller(request), Arrival())
      return (parts, controller, arrival, controller.observeOnAnyThread { _ in arrival.arrived() })
    }
    for round in 0..<200 {
      for (index, (parts, _, arrival, _)) in settings.enumerated() {
        let id = Int64.random(in: 8...Int64(limits[index] / 2), using: &random)
        let time = try parts.latency(
          arrival, "UPDATE part SET kind = kind + 1 - 2 * (kind % 2), place = place + 1 WHERE id = \(id)")
        if round >= 40 { times[index].append(time) }
      }
    }
    for (parts, controller, _, observation) in settings {
      observation.cancel()
      try parts.check(controller)
    }
    return .ratio(BenchContext.median(times[0]) / BenchContext.median(times[1]))
  }

  /// The rows that a list reads for a commit outside its window of 10,000 rows in 5,000 named sections.
  static func windowRowsRead() throws -> Figure {
    let parts = try Parts(rows: 20_000, kind: "i / 2")
    let controller = try parts.controller(
      FetchRequest<PartItem>(
        sectionBy: .by("kind", name: "'kind ' || kind"), orderBy: ["place"], limit: 10_000))
    let before = controller.statistics.rowsRead
    try parts.database.write { c in _ = try c.execute("UPDATE part SET place = place + 1 WHERE id = 19000") }
    try wait { try await controller.settled() }
    let read = controller.statistics.rowsRead - before
    try parts.check(controller)
    return Figure(value: Double(read), unit: "rows")
  }

  /// The time of many new sections, for each of them, in a list of many against one of few.
  static func newSections(_ context: BenchContext) throws -> Figure {
    func time(_ new: Int, _ old: Int) throws -> Double {
      let parts = try Parts(rows: old, kind: "i * 5")
      let controller = try parts.controller(
        FetchRequest<PartItem>(sectionBy: .by("kind", orderedBy: [.ascending("kind % 97")]), orderBy: ["place"]))
      let arrival = Arrival()
      let observation = controller.observeOnAnyThread { _ in arrival.arrived() }
      defer { observation.cancel() }
      var committed: UInt64 = 0
      try parts.database.write { c in
        try c.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(new))
          INSERT INTO part(kind, place) SELECT i * 20 + 1, i FROM n
          """)
        committed = monotonicNanoseconds()
      }
      let time = Double(try arrival.wait() - committed) / Double(new)
      try context.check(controller.sections.count == old + new, "\(controller.sections.count) sections")
      try parts.check(controller)
      return time
    }
    var ratios: [Double] = []
    for round in 0...max(2, context.rounds / 2) {
      let ratio = try time(8000, 32_000) / time(800, 3200)
      if round > 0 { ratios.append(ratio) }
    }
    return .ratio(BenchContext.median(ratios))
  }

  /// The time of a write of 20,000 rows with 300 lists that need the state before it, against one.
  static func oldState(_ context: BenchContext) throws -> Figure {
    let parts = try Parts(rows: 500, kind: "i % 10")
    try parts.database.write { c in
      try c.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO tag SELECT i, i % 500 + 1, 'a' FROM n
        """)
    }
    let write: SQL = "UPDATE tag SET name = name || 'b'"
    func time(_ lists: Int) throws -> Double {
      let controllers = try (0..<lists).map { number in
        try parts.controller(
          FetchRequest<PartItem>(
            where: "kind >= \(number % 5) AND EXISTS (SELECT 1 FROM tag WHERE tag.part = part.id)", orderBy: ["place"]))
      }
      defer { for controller in controllers { controller.stop() } }
      try parts.database.checkpoint()
      let time = try BenchContext.seconds { try parts.database.write { c in _ = try c.execute(write) } }
      let first = controllers[0]
      try wait { try await first.settled() }
      return time
    }
    var ratios: [Double] = []
    for round in 0...max(2, context.rounds / 2) {
      let ratio = try time(300) / time(1)
      if round > 0 { ratios.append(ratio) }
    }
    return .ratio(BenchContext.median(ratios))
  }

  /// 1,000 lists on one table, of which a commit concerns two.
  static func many(_ context: BenchContext) throws -> Figure {
    let parts = try Parts(rows: 20_000, kind: "i % 1000")
    let controllers = try (0..<1000).map { number in
      try parts.controller(FetchRequest<PartItem>(where: "kind = \(number)", orderBy: ["place"]))
    }
    var times: [Double] = []
    for round in 0..<(10 + 3 * context.rounds) {
      let id = round * 37 + 5
      let before = monotonicNanoseconds()
      try parts.database.write { c in
        _ = try c.execute("UPDATE part SET kind = (kind + 500) % 1000 WHERE id = \(id)")
      }
      try wait {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for controller in controllers { group.addTask { try await controller.settled() } }
          try await group.waitForAll()
        }
      }
      if round >= 10 { times.append(Double(monotonicNanoseconds() - before) / 1000) }
    }
    for controller in [controllers[5], controllers[505], controllers[42]] { try parts.check(controller) }
    return .microseconds(BenchContext.median(times))
  }

  /// 100 rows of 1,000,000 in one commit, against reading these by key and sorting them.
  static func hundredRows(_ context: BenchContext) throws -> Figure {
    let setting = try Setting(rows: 1_000_000)
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
    var ratios: [Double] = []
    for round in 0..<(5 + 4 * context.rounds) {
      let changes = (0..<100).map { _ in
        (id: Int64.random(in: 1...1_000_000, using: &random), place: Int64.random(in: 0..<1_000_003, using: &random))
      }
      let write = try BenchContext.seconds {
        try raw.run(begin)
        for (id, place) in changes { try raw.run(update, place, id) }
        try raw.run(commit)
      }
      var items: [BenchItem] = []
      let read = BenchContext.seconds {
        for (id, _) in changes {
          sqlite3_bind_int64(select, 1, id)
          items += raw.items(select)
        }
        items.sort { ($0.section, $0.position, $0.id) < ($1.section, $1.position, $1.id) }
      }
      try context.check(items.count == 100, "\(items.count) rows by hand")
      let before = monotonicNanoseconds()
      try setting.database.write { c in
        for (id, place) in changes { try c.execute("UPDATE item SET position = \(place) WHERE id = \(id)") }
      }
      let subject = Double(try arrival.wait() - before) / 1e9 - write
      if round >= 5 { ratios.append(subject / read) }
    }
    try setting.check(controller)
    return .ratio(BenchContext.median(ratios))
  }
}
