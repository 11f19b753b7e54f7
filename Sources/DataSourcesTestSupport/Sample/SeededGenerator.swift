/// Random numbers that are the same for the same seed, so that a failure can be reproduced.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// let number = Int.random(in: 0..<10, using: &random)
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts from a seed, which can be any number. Neighbouring seeds give unrelated numbers.
  public init(seed: UInt64) { state = seed }

  /// The next number (SplitMix64).
  public mutating func next() -> UInt64 {
    // Two seeds that differ by exactly this step give the same numbers, shifted by one. Neighbouring seeds don't.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The former name of ``SeededGenerator``.
@available(*, deprecated, renamed: "SeededGenerator")
public typealias SampleGenerator = SeededGenerator
