/// The old path and the new path of a row.
public struct ItemMove: Hashable, Sendable, Codable {
  /// The path in the old list.
  public var from: ItemPath
  /// The path in the new list.
  public var to: ItemPath

  /// Creates a pair of paths.
  @inlinable public init(from: ItemPath, to: ItemPath) {
    self.from = from
    self.to = to
  }
}

extension ItemMove: CustomStringConvertible {
  /// The two paths, such as `[0, 2] → [1, 0]`; one path if they are the same.
  public var description: String { from == to ? "\(from)" : "\(from) → \(to)" }
}
