/// Information for a line cell about where it is shown.
public struct LineContext: Hashable, Sendable {
  /// The number of columns; nil if there is no limit.
  public var width: Int?
  /// Whether the row is the selected one.
  public var isSelected: Bool
  /// Whether the row changed a short while ago.
  public var isHighlighted: Bool

  /// Creates a context.
  public init(width: Int? = nil, isSelected: Bool = false, isHighlighted: Bool = false) {
    self.width = width
    self.isSelected = isSelected
    self.isHighlighted = isHighlighted
  }
}
