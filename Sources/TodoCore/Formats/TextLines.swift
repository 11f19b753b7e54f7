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
    var lines: [Substring] = []
    func append(_ line: Substring) {
      let isMarked = line.utf8.starts(with: Self.mark.utf8)
      lines.append(isMarked ? Substring(line.unicodeScalars.dropFirst()) : line)
    }
    var start = text.utf8.startIndex
    let utf8 = text.utf8
    var index = start
    while index < utf8.endIndex {
      let byte = utf8[index]
      let next = utf8.index(after: index)
      guard byte == 0x0A || byte == 0x0D else {
        index = next
        continue
      }
      append(text[start..<index])
      // CR LF is one line end.
      index = byte == 0x0D && next < utf8.endIndex && utf8[next] == 0x0A ? utf8.index(after: next) : next
      start = index
    }
    if start < utf8.endIndex { append(text[start...]) }
    self.lines = lines
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
    return .badData("\(TextPlace(line: line, column: column)): this is \(InvalidText.description(of: bytes))")
  }

  func makeIterator() -> EnumeratedSequence<[Substring]>.Iterator { lines.enumerated().makeIterator() }
}

/// Words and white space by code points: a combining mark after a blank begins a word.
extension StringProtocol where SubSequence == Substring {
  /// Without white space at both ends.
  var trimmed: Substring {
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
  /// Reads a word such as `due:2031-01-02` or `every:month` as a field that the item doesn't have yet. Returns false for
  /// other words.
  mutating func take(pair word: Substring) -> Bool {
    if due == nil, word.hasPrefix("due:"), let due = Due(iso: word.dropFirst(4)) {
      self.due = due
      return true
    }
    if every == nil, word.hasPrefix("every:"), let every = Recurrence(rawValue: String(word.dropFirst(6))) {
      self.every = every
      return true
    }
    return false
  }

  /// The words for its due date and its recurrence.
  var pairs: [String] {
    [due.map { "due:\($0)" }, every.map { "every:\($0.rawValue)" }].compactMap { $0 }
  }
}
