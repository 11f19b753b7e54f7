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

  /// Refuses a file in which a program has marked two versions of the same lines.
  func checkConflicts() throws(TodoError) {
    guard let first = lines.firstIndex(where: Self.beginsConflict),
      lines.contains(where: { $0.hasPrefix(">>>>>>> ") })
    else { return }
    throw .badData(
      "\(TextPlace(line: first + 1, column: 1)): here the file has two versions of the same lines; choose one of them first"
    )
  }

  static func beginsConflict(_ line: some StringProtocol) -> Bool { line.hasPrefix("<<<<<<< ") }

  func makeIterator() -> EnumeratedSequence<[Substring]>.Iterator { lines.enumerated().makeIterator() }
}

/// Texts as single words, as they are written in lines: anything but letters and plain signs is written as %XX.
enum PercentWord {
  private static let plain = Set("-./:+@!,;()'".utf8)

  static func encode(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let isLetter = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      if isLetter || plain.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  /// Nil if it is no such word.
  static func decode(_ word: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(word.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      // Not by a radix, which would accept signs.
      let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      if digits.count < 2 { return nil }
      rest = rest.dropFirst(2)
      bytes.append(UInt8(digits[0] * 16 + digits[1]))
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
