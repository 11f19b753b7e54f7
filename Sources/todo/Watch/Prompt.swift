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
    case .add, .edit: "Enter keeps it  Escape leaves  +list @tag pri:high due:fri every:month"
    case .filter: "Enter keeps it  Escape leaves  words +list @tag pri:high due:before:fri"
    }
  }

  /// An item's title as it would be typed.
  static func text(of item: Item) -> String { TypedLine.quoted(item.title) }
}
