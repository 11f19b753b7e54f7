import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing
import TodoCore
import TrustSupport

/// Programs are killed at random moments, and what was acknowledged to them is there.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KillTests {
  private static let worker = Program("TrustWorker")

  private static func rounds(_ work: String, in folder: String, _ check: (String, Int, [Int]) throws -> Int) {
    let rounds = Trials.rounds(sample: 4, short: 24, full: 100)
    var chance = SeededGenerator(seed: UInt64.random(in: 1...1_000_000))
    let path = folder + "/killed.db"
    var done = 0
    var next = 1
    for number in 0..<rounds {
      do {
        let acknowledged = try worker.killed([work, path, "\(next)"], &chance)
        next = try check(path, acknowledged.last ?? next - 1, acknowledged) + 1
        done += 1
      } catch {
        Issue.record("\(work), round \(number): \(error)")
        break
      }
    }
    Trials.report("trust.kill_rounds", done)
  }

  @Test(arguments: ["write", "history"]) func `a writer is killed`(work: String) throws {
    let folder = try TemporaryFolder.make()
    Self.rounds(work, in: folder) { path, acknowledged, _ in
      let found = try Batches.check(path)
      try demand(found == acknowledged || found == acknowledged + 1, "acknowledged \(acknowledged), found \(found)")
      return found
    }
  }

  @Test func `the to-do program's work is killed`() throws {
    let folder = try TemporaryFolder.make()
    var expected: Set<String> = []
    Self.rounds("todo", in: folder) { path, last, acknowledged in
      // Each fifth may have been taken back.
      for number in acknowledged where number % 5 != 0 { expected.insert("Item \(number)") }
      try Self.checkTodo(path) { raw in
        let titles = Set(try raw.strings("SELECT title FROM item").map { $0[0] })
        try demand(titles.isSuperset(of: expected), "lost: \(expected.subtracting(titles))")
      }
      return last + 1
    }
  }

  @Test func `an import is killed`() throws {
    let folder = try TemporaryFolder.make()
    Self.rounds("import", in: folder) { path, acknowledged, _ in
      var found = 0
      try Self.checkTodo(path) { raw in
        let parts = try raw.integer(
          "SELECT count(*) FROM (SELECT title FROM item GROUP BY title HAVING count(*) <> 40)")
        try demand(parts == 0, "\(parts) imports were done by half")
        found = try raw.integer("SELECT count(DISTINCT title) FROM item")
      }
      try demand(found == acknowledged || found == acknowledged + 1, "acknowledged \(acknowledged), found \(found)")
      return found
    }
  }

  @Test func `a migration is killed`() throws {
    let folder = try TemporaryFolder.make()
    var begun = 1
    Self.rounds("migrate", in: folder) { path, acknowledged, _ in
      for number in begun...(max(begun, acknowledged) + 1) { try Self.checkTodo("\(path)-\(number)") }
      begun = max(begun, acknowledged) + 2
      return begun - 1
    }
  }

  @Test func `a backup is killed`() throws {
    let folder = try TemporaryFolder.make()
    var begun = 1
    Self.rounds("backup", in: folder) { path, acknowledged, _ in
      let found = try Batches.check(path)
      for number in stride(from: begun, through: found, by: 1) {
        let copy = "\(path)-\(number)"
        if number > acknowledged, !FileManager.default.fileExists(atPath: copy) { continue }
        let count = try Batches.check(copy)
        try demand(count == number, "backup \(number) holds \(count)")
      }
      begun = found + 1
      return found
    }
  }

  @Test func `a command is killed`() throws {
    let program = Program("todo")
    let path = try TemporaryFolder.make() + "/todo.db"
    var chance = SeededGenerator(seed: UInt64.random(in: 1...1_000_000))
    var acknowledged: [String] = []
    let rounds = Trials.rounds(sample: 5, short: 40, full: 120)
    for number in 0..<rounds {
      let title = "Item \(number)"
      if try program.finished(["add", title, "--db", path], killedAfter: chance.below(25)) {
        acknowledged.append(title)
      }
      try Self.checkTodo(path) { raw in
        let titles = Set(try raw.strings("SELECT title FROM item").map { $0[0] })
        try demand(titles.isSuperset(of: acknowledged), "lost: \(Set(acknowledged).subtracting(titles))")
      }
    }
    Trials.report("trust.kill_rounds", rounds)
  }

  @Test func `a restoration is killed`() throws {
    let program = Program("todo")
    let folder = try TemporaryFolder.make()
    let path = folder + "/todo.db"
    for name in ["A", "B"] {
      let store = try TodoStore.open(DatabaseLocation(path: "\(folder)/\(name).db"))
      for _ in 0..<40 { _ = try store.add(ItemDraft(title: name)) }
      try store.close()
    }
    let garbage = Data(repeating: 0x41, count: 8192)
    let file = URL(fileURLWithPath: path)
    var chance = SeededGenerator(seed: UInt64.random(in: 1...1_000_000))
    let rounds = Trials.rounds(sample: 4, short: 24, full: 60)
    for number in 0..<rounds {
      let isDamaged = number % 3 == 2
      if isDamaged {
        // As it is found after a fault of the disk, with a log that was not moved into it.
        try garbage.write(to: file)
        try garbage.write(to: URL(fileURLWithPath: path + "-wal"))
      }
      let name = number % 2 == 0 ? "A" : "B"
      let arguments = ["restore", "\(folder)/\(name).db", "--db", path]
      let isAcknowledged = try program.finished(arguments, killedAfter: chance.below(isDamaged ? 25 : 40))
      if !isAcknowledged, isDamaged, try Data(contentsOf: file) == garbage {
        // It had not begun, or not got far; and the next one completes.
        _ = try program.started(arguments).numbers()
      }
      guard FileManager.default.fileExists(atPath: path) else { continue }
      try Self.checkTodo(path) { raw in
        let titles = Set(try raw.strings("SELECT title FROM item").map { $0[0] })
        try demand(titles.count <= 1, "round \(number): half of it, \(titles)")
        try demand(!isAcknowledged || titles == [name], "round \(number): \(titles) and not \(name)")
      }
    }
    Trials.report("trust.kill_rounds", rounds)
  }

  /// Starts as any program does, and looks at everything.
  private static func checkTodo(_ path: String, _ look: (RawDatabase) throws -> Void = { _ in }) throws {
    do {
      let store = try TodoStore.open(DatabaseLocation(path: path))
      let unwell = try store.doctor().filter { !$0.isWell }
      try demand(unwell.isEmpty, "\(unwell)")
      try store.close()
    }
    try look(try RawDatabase.whole(path))
  }
}
