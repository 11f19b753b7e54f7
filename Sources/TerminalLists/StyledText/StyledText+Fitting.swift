extension StyledText {
  /// The line cut to a number of columns, with a mark that something is missing.
  ///
  /// A letter is never cut in two: if a wide one does not fit, its place stays empty.
  ///
  /// ```swift
  /// StyledText("Buy some milk").truncated(to: 8)  // "Buy som…"
  /// ```
  ///
  /// Complexity: O(length).
  public func truncated(to width: Int, mark: String = "…") -> StyledText {
    guard self.width > width else { return self }
    let mark = DisplayWidth.of(mark) <= width ? mark : ""
    var room = width - DisplayWidth.of(mark)
    var result = StyledText()
    for span in spans {
      var text = ""
      for character in span.text {
        let width = DisplayWidth.of(character)
        guard width <= room else {
          result.append(text, style: span.style)
          result.append(mark, style: span.style)
          return result
        }
        text.append(character)
        room -= width
      }
      result.append(text, style: span.style)
    }
    // Reached only by an empty line and a negative width.
    return result
  }

  /// The line with an exact width: cut, or filled with spaces in a given style; by default, the plain one.
  ///
  /// ```swift
  /// let column = StyledText("Milk").fitted(to: 20)  // 20 columns wide
  /// ```
  ///
  /// Complexity: O(length).
  public func fitted(to width: Int, fill: TextStyle = .plain) -> StyledText {
    var result = truncated(to: width)
    let missing = width - result.width
    if missing > 0 { result.append(String(repeating: " ", count: missing), style: fill) }
    return result
  }

  /// The text with the escape sequences for a terminal. It begins and ends in the terminal's own style.
  package var escaped: String {
    var result = ""
    for span in spans {
      let sequence = span.style.escapeSequence
      result += sequence
      result += span.text
      if !sequence.isEmpty { result += "\u{1B}[0m" }
    }
    return result
  }
}
