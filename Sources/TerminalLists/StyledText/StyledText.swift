/// A line of text in pieces, each with its style.
///
/// ```swift
/// let line: StyledText = "Milk" + StyledText("  today", style: TextStyle(.dim))
/// ```
///
/// Text is made safe to show when it is added (see ``Swift/String/displayable``). So the result is always one line, and
/// sends no control characters to a terminal.
public struct StyledText: Hashable, Sendable {
  /// A piece of text in one style.
  ///
  /// ```swift
  /// for span: StyledText.Span in StyledText("Milk", style: TextStyle(.bold)).spans { print(span.text, span.style) }
  /// ```
  public struct Span: Hashable, Sendable {
    /// The text, safe to show.
    public let text: String
    /// The style of the piece.
    public let style: TextStyle
    /// The number of columns it takes.
    let width: Int

    fileprivate init(displayable text: String, style: TextStyle) {
      self.text = text
      self.style = style
      width = DisplayWidth.ofDisplayable(text)
    }
  }

  /// The pieces, none of them empty and no two neighbours of the same style.
  public private(set) var spans: [Span] = []

  /// Creates an empty line.
  public init() {}

  /// Creates a line in one style.
  public init(_ text: String, style: TextStyle = .plain) { append(text, style: style) }

  /// The text without its styles.
  public var text: String { spans.map(\.text).joined() }

  /// The number of columns it takes.
  ///
  /// Complexity: O(number of pieces).
  public var width: Int { spans.reduce(0) { $0 + $1.width } }

  /// Whether there is nothing to see.
  public var isEmpty: Bool { spans.isEmpty }

  /// Appends text.
  public mutating func append(_ text: String, style: TextStyle = .plain) {
    append(Span(displayable: text.displayable, style: style))
  }

  /// Appends another line.
  public mutating func append(_ other: StyledText) {
    for span in other.spans { append(span) }
  }

  /// Joins two lines.
  public static func + (first: StyledText, second: StyledText) -> StyledText {
    var result = first
    result.append(second)
    return result
  }

  /// The line with another style on top of its own.
  ///
  /// ```swift
  /// let title = StyledText("Milk").styled(TextStyle(.bold))
  /// ```
  public func styled(_ style: TextStyle) -> StyledText {
    var result = StyledText()
    for span in spans { result.append(Span(displayable: span.text, style: span.style.with(style))) }
    return result
  }

  private mutating func append(_ span: Span) {
    guard !span.text.isEmpty else { return }
    if let last = spans.last, last.style == span.style {
      spans[spans.count - 1] = Span(displayable: (last.text + span.text).displayable, style: span.style)
    } else {
      spans.append(span)
    }
  }
}

extension StyledText: ExpressibleByStringInterpolation {
  /// Creates a plain line.
  public init(stringLiteral value: String) { self.init(value) }
}

extension StyledText: CustomStringConvertible {
  /// The text without its styles.
  public var description: String { text }
}
