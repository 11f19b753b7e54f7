import TodoCore

/// A page of the help that is about no single command.
struct HelpTopic: Sendable {
  let name: String
  let summary: String
  let details: [String]
  /// What can be typed, and what it means.
  let rows: [(String, String)]

  static let all = [dates, recurrences]

  private static let dates = HelpTopic(
    name: "dates", summary: "the forms of dates and times",
    details: [
      "These can follow due:, due:before: and wait:, in quotes, or with hyphens instead of spaces: "
        + "\"due:in 3 days\", due:in-3-days. A day can have a time after it or before it."
    ],
    rows: DueExpression.table.map { ($0.examples.joined(separator: ", "), $0.about) })

  private static let recurrences = HelpTopic(
    name: "recurrences", summary: "the forms of recurrences",
    details: [
      "These can follow every:. Completing an item adds its next instance, in its place, and due on the next such day "
        + "that is not in the past."
    ],
    rows: Recurrence.table.map { ($0.examples.map { "every:\($0)" }.joined(separator: ", "), $0.about) })
}
