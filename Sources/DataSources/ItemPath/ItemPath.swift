/// A position in a sectioned list: a section's index and an item's index in that section, both from zero.
///
/// ```swift
/// let path = ItemPath(section: 0, item: 2)
/// print(path, path.section, path.item)  // [0, 2] 0 2
/// ```
///
/// Paths are ordered by section first, then by item. They are encoded as a pair of numbers, `[section, item]`.
public struct ItemPath: Hashable, Comparable, Sendable {
  /// The section's index in its snapshot.
  public var section: Int
  /// The item's index in its section.
  public var item: Int

  /// Creates a path. Any two numbers are allowed: only a list can say whether they are in it.
  @inlinable public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  /// Whether `lhs` comes before `rhs`.
  @inlinable public static func < (lhs: ItemPath, rhs: ItemPath) -> Bool {
    lhs.section == rhs.section ? lhs.item < rhs.item : lhs.section < rhs.section
  }
}

extension ItemPath: CustomStringConvertible {
  /// The path as written in messages: `[section, item]`.
  public var description: String { "[\(section), \(item)]" }
}

extension ItemPath: Codable {
  /// Decodes a path from a pair of numbers. More or fewer numbers are an error.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    section = try container.decode(Int.self)
    item = try container.decode(Int.self)
    if !container.isAtEnd {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a path is a pair of numbers, [section, item], but there are more")
    }
  }

  /// Encodes the path as a pair of numbers, because a difference contains many of them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(section)
    try container.encode(item)
  }
}
