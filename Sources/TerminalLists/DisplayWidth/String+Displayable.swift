extension String {
  /// The text made safe to show in one line: nothing in it moves the cursor, changes colours or changes the text
  /// direction.
  ///
  /// The content of a list can come from anywhere, and a terminal executes control sequences. Here line breaks and tabs
  /// become spaces, other controls become visible signs, and marks that reorder or hide text are removed. A mark
  /// without a base letter gets a dotted circle. A letter keeps at most 16 parts, so that many marks don't run over
  /// other lines. Emoji sequences, flags and the scripts that need joiners stay intact.
  ///
  /// ```swift
  /// "red \u{1B}[31malert\n".displayable  // "red ␛[31malert "
  /// ```
  ///
  /// Complexity: O(length); a text of plain ASCII is returned unchanged.
  public var displayable: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var scalars = String.UnicodeScalarView()
    var previousWasReturn = false
    for scalar in unicodeScalars {
      // A carriage return and a line feed are one break.
      defer { previousWasReturn = scalar == "\r" }
      if previousWasReturn, scalar == "\n" { continue }
      if let shown = scalar.displayed { scalars.append(shown) }
    }
    // Form the clusters only now: a removed scalar may have separated parts of one.
    var result = ""
    for character in String(scalars) { result.append(contentsOf: character.displayed) }
    return result
  }
}

extension Unicode.Scalar {
  /// What represents the scalar on a screen; nil for nothing.
  fileprivate var displayed: Unicode.Scalar? {
    switch value {
    case 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029: " "
    case 0x00...0x1F: Unicode.Scalar(0x2400 + value)  // the control pictures: ␀ … ␟
    case 0x7F: "\u{2421}"
    case 0x80...0x9F: "\u{FFFD}"
    // Joiners within a cluster, variation selectors and the tags of a flag are part of what is seen.
    case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0xE0020...0xE007F: self
    // Marks that change the text direction, and those that hide text below other text.
    case _ where properties.isBidiControl, 0xFFF9...0xFFFB: nil
    // The remaining format characters are Arabic and similar signs around numbers.
    default: properties.isDefaultIgnorableCodePoint ? nil : self
    }
  }
}

extension Character {
  /// The letter with no more parts than any letter needs, and with a base.
  fileprivate var displayed: String {
    guard let first = unicodeScalars.first else { return "" }
    var scalars = String.UnicodeScalarView(unicodeScalars.prefix(16))
    // A joiner at the cut would join the next letter.
    while scalars.count > 1, scalars.last == "\u{200D}" { scalars.removeLast() }
    if DisplayWidth.ofDisplayable(String(scalars)) == 0 {
      // A joiner or a selector with nothing before it is removed; a mark is visible if it has a base.
      if first.properties.isDefaultIgnorableCodePoint { return "" }
      scalars.insert("\u{25CC}", at: scalars.startIndex)
    }
    return String(scalars)
  }
}
