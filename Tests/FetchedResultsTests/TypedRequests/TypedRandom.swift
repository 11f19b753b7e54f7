import Foundation

/// Numbers that follow from their seed (SplitMix64). `SEED=n` replays the one that failed; `SOAK=n` is for long runs.
struct TypedRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  static func seeds(_ count: UInt64) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SEED"].flatMap({ UInt64($0) }) { return seed..<seed + 1 }
    // Scripts/soak sets a number of lists; a usual run has 4000.
    return 0..<(environment["SOAK"].flatMap { UInt64($0) }.map { max(1, $0 * count / 4000) } ?? count)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }

  /// Nil once in three times.
  mutating func maybe<T>(_ values: [T]) -> T? { below(3) == 0 ? nil : one(of: values) }
}
