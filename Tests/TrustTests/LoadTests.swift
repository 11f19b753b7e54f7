import FixtureSupport
import Foundation
import SQLiteStore
import Testing
import TodoCore
import TrustSupport

/// Eight processes at once on one file: no acknowledged write is lost or applied twice, and none is refused.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LoadTests {
  private static let worker = Program("TrustWorker")
  private static let milliseconds = Trials.rounds(sample: 1200, short: 6000, full: 60_000)

  /// Runs five writers and three readers, and gives how long each write took, by writer.
  private static func run(_ work: String, _ path: String) throws -> (writes: [[Int]], reads: [Int]) {
    let writers = try (1...5).map { try worker.started(["\(work)-write", path, "\($0)", "\(milliseconds)"]) }
    let readers = try (6...8).map { try worker.started(["\(work)-read", path, "\($0)", "\(milliseconds)"]) }
    let writes = try writers.map { try $0.numbers() }
    let reads = try readers.flatMap { try $0.numbers() }
    try demand(writes.allSatisfy { !$0.isEmpty } && !reads.isEmpty, "a process got nothing done")
    return (writes, reads)
  }

  @Test func `eight processes lose nothing, and none is refused`() throws {
    let path = try TemporaryFolder.make() + "/load.db"
    try Database(path: path).migrate(Load.migrations)
    let (writes, reads) = try Self.run("load", path)
    let counts = try Database(path: path).read { try Load.counts($0) }
    #expect(counts == Dictionary(uniqueKeysWithValues: writes.enumerated().map { ($0 + 1, $1.count) }))
    _ = try RawDatabase.whole(path)
    Trials.report("trust.load_writes", writes.joined().count)
    Trials.report("trust.load_reads", reads.count)
    Trials.report("trust.load_write", microseconds: Array(writes.joined()))
    Trials.report("trust.load_read", microseconds: reads)
  }

  @Test func `eight processes that open the to-do list for each change lose nothing`() throws {
    let path = try TemporaryFolder.make() + "/todo.db"
    try TodoStore.open(DatabaseLocation(path: path)).close()
    let (writes, reads) = try Self.run("load-todo", path)
    let store = try TodoStore.open(DatabaseLocation(path: path))
    let titles = try store.database.read { try $0.values("SELECT title FROM item ORDER BY title", as: String.self) }
    let expected = writes.enumerated().flatMap { writer, times in times.indices.map { "\(writer + 1) \($0 + 1)" } }
    #expect(titles == expected.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    #expect(try store.doctor().filter { !$0.isWell } == [])
    Trials.report("trust.load_commands", writes.joined().count + reads.count)
    Trials.report("trust.load_command", microseconds: Array(writes.joined()))
  }
}
