import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Many threads, two of everything, and what is called off.
@Suite(.serialized) struct HostileCrowdTests {
  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `calls that are cancelled at any moment leave no traces`(
    _ isFile: Bool
  ) async throws {
    let scratch = try Scratch()
    let database = try isFile ? scratch.database() : Database.inMemory(options: .fast)
    try await database.write { try $0.execute("CREATE TABLE t(id INTEGER PRIMARY KEY)") }
    if isFile { try await database.recordHistory(of: ["t"]) }
    let told = Box<Set<Int64>>([])
    let observation = database.observe(["t"]) { commit in
      if case .rowIDs(let ids)? = commit.changes["t"] { told.change { $0.formUnion(ids) } }
      if case .everything? = commit.changes["t"] { Issue.record("\(commit)") }
    }
    let raw = isFile ? try RawDatabase(path: scratch.path()) : nil
    // Tests lose no power, and 300 syncs can take longer than the limit where the disk is busy.
    try raw?.execute("PRAGMA synchronous = NORMAL")
    for round in 1...300 {
      let id = Int64(round * 2)
      try raw?.execute("INSERT INTO t VALUES (\(id + 1))")
      let write = Task {
        try await database.write { c in
          _ = try c.execute("INSERT INTO t VALUES (\(id))")
          try? c.savepoint { _ = try c.execute("INSERT INTO t VALUES (\(id))") }
        }
      }
      let read = Task { try await database.read { c in try c.value("SELECT count(*) FROM t", as: Int.self) } }
      for _ in 0..<Int.random(in: 0...4) { await Task.yield() }
      if Bool.random() { try await Task.sleep(for: .microseconds(Int.random(in: 0...300))) }
      write.cancel()
      read.cancel()
      _ = await write.result
      _ = await read.result
    }
    try await database.write { _ = try $0.execute("INSERT INTO t VALUES (1)") }
    try database.catchUp()
    let ids = Set(try await database.read { try $0.values("SELECT id FROM t", as: Int64.self) })
    #expect(ids.isSubset(of: told.value), "\(ids.subtracting(told.value))")
    observation.cancel()
  }

  @Test func `interrupting while writes run keeps all or nothing`() async throws {
    for _ in 0..<20 {
      let scratch = try Scratch()
      let database = try scratch.database()
      try await database.write { try $0.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, round)") }
      let writing = Task.detached {
        for round in 1...10_000 {
          try? database.write { c in
            for id in 1...3 {
              do {
                _ = try c.execute("INSERT INTO t(round) VALUES (\(round))")
              } catch { _ = id }
            }
          }
          if (try? database.read { _ in true }) == nil { return }
        }
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...8)))
      try database.close(interrupting: true)
      await writing.value
      let after = try scratch.database()
      // An interrupted statement ends its transaction: later statements must not be committed on their own.
      let halves = try await after.read {
        try $0.values("SELECT round FROM t GROUP BY round HAVING count(*) <> 3", as: Int.self)
      }
      #expect(halves == [])
    }
  }
}
