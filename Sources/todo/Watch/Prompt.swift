import TodoCore

/// A question in the line above the hints.
struct Prompt {
  /// Its purpose.
  enum Purpose {
    case add
    case edit(Item)
    /// With the filter to which Escape returns.
    case filter(former: String)
  }

  let purpose: Purpose
  /// The typed text.
  var editor: LineEditor

  init(_ purpose: Purpose) {
    self.purpose = purpose
    if case .edit(let item) = purpose { editor = LineEditor(Self.text(of: item)) } else { editor = LineEditor() }
  }

  /// The text before the typed text.
  var label: String {
    switch purpose {
    case .add: "add: "
    case .edit(let item): "edit \(item.id): "
    case .filter: "filter: "
    }
  }

  /// The meaning of the keys meanwhile.
  var hint: String {
    switch purpose {
    case .add, .edit: "Enter keeps it  Escape leaves  +list @tag !high due:fri every:month"
    case .filter: "Enter keeps it  Escape leaves  words +list @tag !high due:before:fri"
    }
  }

  /// An item's title as it would be typed.
  static func text(of item: Item) -> String { Words.quoted(item.title) }
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
  /// character.
  static func split(_ line: String) -> [Word] {
    var words: [Word] = []
    var word: Word?
    var isInQuotes = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        word?.text.append(character)
        isEscaped = false
      } else if isInQuotes, character == "\\" {
        isEscaped = true
      } else if isInQuotes, character == "\"" {
        isInQuotes = false
      } else if !isInQuotes, character == "\"", word.map({ $0.text.hasSuffix(":") }) ?? true {
        isInQuotes = true
        // due:"in 3 days" is still a token.
        if word == nil { word = Word(text: "", isQuoted: true) }
      } else if !isInQuotes, character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = Word(text: (word?.text ?? "") + String(character), isQuoted: word?.isQuoted ?? false)
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
      !word.isQuoted && !["+", "@", "!"].contains(word.text.first) && !word.text.hasPrefix("due:")
        && !word.text.hasPrefix("every:")
    }
    if isPlain, words.map(\.text).joined(separator: " ") == text { return text }
    var quoted = "\""
    for character in text {
      if character == "\"" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "\""
  }
}
