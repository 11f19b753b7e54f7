import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Testing

/// What the observers of a database are told when they are slow, and at the limits of its options.
@Suite(.timeLimit(.minutes(5))) struct SlowObserverTests {
  @Test(arguments: [Database.Options.Capture.automatic, .triggers])
  func `an unlimited capture and a timeout below zero are no mistakes`(capture: Database.Options.Capture) async throws {
    var options = Database.Options()
    options.capture = capture
    options.captureLimit = .max
    options.busyTimeout = .milliseconds(-1)
    options.foreignCommitInterval = .nanoseconds(-1)
    let other = try Database(path: TemporaryFolder.make() + "/unlimited.db", options: options)
    // Without any time to wait, a write fails if a checkpoint runs at that moment.
    func write(_ sql: SQL) async throws {
      while true {
        do {
          try await other.write { try $0.execute(sql) }
          return
        } catch let error as DatabaseError where error.code == .busy {
          try await Task.sleep(for: .milliseconds(1))
        }
      }
    }
    try await write("CREATE TABLE t(id INTEGER PRIMARY KEY)")
    let received = Shared(0)
    let observation = other.observe(["t"]) { commit in
      if case .rowIDs(let ids)? = commit.changes["t"] { received.change { $0 += ids.count } }
    }
    try await write(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO t SELECT i FROM n")
    try await eventually("all rows are reported") { received.value == 300 }
    observation.cancel()
  }

  @Test func `a slow observer of many keys is told that any row may have changed`() async throws {
    let other = try Database(path: TemporaryFolder.make() + "/keys.db")
    try await other.write { c in
      try c.executeScript("CREATE TABLE kv(k PRIMARY KEY) WITHOUT ROWID; CREATE TABLE few(k PRIMARY KEY) WITHOUT ROWID")
    }
    let gate = Gate()
    let commits = Shared<[Commit]>([])
    let observation = other.observe(["kv", "few"]) { commit in
      gate.pass()
      commits.change { $0.append(commit) }
    }
    for number in 0..<300 {
      try await other.write { c in
        try c.execute(
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) INSERT INTO kv SELECT \(number) * 100 + i FROM n"
        )
        try c.execute("INSERT OR REPLACE INTO few VALUES (\(number % 5))")
      }
    }
    gate.open()
    try await eventually("the last commit is reported") {
      commits.value.last?.changes["few"] == DirtyKeys.primaryKeys([[Value.integer(4)]])
    }
    let all: DirtyKeys = .primaryKeys(Set((0..<5).map { [Value.integer($0)] }))
    #expect(commits.value.contains { $0.changes["kv"] == DirtyKeys.everything(.overflow) && $0.changes["few"] == all })
    observation.cancel()
  }
}
