import Foundation

/// How often the random tests try: some cases usually, as many as SOAK says, or only the case of SEED.
enum RandomCases {
  /// Whether one case is repeated, so that every step is printed.
  static var isRepeated: Bool { number("SEED") != nil }

  static func seeds(_ usual: Int) -> Range<UInt64> {
    if let seed = number("SEED") { return seed..<seed + 1 }
    return 0..<(number("SOAK") ?? UInt64(usual))
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
