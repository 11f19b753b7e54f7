/// How the changes that a slow reader missed are merged.
package enum UpdateMerging<Item: Sendable>: Sendable {
  /// By comparing the list before the first change with the list after the last, when the reader asks. It is exact:
  /// rows that changed and changed back are not in it. The comparison may call the items' own code; it runs in the
  /// reader's task, under no lock.
  case comparing(@Sendable (_ old: Snapshot<Item>, _ new: Snapshot<Item>) -> Changes)

  /// By composing the differences, for items that can't be compared.
  case composing

  /// By comparing if items are identifiable and equatable, otherwise by composing.
  package static var automatic: UpdateMerging {
    if let difference = AutomaticDifference<Item>.exact { .comparing(difference) } else { .composing }
  }

  var keepsChanges: Bool {
    if case .composing = self { true } else { false }
  }
}
