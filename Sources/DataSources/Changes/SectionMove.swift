/// Where a section was in the old list and where it is in the new one.
public struct SectionMove: Hashable, Sendable, Codable {
  /// The index in the old list.
  public var from: Int
  /// The index in the new list.
  public var to: Int

  /// Makes a pair of indices.
  @inlinable public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

extension SectionMove: CustomStringConvertible {
  /// The two indices, as `2 → 0`; one number where they are the same.
  public var description: String { from == to ? "\(from)" : "\(from) → \(to)" }
}
