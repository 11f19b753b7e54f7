import CFetchedResultsSQLite
import FetchedResultsSupport
import SQLiteStore

/// The store: decoding, writing, capture, opening, other processes' commits. Each is compared with a loop over SQLite's
/// C interface that does the same work on a file of the same kind.
func storeBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      "store.decode_vs_raw", "1,000,000 rows from a covering index into entities, against the same rows by hand"
    ) {
      try decode($0)
    },
    Benchmark("store.insert_bulk_vs_raw", "100,000 entities in one transaction, against prepared inserts by hand") {
      try insertBulk($0)
    },
    Benchmark(
      "store.update_changed_vs_raw",
      "100,000 `update(changing:)` of one column each, against prepared statements of that column by hand"
    ) {
      try updateChanged($0)
    },
    Benchmark("store.commit_vs_raw", "1,000 one-row transactions (WAL, NORMAL), against the same by hand") {
      try commits($0)
    },
    Benchmark("store.capture_vs_off", "the same two with capture on against off, the worse of the two") {
      try capture($0)
    },
    Benchmark("store.open_us", "open an existing migrated database and read one row") { try opening($0) },
    Benchmark(
      "store.rss_after_300mb_mb", "resident memory after one text of 300 MB was written and read, above that before"
    ) {
      try memoryAfterLargeText($0)
    },
    Benchmark(
      "store.script_vs_shell_100k", "a script of 100,000 inserts in memory, against the sqlite3 program with the same"
    ) {
      try script($0)
    },
    Benchmark("store.access_check_ns", "the check, before each statement, that its connection may be used here") {
      try accessCheck($0)
    },
    Benchmark("store.external_commit_p50_us", "another process commits, until its keys are here (recorded history)") {
      try externalCommits($0)
    },
  ]
}

private struct Record: MappedEntity, Equatable {
  static let table = "record"
  static let mapping = Mapping(
    Record.init, ("id", \.id), ("section", \.section), ("title", \.title), ("done", \.done), ("position", \.position))
  var id: Int64
  var section: String
  var title: String
  var done: Bool
  var position: Int

  static let schema: SQL = """
    CREATE TABLE record(id INTEGER PRIMARY KEY, section TEXT NOT NULL, title TEXT NOT NULL, done INTEGER NOT NULL,
      position INTEGER NOT NULL)
    """

  static func sample(_ index: Int) -> Record {
    Record(
      id: Int64(index), section: "section \(index % 100)", title: "the title of item number \(index)",
      done: index.isMultiple(of: 3), position: index)
  }
}

// MARK: By hand

extension RawConnection {
  fileprivate static let insertion = "INSERT INTO record(id, section, title, done, position) VALUES (?, ?, ?, ?, ?)"

  fileprivate func bind(_ record: Record, to statement: OpaquePointer) {
    sqlite3_bind_int64(statement, 1, record.id)
    sqlite3_bind_text(statement, 2, record.section, -1, frc_transient())
    sqlite3_bind_text(statement, 3, record.title, -1, frc_transient())
    sqlite3_bind_int64(statement, 4, record.done ? 1 : 0)
    sqlite3_bind_int64(statement, 5, Int64(record.position))
  }
}

// MARK: The measurements

private func options() -> Database.Options {
  var options = Database.Options()
  options.durability = .normal
  return options
}

private func decode(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = folder.path("decode.db")
  let rows = 1_000_000
  let database = try Database(path: path, options: options())
  try database.write { connection in
    try connection.execute(Record.schema)
    for index in 0..<rows { try connection.insert(Record.sample(index)) }
    try connection.execute("CREATE INDEX record_list ON record(section, position, title, done)")
  }
  let query = "SELECT id, section, title, done, position FROM record ORDER BY section, position"
  let raw = try RawConnection(path)
  let statement = try raw.prepare(query)
  defer { sqlite3_finalize(statement) }
  return try context.ratio {
    let records = try database.read { try $0.entities(SQL(raw: query), of: Record.self) }
    try context.check(records.count == rows && records[1] == Record.sample(100), "entities: wrong rows")
  } baseline: {
    var records: [Record] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      records.append(
        Record(
          id: sqlite3_column_int64(statement, 0), section: String(cString: sqlite3_column_text(statement, 1)),
          title: String(cString: sqlite3_column_text(statement, 2)), done: sqlite3_column_int64(statement, 3) != 0,
          position: Int(sqlite3_column_int64(statement, 4))))
    }
    sqlite3_reset(statement)
    try context.check(records.count == rows && records[1] == Record.sample(100), "by hand: wrong rows")
  }
}

private let bulk = 100_000
// Tables are emptied row by row (WHERE true): a hook prevents SQLite from dropping all pages at once, and the compared
// measurements must start with files in the same state.

private func insertBulk(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let records = (0..<bulk).map(Record.sample)
  let database = try Database(path: folder.path("ours.db"), options: options())
  try database.write { try $0.execute(Record.schema) }
  let raw = try RawConnection(folder.path("raw.db"))
  try raw.execute(Record.schema.text)
  let statement = try raw.prepare(RawConnection.insertion)
  defer { sqlite3_finalize(statement) }
  return try context.ratio(
    preparing: {
      try database.write { try $0.execute("DELETE FROM record WHERE true") }
      try raw.execute("DELETE FROM record WHERE true")
    },
    subject: { try insertAll(records, into: database) },
    baseline: {
      try raw.execute("BEGIN IMMEDIATE")
      for record in records {
        raw.bind(record, to: statement)
        guard sqlite3_step(statement) == SQLITE_DONE else { throw WrongResult("by hand: an insert failed") }
        sqlite3_reset(statement)
      }
      try raw.execute("COMMIT")
    },
    checking: {
      let count = try database.read { try $0.count(Record.self) }
      let last = try database.read { try $0.entity(Record.self, id: Int64(bulk - 1)) }
      try context.check(count == bulk && last == records[bulk - 1], "entities: wrong rows")
    })
}

private func updateChanged(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  var records = (0..<bulk).map(Record.sample)
  let database = try Database(path: folder.path("ours.db"), options: options())
  try database.write { try $0.execute(Record.schema) }
  try insertAll(records, into: database)
  let raw = try RawConnection(folder.path("raw.db"))
  try raw.execute(Record.schema.text)
  let insertion = try raw.prepare(RawConnection.insertion)
  try raw.execute("BEGIN IMMEDIATE")
  for record in records {
    raw.bind(record, to: insertion)
    try raw.run(insertion)
  }
  try raw.execute("COMMIT")
  let statement = try raw.prepare("UPDATE record SET position = ?1 WHERE id = ?2")
  defer { for statement in [insertion, statement] { sqlite3_finalize(statement) } }
  let positions = records.map(\.position)
  var round = 0
  return try context.ratio(
    preparing: { round += 1 },
    subject: {
      try database.write { c in
        for index in records.indices { try c.update(changing: &records[index]) { $0.position += 1 } }
      }
    },
    baseline: {
      try raw.execute("BEGIN IMMEDIATE")
      for index in positions.indices { try raw.run(statement, Int64(positions[index] + round), Int64(index)) }
      try raw.execute("COMMIT")
    },
    checking: {
      let last = try database.read { try $0.entity(Record.self, id: Int64(bulk - 1)) }
      try context.check(
        last == records[bulk - 1] && last?.position == Record.sample(bulk - 1).position + round, "a wrong row")
    })
}

private func insertAll(_ records: [Record], into database: Database) throws {
  try database.write { connection in
    for record in records { try connection.insert(record) }
  }
}

private func insertSingly(_ count: Int, into database: Database) throws {
  for index in 0..<count { try database.write { _ = try $0.insert(Record.sample(index)) } }
}

private func commits(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let database = try Database(path: folder.path("ours.db"), options: options())
  try database.write { try $0.execute(Record.schema) }
  let raw = try RawConnection(folder.path("raw.db"))
  try raw.execute(Record.schema.text)
  let statements = try (
    begin: raw.prepare("BEGIN IMMEDIATE"), insert: raw.prepare(RawConnection.insertion), commit: raw.prepare("COMMIT")
  )
  defer { for statement in [statements.begin, statements.insert, statements.commit] { sqlite3_finalize(statement) } }
  return try BenchContext(rounds: context.rounds * 5).ratio(
    preparing: {
      try database.write { try $0.execute("DELETE FROM record WHERE true") }
      try raw.execute("DELETE FROM record WHERE true")
    },
    subject: { try insertSingly(1000, into: database) },
    baseline: {
      for index in 0..<1000 {
        raw.bind(Record.sample(index), to: statements.insert)
        for statement in [statements.begin, statements.insert, statements.commit] {
          guard sqlite3_step(statement) == SQLITE_DONE else { throw WrongResult("by hand: a commit failed") }
          sqlite3_reset(statement)
        }
      }
    },
    checking: {
      try context.check(try database.read { try $0.count(Record.self) } == 1000, "entities: wrong rows")
    })
}

private func capture(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let records = (0..<bulk).map(Record.sample)
  let first = try Database(path: folder.path("first.db"), options: options())
  let second = try Database(path: folder.path("second.db"), options: options())
  for database in [first, second] { try database.write { try $0.execute(Record.schema) } }
  let counter = Counter()
  func ratio(
    _ count: Int, rounds: Int, on: Database, off: Database, _ work: (Database) throws -> Void
  ) throws -> Double {
    let observation = on.observe(["record"]) { commit in
      if case .rowIDs(let ids)? = commit.changes["record"] { counter.add(ids.count) }
    }
    defer { observation.cancel() }
    return try BenchContext(rounds: rounds).ratio(
      preparing: {
        for database in [off, on] { try database.write { try $0.execute("DELETE FROM record WHERE true") } }
        try on.catchUp()
        counter.reset()
      },
      subject: { try work(on) }, baseline: { try work(off) },
      checking: {
        try on.catchUp()
        try context.check(counter.value == count, "\(counter.value) keys for \(count) rows")
      }
    ).value
  }
  // Two files with the same rows differ by up to 3% as long as they exist, so both measurements run on each file. A
  // thousand commits take milliseconds, of which a disturbance by other work can be a tenth: so use more rounds.
  func ratio(_ count: Int, times: Int, _ work: (Database) throws -> Void) throws -> Double {
    let rounds = (context.rounds * times + 1) / 2
    let one = try ratio(count, rounds: rounds, on: first, off: second, work)
    let other = try ratio(count, rounds: rounds, on: second, off: first, work)
    return (one * other).squareRoot()
  }
  let many = try ratio(bulk, times: 2) { try insertAll(records, into: $0) }
  let single = try ratio(1000, times: 30) { try insertSingly(1000, into: $0) }
  return .ratio(max(many, single))
}

private func opening(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = folder.path("open.db")
  let migrations = [Migration("0001_record", sql: Record.schema.text)]
  do {
    let database = try Database(path: path)
    try database.migrate(migrations)
    try database.write { connection in for index in 0..<1000 { try connection.insert(Record.sample(index)) } }
    try database.close()
  }
  return .microseconds(
    try context.median {
      var found: Record?
      let seconds = try BenchContext.seconds {
        let database = try Database(path: path)
        found = try database.read { try $0.entity(Record.self, id: 7) }
      }
      try context.check(found == Record.sample(7), "the wrong row")
      return seconds * 1e6
    })
}

// MARK: Another process

private func externalCommits(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = folder.path("shared.db")
  let database = try Database(path: path, options: options())
  try database.write { try $0.execute(Record.schema) }
  try database.recordHistory(of: ["record"])
  let count = 300
  let arrivals = Arrivals()
  let observation = database.observe(["record"]) { commit in
    let now = monotonicNanoseconds()
    if case .rowIDs(let ids)? = commit.changes["record"] { arrivals.add(ids, at: now) }
  }
  defer { observation.cancel() }
  let child = try ChildProcess(["--external-writer", path, String(count)])
  let status = child.wait()
  try context.check(status == 0, "the other process ended with status \(status)")
  try database.catchUp()
  let latencies = try (0..<count).map { index -> Double in
    guard let arrival = arrivals.time(of: Int64(index)) else { throw WrongResult("commit \(index) did not arrive") }
    let sent = try database.read {
      try $0.value("SELECT position FROM record WHERE id = \(index)", as: Int64.self) ?? 0
    }
    return Double(Int64(arrival) - sent) / 1000
  }
  return .microseconds(BenchContext.median(latencies))
}

/// The work of the other process: a commit every few milliseconds, each with the time just before its COMMIT.
func writeExternally(path: String, count: Int) throws {
  let raw = try RawConnection(path)
  sqlite3_busy_timeout(raw.handle, 1000)
  let statements = try (
    begin: raw.prepare("BEGIN IMMEDIATE"), insert: raw.prepare(RawConnection.insertion), commit: raw.prepare("COMMIT")
  )
  for index in 0..<count {
    usleep(UInt32.random(in: 3000...6000))
    var record = Record.sample(index)
    guard sqlite3_step(statements.begin) == SQLITE_DONE else { throw WrongResult("BEGIN failed") }
    record.position = Int(monotonicNanoseconds())
    raw.bind(record, to: statements.insert)
    guard sqlite3_step(statements.insert) == SQLITE_DONE, sqlite3_step(statements.commit) == SQLITE_DONE else {
      throw WrongResult("the commit failed")
    }
    for statement in [statements.begin, statements.insert, statements.commit] { sqlite3_reset(statement) }
  }
  for statement in [statements.begin, statements.insert, statements.commit] { sqlite3_finalize(statement) }
}

// MARK: Scripts

/// A script of 7 MB with comments, strings and line ends in it, as a dump has them.
private func script(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
  let programs = folders.split(separator: ":").map { "\($0)/sqlite3" }
  guard let shell = programs.first(where: { access($0, X_OK) == 0 }) else {
    throw WrongResult("this is measured against the sqlite3 program, which is not installed (Debian: sqlite3)")
  }
  let table = "CREATE TABLE line(id INTEGER PRIMARY KEY, title TEXT NOT NULL, position INTEGER NOT NULL);\n"
  let inserts = (0..<bulk).map {
    "INSERT INTO line VALUES(\($0), 'it''s the title of line number \($0);', \($0)); -- \($0)\n"
  }
  let text = table + inserts.joined()
  let path = folder.path("script.sql")
  try writeFile("BEGIN;\n\(text)COMMIT;\n", to: path)
  let expected = "\(bulk)|\(bulk * (bulk - 1) / 2)"
  let count: SQL = "SELECT count(*) || '|' || sum(position) FROM line"
  return try context.ratio {
    let database = try Database.inMemory(options: options())
    try database.write { try $0.executeScript(text) }
    try context.check(try database.read { try $0.value(count, as: String.self) } == expected, "our script: wrong rows")
  } baseline: {
    let run = try Todo.run([":memory:", ".read \(path)", count.text], program: shell)
    try context.check(run.text == expected + "\n", "the sqlite3 program: \(run.text)")
  }
}

/// What asks whether a connection may be used, as each statement does.
private func accessCheck(_ context: BenchContext) throws -> Figure {
  let database = try Database.inMemory(options: options())
  let count = 5_000_000
  return .nanoseconds(
    try context.median {
      try database.write { connection in
        try BenchContext.seconds { for _ in 0..<count { try connection.checkUsable() } } / Double(count) * 1e9
      }
    })
}
