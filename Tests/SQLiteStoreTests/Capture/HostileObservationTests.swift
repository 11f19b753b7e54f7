import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// What could make a commit go unnoticed, or be reported to an observer that has ended.
@Suite struct HostileObservationTests {
  @Test func `a handler that cancels is not called again`() throws {
    let database = try Database.inMemory()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    let calls = Box(0)
    let own = Box<ObservationToken?>(nil)
    let first = database.observe(["t"]) { commit in
      // More commits wait while this one is reported.
      if commit.sequence < 4 { _ = try? database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    }
    let second = database.observe(["t"]) { _ in
      calls.change { $0 += 1 }
      if calls.value == 1 {
        _ = try? database.write { try $0.execute("INSERT INTO t VALUES (1)") }
        _ = try? database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      }
      if calls.value == 2 { own.value?.cancel() }
    }
    own.change { $0 = second }
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    for _ in 0..<4 { try database.catchUp() }
    #expect(calls.value == 2)
    first.cancel()
  }

  @Test(.timeLimit(.minutes(10))) func `an observer that holds another observation can be released`() throws {
    final class Holder: Sendable {
      let observation: ObservationToken
      init(_ observation: ObservationToken) { self.observation = observation }
    }
    let database = try Database.inMemory()
    let inner = Holder(database.observe(["t"]) { _ in })
    let outer = Box<ObservationToken?>(
      { (held: Holder) in database.observe(["t"]) { _ in withExtendedLifetime(held) {} } }(inner))
    outer.change { $0 = nil }
    let other = database.observe(["t"]) { _ in }
    other.cancel()
  }

  @Test func `observers that come and go on many threads leave the last one watching`() async throws {
    let scratch = try Scratch()
    let database = try scratch.database(options: .fast.with { $0.foreignCommitInterval = .milliseconds(20) })
    try await database.write { try $0.execute("CREATE TABLE t(x)") }
    let raw = try RawDatabase(path: scratch.path())
    for _ in 0..<60 {
      let old = database.observe(["t"]) { _ in }
      let told = Box(false)
      async let gone: Void = Task.detached { old.cancel() }.value
      let observation = await Task.detached { database.observe(["t"]) { _ in told.change { $0 = true } } }.value
      await gone
      try raw.execute("INSERT INTO t VALUES (1)")
      let deadline = Date().addingTimeInterval(5)
      while !told.value, Date() < deadline { try await Task.sleep(for: .milliseconds(1)) }
      #expect(told.value)
      observation.cancel()
      if !told.value { break }
    }
  }
}
