/// How a terminal table looks.
///
/// ```swift
/// table.style.selected = TextStyle(.bold, foreground: .cyan)
/// table.style.placeholder = "Nothing to do."
/// ```
public struct TerminalTableStyle {
  /// What is known of a section when its header is written.
  public struct Header {
    /// The section's header, or else its name; empty where it has neither.
    public let title: String
    /// The number of its rows, also of those that are folded away.
    public let numberOfItems: Int
    /// Whether its rows are folded away.
    public let isFolded: Bool
  }

  /// On top of a selected line, over the whole width.
  public var selected = TextStyle(.inverse)
  /// On top of a line that changed a short while ago.
  public var highlighted = TextStyle(.bold)
  /// For what stands below the rows of a section.
  public var footer = TextStyle(.dim)
  /// Before each row.
  public var indent: StyledText = "  "
  /// What stands in an empty table.
  public var placeholder: StyledText = ""
  /// Makes the line above the rows of a section. Unless given, it is the title in bold, and with how many rows where they are
  /// folded away.
  public var header: (Header) -> StyledText = { header in
    let title = StyledText(header.title, style: TextStyle(.bold))
    return header.isFolded ? title + StyledText(" (\(header.numberOfItems))", style: TextStyle(.dim)) : title
  }

  /// Makes the usual look.
  public init() {}
}
