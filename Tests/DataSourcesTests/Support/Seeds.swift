#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A generator whose numbers follow from its seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0 to below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in `times`.
  mutating func once(in times: Int) -> Bool { below(times) == 0 }
}

/// The seeds of a randomised test. `SEED=n` replays the one that failed. `SOAK=n` runs n pairs of unrelated lists, and
/// multiplies the other tests by as much.
enum Seeds {
  /// The number of pairs of unrelated lists in a usual run.
  static let usualPairs = 4000

  static func range(_ usual: Int) -> Range<UInt64> {
    if let seed = number("SEED") { return seed..<seed + 1 }
    guard let pairs = number("SOAK") else { return 0..<UInt64(usual) }
    return 0..<max(1, pairs * UInt64(usual) / UInt64(usualPairs))
  }

  /// Whether this is the long run of Scripts/soak.
  static var isSoak: Bool { number("SOAK") != nil }

  static func hint(_ seed: UInt64) -> String { "replay with SEED=\(seed)" }

  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }
}
