/// Where a row was in the old list and where it is in the new one.
public struct ItemMove: Hashable, Sendable, Codable {
  /// The path in the old list.
  public var from: ItemPath
  /// The path in the new list.
  public var to: ItemPath

  /// Makes a pair of paths.
  @inlinable public init(from: ItemPath, to: ItemPath) {
    self.from = from
    self.to = to
  }
}

extension ItemMove: CustomStringConvertible {
  /// The two paths, as `[0, 2] → [1, 0]`; one path where they are the same.
  public var description: String { from == to ? "\(from)" : "\(from) → \(to)" }
}
