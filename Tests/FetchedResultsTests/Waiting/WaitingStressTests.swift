import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import Foundation
import TestSupport
import Testing

/// Random programs with every kind of wait: nothing takes longer than its rule, nothing spins, and the lists are right
/// at the end.
///
/// `Scripts/test` runs one, in a process without other tests; `STRESS=n` runs n of them, ten seconds each, and
/// `SEED=n` a single one.
@Suite(.serialized) struct WaitingStressTests {
  /// As docs/Waiting.md has it, for one database with three readers, with what the test itself has.
  private static func ceiling(_ actors: Int) -> Int {
    let processors = Processor.count
    let ours = actors + 4 + processors
    return processors + (12 + 2 * processors) + (32 + 16 * processors) + (16 + 4 * processors) + 3 + 1 + 1 + 1 + ours
  }

  @Test(.timeLimit(.minutes(600))) func `random programs end within the rules`() async throws {
    let worlds = Seeds.number("STRESS").map(Int.init) ?? 1
    let seeds = OracleRun.seed.map { $0...$0 } ?? 0...UInt64(worlds - 1)
    for seed in seeds {
      let files = Watchdog.openFiles
      let threads = Watchdog.threads
      let failure = SharedValue<String?>(nil)
      try await onThread("a random program", within: .seconds(600)) {
        var dice = SeededGenerator(seed: seed ^ 0x57AE)
        let world = try StressWorld(&dice)
        let actors = 10
        world.run(actors: actors, steps: 25, &dice)
        if world.watchdog.overdue == nil { world.finish(&dice) }
        world.watchdog.end()
        if let overdue = world.watchdog.overdue { failure.change { $0 = "\(overdue)\n\(world.description)" } }
        let most = world.watchdog.mostThreads - threads
        if most > Self.ceiling(actors) {
          failure.change { $0 = "there were \(most) more threads\n\(world.description)" }
        }
      }
      if let failure = failure.value {
        Issue.record("replay with SEED=\(seed) Scripts/test --filter WaitingStressTests: \(failure)")
        return
      }
      try await eventually("all files of the database are closed, after SEED=\(seed)", within: .seconds(10)) {
        Watchdog.openFiles.subtracting(files).isEmpty
      }
      try await eventually("the threads have ended", within: .seconds(20)) { Watchdog.threads <= threads + 8 }
    }
    print("stress: \(seeds.count) random programs of 250 steps")
  }
}
