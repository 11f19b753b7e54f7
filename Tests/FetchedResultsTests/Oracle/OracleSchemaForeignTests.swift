import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import TestSupport
import Testing

/// Random schemas that several connections change at the same time.
@Suite struct OracleSchemaForeignTests {
  private static let count = Shared(0)

  /// What other programs do besides writing rows, in all combinations that matter while nobody waits.
  private static let dimensions: [Set<OracleDimension>] = [
    [.others], [.others, .schema], [.others, .recording], [.others, .schema, .recording, .compiled],
    [.others, .keys, .evictions],
    [.others, .journals, .schema],
  ]

  @Test(.timeLimit(.minutes(OracleRun.limit))) func `others write, and change schema and recording, at every point`()
    async throws
  {
    let rounds = OracleRun.comparisons / OracleRun.usual * 4
    for round in 0..<rounds {
      let seed = OracleRun.seed ?? UInt64(round)
      var dice = SeededGenerator(seed: seed ^ 0xF0E1)
      let drawn = dice.pick(Self.dimensions)
      var setup = OracleSchemaSetup(OracleDimension.fixed ?? drawn, &dice)
      setup.isFile = true
      setup.encoding = "UTF-8"
      setup.hasRaw = true
      let world = try OracleSchemaWorld(setup, &dice)
      let run = OracleSchemaRun(seed, world, "OracleSchemaForeignTests")
      run.begin(&dice)
      do {
        for _ in 0..<4 {
          Self.count.change { [made = try await run.checkAll(isOneCommit: false)] in $0 += made }
          try await Self.writeTogether(world, &dice)
        }
        Self.count.change { [made = try await run.checkAll(isOneCommit: false)] in $0 += made }
      } catch {
        Issue.record("\(run.report(error))\nafter \(Self.count.value) comparisons")
        return
      }
      if OracleRun.seed != nil { return }
    }
    print("oracle: \(Self.count.value) comparisons where others write at every point")
  }

  /// Ours and others' transactions, each on a thread of its own.
  private static func writeTogether(_ world: OracleSchemaWorld, _ dice: inout SeededGenerator) async throws {
    var theirs: [OracleSchemaStep] = []
    var ours: [OracleSchemaStep] = []
    while theirs.count < 8 {
      let step = OracleSchemaStep(world, &dice)
      if step.isAlone(of: .raw) { theirs.append(step) }
      if step.isAlone(of: .ours), ours.count < 8 { ours.append(step) }
    }
    let observers = OracleObservers(world.database)
    let writer = OtherWriter(theirs, world)
    writer.start()
    defer { writer.wait() }
    for step in ours {
      // One waits for the other, perhaps for too long.
      _ = try await step.perform(world, observers, mayBeBusy: true)
    }
  }
}

/// Performs steps of another connection on a thread of its own.
private final class OtherWriter: @unchecked Sendable {  // because what it holds is used by its thread alone
  private let steps: [OracleSchemaStep]
  private let world: OracleSchemaWorld
  private let done = DispatchSemaphore(value: 0)

  init(_ steps: [OracleSchemaStep], _ world: OracleSchemaWorld) {
    self.steps = steps
    self.world = world
  }

  func start() {
    Thread.detachNewThread { [self] in
      for step in steps { step.performRaw(world) }
      done.signal()
    }
  }

  func wait() { done.wait() }
}
