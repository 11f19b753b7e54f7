/// How urgent an item is; an item without a priority has none.
public enum Priority: Int64, CaseIterable, Comparable, Sendable {
  /// The lowest.
  case low = 1
  /// In between.
  case medium = 2
  /// The highest.
  case high = 3

  /// Parses "high", "medium" or "low", in any case.
  public init?(name: some StringProtocol) {
    guard let match = Self.allCases.first(where: { $0.name == name.lowercased() }) else { return nil }
    self = match
  }

  /// Its word in tokens and JSON.
  public var name: String {
    switch self {
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    }
  }

  /// Whether it is less urgent than another.
  public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}
