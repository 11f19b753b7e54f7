/// What a line cell may want to know of where it is shown.
public struct LineContext: Hashable, Sendable {
  /// The number of columns there are; nil where there is no end.
  public var width: Int?
  /// Whether the row is the selected one.
  public var isSelected: Bool
  /// Whether the row changed a short while ago.
  public var isHighlighted: Bool

  /// Makes a context.
  public init(width: Int? = nil, isSelected: Bool = false, isHighlighted: Bool = false) {
    self.width = width
    self.isSelected = isSelected
    self.isHighlighted = isHighlighted
  }
}
