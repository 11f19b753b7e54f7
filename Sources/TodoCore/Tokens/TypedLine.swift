/// A typed line, divided as a shell would divide it: white space separates words, quotes keep them together, and
/// nothing in quotes is a token.
package enum TypedLine {
  /// A word.
  package struct Word: Equatable, Sendable {
    package var text: String
    /// Whether it was quoted, or a part of it.
    package var isQuoted = false
    /// The same with its quotes.
    var raw = ""
  }

  /// The words of a line. A quote that is not closed ends with the line, and one inside a word is an ordinary
  /// character. These are code points: a combining mark after a quote does not change it.
  package static func split(_ line: String) -> [Word] {
    var words: [Word] = []
    var word: Word?
    var isInQuotes = false
    var isEscaped = false
    for character in line.unicodeScalars {
      defer { word?.raw.unicodeScalars.append(character) }
      if isEscaped {
        word?.text.unicodeScalars.append(character)
        isEscaped = false
      } else if isInQuotes, character == "\\" {
        isEscaped = true
      } else if isInQuotes, character == "\"" {
        isInQuotes = false
      } else if !isInQuotes, character == "\"", word.map({ $0.text.unicodeScalars.last == ":" }) ?? true {
        isInQuotes = true
        // due:"in 3 days" is still a token.
        if word == nil { word = Word(text: "", isQuoted: true) }
      } else if !isInQuotes, character.properties.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        if word == nil { word = Word(text: "") }
        word?.text.unicodeScalars.append(character)
      }
    }
    if let word { words.append(word) }
    return words
  }

  /// The lines of a text that are not empty, each with its number.
  package static func lines(_ bytes: [UInt8]) throws(TodoError) -> [(number: Int, text: String)] {
    try TextLines(bytes).map { ($0.offset + 1, String($0.element.trimmed)) }.filter { !$0.1.isEmpty }
  }

  /// Names the line in the error of what is done with it.
  package static func inLine(_ number: Int, _ body: () throws(TodoError) -> Void) throws(TodoError) {
    do { try body() } catch { throw .usage("line \(number): \(error.message)") }
  }

  /// A line that means exactly this text: the text itself if possible, otherwise in quotes.
  package static func quoted(_ text: String) -> String {
    var plain = Attributes()
    plain.words = split(text).map(\.raw)
    if plain.title.isIdentical(to: text), let said = try? Attributes(line: text), said == plain { return text }
    return inQuotes(text)
  }

  private static func inQuotes(_ text: String) -> String {
    var quoted = String.UnicodeScalarView()
    quoted.append("\"")
    for character in text.unicodeScalars {
      if character == "\"" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    quoted.append("\"")
    return String(quoted)
  }

  /// An item as one line that ``Attributes/init(line:keepsQuotes:at:ask:)`` reads. Notes are left out.
  package static func line(of item: Item, in zone: LocalZone) -> String {
    func word(_ sign: String, _ key: String, _ name: String) -> String {
      name.isWord ? sign + name : key + inQuotes(oneLine(name))
    }
    func oneLine(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
    var words = [quoted(oneLine(item.title)), word("+", "list:", item.list)]
    words += item.tags.map { word("@", "tag:", $0) }
    if let priority = item.priority { words.append("pri:\(priority.name)") }
    for (key, date) in [("due", item.due), ("wait", item.wait)] {
      switch date {
      case .day(let day)?: words.append("\(key):\(day)")
      case .instant(let instant)?: words.append("\(key):\(zone.wallTime(at: instant))")
      case nil: break
      }
    }
    if let every = item.every { words.append("every:\(every.rawValue)") }
    return words.joined(separator: " ")
  }
}
