/// The style of a terminal table.
///
/// ```swift
/// table.style.selected = TextStyle(.bold, foreground: .cyan)
/// table.style.placeholder = "Nothing to do."
/// ```
public struct TerminalTableStyle {
  /// Information about a section for its header line.
  ///
  /// ```swift
  /// table.style.header = { (header: TerminalTableStyle.Header) in
  ///   StyledText("\(header.title) (\(header.numberOfItems))")
  /// }
  /// ```
  public struct Header {
    /// The section's header, or else its name; empty if it has neither.
    public let title: String
    /// The number of its rows, including folded ones.
    public let numberOfItems: Int
    /// Whether its rows are folded.
    public let isFolded: Bool
  }

  /// Added to a selected line, over the whole width.
  public var selected = TextStyle(.inverse)
  /// Added to a line that changed recently.
  public var highlighted = TextStyle(.bold)
  /// For the footer of a section.
  public var footer = TextStyle(.dim)
  /// The text before each row.
  public var indent: StyledText = "  "
  /// The text in an empty table.
  public var placeholder: StyledText = ""
  /// Makes the line above the rows of a section. By default, it is the title in bold, with the number of rows if they
  /// are folded.
  public var header: (Header) -> StyledText = { header in
    let title = StyledText(header.title, style: TextStyle(.bold))
    return header.isFolded ? title + StyledText(" (\(header.numberOfItems))", style: TextStyle(.dim)) : title
  }

  /// Creates the default style.
  public init() {}
}
