import TodoCore

/// Something that is asked for in the line above the hints.
struct Prompt {
  /// What for.
  enum Purpose {
    case add
    case edit(Item)
    /// With the filter that Escape goes back to.
    case filter(former: String)
  }

  let purpose: Purpose
  /// What is typed.
  var editor: LineEditor

  init(_ purpose: Purpose) {
    self.purpose = purpose
    if case .edit(let item) = purpose { editor = LineEditor(Self.text(of: item)) } else { editor = LineEditor() }
  }

  /// What stands before what is typed.
  var label: String {
    switch purpose {
    case .add: "add: "
    case .edit(let item): "edit \(item.id): "
    case .filter: "filter: "
    }
  }

  /// What keys do meanwhile.
  var hint: String {
    switch purpose {
    case .add, .edit: "Enter keeps it  Escape leaves  +list @tag !high due:fri every:month"
    case .filter: "Enter keeps it  Escape leaves  words +list @tag !high due:before:fri"
    }
  }

  /// An item's title as one would type it.
  static func text(of item: Item) -> String { Words.quoted(item.title) }
}

/// What is typed into a prompt, word by word as a shell would take it: white space parts words, quotes keep them together, and
/// in quotes nothing is a token.
enum Words {
  /// A word.
  struct Word: Equatable {
    var text: String
    /// Whether it was quoted, or a part of it.
    var isQuoted = false
  }

  /// The words of a line. A quote that is not closed ends with the line, and one within a word is a sign like any other.
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
        // due:"in 3 days" is a token still.
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

  /// What a line says of an item. What stands in quotes is text, whatever it looks like.
  static func attributes(of line: String, at moment: Moment) throws(TodoError) -> Attributes {
    let words = split(line)
    // The words in quotes go around the tokens, and back to where they stood.
    var said = try Attributes(arguments: words.filter { !$0.isQuoted }.map(\.text), at: moment)
    said.words = []
    for word in words {
      let isText = try word.isQuoted ? true : Token.parse(word.text, as: .attributes, at: moment) == nil
      if isText { said.words.append(word.text) }
    }
    return said
  }

  /// A line that says just this text: the text itself where it can be, else in quotes.
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
