/// How a list is cut into sections and ordered: what `--by` says.
public enum ItemView: String, CaseIterable, Sendable {
  /// By list, in the lists' order, and by hand within a list.
  case list
  /// By the day on which items are due, those without a date last.
  case due
  /// By priority, the highest first, those without one last.
  case priority
  /// By tag: an item stands under each of its tags, those without any last.
  case tag

  /// The view that a word names; an error names the nearest one.
  public init(name: String) throws(TodoError) {
    guard let view = ItemView(rawValue: name.lowercased()) else {
      throw .usage(
        "there is no view by \"\(name)\"\(Suggestion.clause(for: name, among: Self.allCases.map(\.rawValue)))"
          + (Suggestion.nearest(to: name, among: Self.allCases.map(\.rawValue)) == nil
            ? "; choose list, due, priority or tag" : ""))
    }
    self = view
  }

  /// The next view, round: list, due, priority, tag.
  public var next: ItemView {
    switch self {
    case .list: .due
    case .due: .priority
    case .priority: .tag
    case .tag: .list
    }
  }
}
