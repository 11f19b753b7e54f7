/// The lines of a text file, each with its number; line ends may be those of any system: LF, CR and LF, or CR alone.
///
/// A byte order mark is left out at the beginning of any line, where it is if files were put together.
struct TextLines: Sequence {
  private let lines: [Substring]
  private static let mark = "\u{FEFF}"

  /// Invalid UTF-8 is bad data, and the error says where.
  init(_ bytes: [UInt8]) throws(TodoError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Self.notText(bytes.starts(with: Self.mark.utf8) ? bytes[3...] : bytes[...])
    }
    lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).flatMap { line in
      (line.last == 0x0D ? line.dropLast() : line).split(separator: 0x0D, omittingEmptySubsequences: false)
    }.map { Substring($0.starts(with: Self.mark.utf8) ? $0.dropFirst(Self.mark.utf8.count) : $0) }
  }

  /// The error for invalid UTF-8, with the position of its first byte.
  static func notText(_ bytes: ArraySlice<UInt8>) -> TodoError {
    var (line, column) = (1, 1)
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      column += 1
      if scalar == "\n" { (line, column) = (line + 1, 1) }
    }
    return .badData("\(TextPlace(line: line, column: column)): this is \(whatIsInstead(bytes))")
  }

  /// What bytes are that are not valid UTF-8, and what to do if they begin with the byte order mark of UTF-16.
  static func whatIsInstead(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      ? "text in UTF-16; convert it to UTF-8 first" : "not text in UTF-8"
  }

  func makeIterator() -> EnumeratedSequence<[Substring]>.Iterator { lines.enumerated().makeIterator() }
}

/// Words and white space by code points: a combining mark after a blank begins a word.
extension StringProtocol where SubSequence == Substring {
  /// Without white space at both ends.
  package var trimmed: Substring {
    var result = self[...].unicodeScalars
    while result.first?.properties.isWhitespace == true { result.removeFirst() }
    while result.last?.properties.isWhitespace == true { result.removeLast() }
    return Substring(result)
  }

  /// The texts between single blanks, some of them empty.
  var splitAtBlanks: [Substring] {
    self[...].unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// The words between white space.
  var words: [Substring] {
    self[...].unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { Substring($0) }
  }

  /// Whether it is one word, without white space around it.
  var isWord: Bool { !isEmpty && !unicodeScalars.contains(where: \.properties.isWhitespace) }
}

extension ImportedItem {
  /// Reads a word such as `due:2031-01-02` or `every:month` as a field that the item doesn't have yet. Returns false
  /// for other words.
  mutating func take(pair word: Substring) -> Bool {
    if due == nil, word.hasPrefix("due:"), let due = Due(iso: word.dropFirst(4)) {
      self.due = due
      return true
    }
    if every == nil, word.hasPrefix("every:"), let every = Recurrence(rawValue: String(word.dropFirst(6))) {
      self.every = every
      return true
    }
    if wait == nil, word.hasPrefix("wait:"), let wait = Due(iso: word.dropFirst(5)) {
      self.wait = wait
      return true
    }
    return false
  }

  /// The words for its due date, its recurrence and the date that it waits for.
  var pairs: [String] {
    [due.map { "due:\($0)" }, every.map { "every:\($0.rawValue)" }, wait.map { "wait:\($0)" }].compactMap { $0 }
  }
}
