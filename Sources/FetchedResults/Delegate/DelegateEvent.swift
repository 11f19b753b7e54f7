/// One call of a delegate between will-change and did-change.
package enum DelegateEvent<Item: Sendable>: Sendable {
  /// What became of a section.
  case section(Section<Item>, index: Int, FetchedResultsChangeType)
  /// What became of a row.
  case object(Item, at: ItemPath?, FetchedResultsChangeType, newIndexPath: ItemPath?)
}

extension DelegateEvent: Equatable where Item: Equatable {}
