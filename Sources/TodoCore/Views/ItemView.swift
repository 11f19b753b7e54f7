/// How a list is divided into sections and ordered: the value of `--by`.
public enum ItemView: String, CaseIterable, Sendable {
  /// By list, in the lists' order, and manually ordered within a list.
  case list
  /// By due day, with undated items last.
  case due
  /// By priority, the highest first, items without one last.
  case priority
  /// By tag: an item is under each of its tags; items without tags are last.
  case tag

  /// The view with a name; an error suggests the nearest one.
  public init(name: String) throws(TodoError) {
    guard let view = ItemView(rawValue: name.lowercased()) else {
      let names = Self.allCases.map(\.rawValue)
      throw .usage(
        "there is no view by \"\(name)\""
          + Suggestion.clause(for: name, among: names, otherwise: "choose list, due, priority or tag"))
    }
    self = view
  }

  /// The next view in the cycle list, due, priority, tag.
  public var next: ItemView {
    let later = Self.allCases.drop { $0 != self }.dropFirst()
    return later.first ?? .list
  }
}
