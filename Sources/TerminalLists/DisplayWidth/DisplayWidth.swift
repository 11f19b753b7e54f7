import DataSources

/// The number of terminal columns of a text.
///
/// A letter takes one, a wide one (most of Chinese, Japanese and Korean, and emoji) two, and a combining mark none.
/// Grapheme clusters are measured, which readers see as one letter: a family of four emoji with invisible joiners takes
/// two columns, not eleven. The vowel signs and joined consonants of Hindi, Bengali, Tamil, Thai and their relatives
/// take columns of their own, as terminals draw them.
///
/// ```swift
/// DisplayWidth.of("Milk")  // 4
/// DisplayWidth.of("牛乳")  // 4
/// DisplayWidth.of("👩‍👩‍👧‍👦")  // 2
/// DisplayWidth.of("काम")  // 3, though it is two clusters
/// ```
///
/// Terminals disagree on the rarer of these. So start each line at an absolute position, as ``TerminalScreen`` does: a
/// wrong guess then affects only its line.
public enum DisplayWidth {
  /// The number of columns of a text as it is displayed, after ``Swift/String/displayable``.
  ///
  /// Complexity: O(length).
  public static func of(_ text: String) -> Int {
    var utf8 = text.utf8.makeIterator()
    var count = 0
    // Most texts are plain ASCII without controls: then a byte is a column.
    while let byte = utf8.next() {
      guard byte >= 0x20, byte < 0x7F else { return ofDisplayable(text.displayable) }
      count += 1
    }
    return count
  }

  /// The number of columns of a text that is displayable already.
  static func ofDisplayable(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  /// The number of columns of one letter: 0, 1 or 2, and more if other letters or signs are joined with it.
  public static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if isPrefix(first) {
      // Signs that precede a number form one cluster with it, and all of them take columns.
      let rest = scalars.drop(while: isPrefix)
      return scalars.count - rest.count + ofDisplayable(String(String.UnicodeScalarView(rest)))
    }
    if first.value < 0x300 {
      // A digit, # or * with the emoji selector is a keycap; ©, ® and similar signs become pictures; letters stay as
      // they are.
      return hasEmojiSelector(scalars) && first.properties.isEmoji ? 2 : (isInvisible(first) ? 0 : 1)
    }
    if isInvisible(first) { return 0 }
    if isRegionalIndicator(first) { return scalars.count > 1 ? 2 : 1 }
    if hasEmojiSelector(scalars), first.properties.isEmoji { return 2 }
    if hasTextSelector(scalars) { return isWide(first) ? 2 : 1 }
    if first.properties.isEmojiPresentation || hasSkinTone(scalars) { return 2 }
    return scalars.dropFirst().reduce(isWide(first) ? 2 : 1) { $0 + (takesColumn($1) ? 1 : 0) }
  }

  /// Whether a scalar takes a column also behind the first one of a cluster: the vowel signs of India that stand beside
  /// a letter, consonants that are joined with it, and the vowel AM of Thai and Lao. The vowels and final consonants of
  /// Hangul are drawn inside the syllable.
  private static func takesColumn(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .spacingMark, .otherLetter: return !scalar.properties.isDefaultIgnorableCodePoint
    default: return false
    }
  }

  private static func hasEmojiSelector(_ scalars: Character.UnicodeScalarView) -> Bool {
    scalars.dropFirst().first?.value == 0xFE0F
  }

  private static func hasTextSelector(_ scalars: Character.UnicodeScalarView) -> Bool {
    scalars.dropFirst().first?.value == 0xFE0E
  }

  private static func hasSkinTone(_ scalars: Character.UnicodeScalarView) -> Bool {
    guard let base = scalars.first, let second = scalars.dropFirst().first else { return false }
    return base.properties.isEmojiModifierBase && second.properties.isEmojiModifier
  }

  /// Whether a scalar joins the one after it: Unicode's class Prepend, signs before numbers and letters.
  private static func isPrefix(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x0D4E, 0x110BD, 0x110CD, 0x111C2...0x111C3, 0x113D1,
      0x1193F, 0x11941, 0x11A3A, 0x11A84...0x11A89, 0x11D46, 0x11F02:
      true
    default: false
    }
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  /// Whether a scalar at the beginning of a cluster shows nothing: a mark without a letter, a control, a joiner.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    let index = wideRanges.partitioningIndex { $0.upperBound >= value }
    return index < wideRanges.count && wideRanges[index].contains(value)
  }

  /// The characters that Unicode calls wide or full-width (UAX #11, to version 16), except emoji, which the standard
  /// library knows.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul initials, which later letters join
    0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F,
    0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4DC0...0x4DFF, 0x4E00...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x16FFF, 0x17000...0x18D8F, 0x1AFF0...0x1B2FF, 0x1D300...0x1D356, 0x1D360...0x1D376,
    0x1F200...0x1F265,
    0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}
