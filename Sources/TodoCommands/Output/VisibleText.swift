import DataSources
import TerminalLists

extension String {
  /// The text in a form that is safe to show anywhere: control characters and direction marks become visible signs.
  ///
  /// Lists, tags and titles may come from untrusted sources; their content must not mislead a terminal, nor the reader
  /// of a pipe. Unlike ``Swift/String/displayable``, which is applied later, nothing is removed that somebody could
  /// have meant to hide.
  var visible: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(scalar.sign ?? scalar) }
    return String(scalars).displayable
  }
}

extension Unicode.Scalar {
  /// The visible sign for it; nil if it needs none.
  fileprivate var sign: Unicode.Scalar? {
    switch value {
    case 0x00...0x1F: Unicode.Scalar(0x2400 + value)  // ␀ … ␟
    case 0x7F: "\u{2421}"
    case 0x2028: "\u{2424}"
    case 0x2029: "\u{00B6}"
    case 0x80...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x206A...0x206F, 0xFFF9...0xFFFB:
      "\u{FFFD}"
    default: nil
    }
  }
}
