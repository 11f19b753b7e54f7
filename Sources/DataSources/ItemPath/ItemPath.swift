/// A place in a sectioned list: a section's index and an item's index in that section, both from zero.
///
/// Paths order by section first, as a list is read. They are encoded as a pair of numbers, `[section, item]`.
public struct ItemPath: Hashable, Comparable, Sendable {
  /// The section's index in its snapshot.
  public var section: Int
  /// The item's index in its section.
  public var item: Int

  /// Makes a path. Any two numbers do: whether they lie in a list is for the list to say.
  @inlinable public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  /// Whether `lhs` stands before `rhs`.
  @inlinable public static func < (lhs: ItemPath, rhs: ItemPath) -> Bool {
    lhs.section == rhs.section ? lhs.item < rhs.item : lhs.section < rhs.section
  }
}

extension ItemPath: CustomStringConvertible {
  /// The path as it is written in messages: `[section, item]`.
  public var description: String { "[\(section), \(item)]" }
}
