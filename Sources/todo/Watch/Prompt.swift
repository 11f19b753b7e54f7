import TodoCore

/// A text that is being typed in the line above the hints.
struct Prompt {
  /// Its purpose.
  enum Purpose {
    case add
    /// With the filter to which Escape returns.
    case filter(former: String)
    /// To change the items with these numbers.
    case change(ItemProperty, [Int64])
  }

  let purpose: Purpose
  /// The text before the typed text.
  let label: String
  /// What can be typed.
  let examples: [String]
  /// The text at the beginning; typing nothing changes nothing.
  let initial: String
  /// The typed text.
  var editor: LineEditor

  init(_ purpose: Purpose, label: String, examples: [String], initial: String = "") {
    self.purpose = purpose
    self.label = label
    self.examples = examples
    self.initial = initial
    editor = LineEditor(initial)
  }

  static let tokens = ["+list", "@tag", "!high", "due:fri", "every:month"]

  static let add = Prompt(.add, label: "add: ", examples: tokens)

  static func filter(former: String) -> Prompt {
    Prompt(
      .filter(former: former), label: "filter: ", examples: ["words", "+list", "@tag", "!high", "due:before:fri"])
  }

  /// An item's title as it would be typed.
  static func text(of item: Item) -> String { Words.quoted(item.title) }
}

/// A question that y answers with yes, and every other key with no.
struct Question {
  let text: String
  let action: () throws -> Void
}

/// The words of a prompt, as a shell would divide them: white space separates words, quotes keep them together, and
/// nothing in quotes is a token.
enum Words {
  /// A word.
  struct Word: Equatable {
    var text: String
    /// Whether it was quoted, or a part of it.
    var isQuoted = false
  }

  /// The words of a line. A quote that is not closed ends with the line, and one inside a word is an ordinary
  /// character. These are code points: a combining mark after a quote does not change it.
  static func split(_ line: String) -> [Word] {
    var words: [Word] = []
    var word: Word?
    var isInQuotes = false
    var isEscaped = false
    for character in line.unicodeScalars {
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

  /// The attributes in a line. Text in quotes is always text.
  static func attributes(of line: String, at moment: Moment) throws(TodoError) -> Attributes {
    let words = split(line)
    // The quoted words bypass the tokens, and are then put back in their places.
    var said = try Attributes(arguments: words.filter { !$0.isQuoted }.map(\.text), at: moment)
    said.words = []
    for word in words {
      let isText = try word.isQuoted ? true : Token.parse(word.text, as: .attributes, at: moment) == nil
      if isText { said.words.append(word.text) }
    }
    return said
  }

  /// A line that means exactly this text: the text itself if possible, otherwise in quotes.
  static func quoted(_ text: String) -> String {
    let words = split(text)
    let isPlain = words.allSatisfy { word in
      !word.isQuoted && !["+", "@", "!"].contains(word.text.unicodeScalars.first)
        && !["due:", "every:"].contains { word.text.utf8.starts(with: $0.utf8) }
    }
    if isPlain, words.map(\.text).joined(separator: " ").utf8.elementsEqual(text.utf8) { return text }
    var quoted = String.UnicodeScalarView()
    quoted.append("\"")
    for character in text.unicodeScalars {
      if character == "\"" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    quoted.append("\"")
    return String(quoted)
  }
}
