/// The old index and the new index of a section.
public struct SectionMove: Hashable, Sendable, Codable {
  /// The index in the old list.
  public var from: Int
  /// The index in the new list.
  public var to: Int

  /// Creates a pair of indices.
  @inlinable public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

extension SectionMove: CustomStringConvertible {
  /// The two indices, such as `2 → 0`; one number if they are the same.
  public var description: String { from == to ? "\(from)" : "\(from) → \(to)" }
}
