import TodoCore

/// What was typed, taken apart: the command, its operands and its flags.
struct Invocation {
  /// The command, or the subcommand.
  var command: Command
  /// The command that it is a subcommand of.
  var parent: Command?
  /// Whether the command was typed; `todo` alone is `todo list`.
  var isNamed = true
  /// What stands before `--` and is no flag.
  var operands: [String] = []
  /// What stands behind `--`: text, whatever it is.
  var literal: [String] = []
  /// The values of each flag that was said, by its name; those without a value have an empty one.
  var flags: [String: [String]] = [:]

  /// Whether a flag was said.
  func has(_ flag: Flag) -> Bool { flags[flag.name] != nil }

  /// The value of a flag, the last one where there are several.
  func value(_ flag: Flag) -> String? { flags[flag.name]?.last }

  /// All values of a flag.
  func values(_ flag: Flag) -> [String] { flags[flag.name] ?? [] }

  /// Operands and what stands behind `--` alike, for commands without tokens.
  var words: [String] { operands + literal }

  /// The numbers and filters of a command on several items. Behind `--` nothing is either, and what is meant there is not
  /// guessed: the command may remove.
  var choices: [String] {
    get throws(TodoError) {
      guard let word = literal.first else { return operands }
      throw .usage(
        "\"\(word)\" stands behind --, where nothing is a number or a filter; for words say --text, before it")
    }
  }

  /// In which form the result is wanted.
  var form: Form { has(.json) ? .json : has(.plain) ? .plain : .text }

  /// Where the database is.
  func location() throws(TodoError) -> DatabaseLocation { try .find(flag: value(.db)) }
}

/// In which form a command prints its result.
enum Form: Sendable {
  /// For people.
  case text
  /// One line an item, its fields apart by TABs.
  case plain
  /// JSON.
  case json
}
