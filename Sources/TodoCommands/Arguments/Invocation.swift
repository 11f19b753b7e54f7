import TodoCore

/// The parsed arguments: the command, its operands and its flags.
struct Invocation {
  /// The command, or the subcommand.
  var command: Command
  /// The command that it is a subcommand of.
  var parent: Command?
  /// Whether the command was typed; `todo` alone is `todo list`.
  var isNamed = true
  /// What was typed, without the flags that say which service runs it.
  var arguments: [String] = []
  /// The arguments before `--` that are no flags.
  var operands: [String] = []
  /// The arguments after `--`, which are always text.
  var literal: [String] = []
  /// The values of each flag that was typed, by its name; a flag without a value has an empty one.
  var flags: [String: [String]] = [:]

  /// What finds saved filters elsewhere than in the database of this machine.
  var saved: SavedFilters?

  /// Whether a flag was typed.
  func has(_ flag: Flag) -> Bool { flags[flag.name] != nil }

  /// The value of a flag; the last one if there are several.
  func value(_ flag: Flag) -> String? { flags[flag.name]?.last }

  /// All values of a flag.
  func values(_ flag: Flag) -> [String] { flags[flag.name] ?? [] }

  /// All operands, before and after `--`, for commands without tokens.
  var words: [String] { operands + literal }

  /// The numbers and filters of a command on several items. After `--` nothing is a number or a filter, and the meaning
  /// is not guessed: the command may remove items.
  var choices: [String] {
    get throws(TodoError) {
      guard let word = literal.first else { return operands }
      throw .usage(
        "\"\(word)\" is after --, where nothing is a number or a filter; to search for words, put --text before --")
    }
  }

  /// The form of the result.
  var form: Form { has(.json) ? .json : has(.plain) ? .plain : .text }

  /// The location of the database.
  func location() throws(TodoError) -> DatabaseLocation { try .find(flag: value(.db)) }
}

/// The form in which a command prints its result.
enum Form: Sendable {
  /// For people.
  case text
  /// One line for each item, with its fields separated by TABs.
  case plain
  /// JSON.
  case json
}
