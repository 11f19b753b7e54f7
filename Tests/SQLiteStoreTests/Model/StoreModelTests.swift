import DataSourcesTestSupport
import Foundation
import TestSupport
import Testing

/// Random calls on a database and on plain SQLite, which must do the same.
///
/// `SEED=n` repeats the case that failed and prints its calls; `SOAK=n` makes n cases.
@Suite struct StoreModelTests {
  @Test func `random calls have the same effect as plain SQLite`() throws {
    let seeds = Seeds.all(40, of: "store model")
    let begin = Date()
    var steps = 0
    for seed in seeds {
      let model = try StoreModel(seed: seed)
      do {
        try model.run(calls: 30)
      } catch {
        Issue.record("after \(seed - (seeds.first ?? 0) + 1) seeds: \(error)\nrepeat with SEED=\(seed)")
        return
      }
      steps += model.count
    }
    let seconds = max(0.001, Date().timeIntervalSince(begin))
    print("store model: \(seeds.count) seeds, \(steps) steps, \(Int(Double(steps) / seconds)) steps per second")
  }
}
