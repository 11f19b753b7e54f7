/// How the changes that a slow reader missed become one.
package enum UpdateMerging<Item: Sendable>: Sendable {
  /// By comparing the list before the first with the list after the last, when the reader comes for it. It is exact: rows
  /// that changed and changed back are not in it. The comparison may call the items' own code; it runs in the reader's
  /// task, under no lock.
  case comparing(@Sendable (_ old: Snapshot<Item>, _ new: Snapshot<Item>) -> Changes)

  /// By composing the differences, for items that cannot be told apart.
  case composing

  /// By comparing where items are identifiable and equatable, and by composing elsewhere.
  package static var automatic: UpdateMerging {
    if let difference = AutomaticDifference<Item>.exact { .comparing(difference) } else { .composing }
  }

  var keepsChanges: Bool {
    if case .composing = self { true } else { false }
  }
}
