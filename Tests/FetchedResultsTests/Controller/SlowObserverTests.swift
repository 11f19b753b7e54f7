import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Testing

/// What the observers of a database are told when they are slow.
@Suite(.timeLimit(.minutes(5))) struct SlowObserverTests {
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
