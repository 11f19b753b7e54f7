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

  static let tokens = ["+list", "@tag", "pri:high", "due:fri", "every:month"]

  static let add = Prompt(.add, label: "add: ", examples: tokens)

  static func filter(former: String) -> Prompt {
    Prompt(
      .filter(former: former), label: "filter: ", examples: ["words", "+list", "@tag", "pri:high", "due:before:fri"])
  }
}

/// A question that y answers with yes, and every other key with no.
struct WatchQuestion {
  let text: String
  let action: () throws -> Void
}
