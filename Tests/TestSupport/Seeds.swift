import Foundation

/// The seeds of random tests: some usually, as many as SOAK says, or only the one that SEED names.
///
/// A test that fails prints its seed, and `SEED=n Scripts/test --filter NAME` repeats that case.
package enum Seeds {
  /// The seed to repeat.
  package static let repeated = number("SEED")
  /// How much a long run tries.
  package static let soak = number("SOAK")

  /// The seeds of one of many tests that a long run makes longer together: SOAK=4000 gives each its full number, and a
  /// run before a commit a quarter of it.
  package static func range(_ full: Int) -> Range<UInt64> {
    if let repeated { return repeated..<repeated + 1 }
    return 0..<max(1, soak.map { $0 * UInt64(full) / fullPairs } ?? UInt64(full + 3) / 4)
  }

  /// How many pairs of lists the test that compares most of them tries at most without SOAK.
  package static let fullPairs: UInt64 = 4000

  /// The seeds of a test that tries as many as SOAK says, or that part of it, and then prints how far it is. A run that
  /// was ended early can be continued: SOAK_FIRST is the seed to begin with.
  package static func all(
    _ usual: Int, of test: String, perSoak part: Double = 1
  ) -> LazyMapSequence<Range<UInt64>, UInt64> {
    let first = number("SOAK_FIRST") ?? 0
    let range =
      repeated.map { $0..<$0 + 1 } ?? first..<max(first, soak.map { UInt64(Double($0) * part) } ?? UInt64(usual))
    return range.lazy.map { seed in
      if soak != nil, seed > first, seed.isMultiple(of: 1000) {
        FileHandle.standardError.write(
          Data("\(test): all seeds below \(seed) of \(range.upperBound) have passed\n".utf8))
      }
      return seed
    }
  }

  /// What to say about a failure.
  package static func hint(_ seed: UInt64) -> String { "replay with SEED=\(seed)" }

  /// The number that a variable of the environment holds.
  package static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
