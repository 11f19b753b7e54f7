package import DataSources

/// One call of a delegate between `controllerWillChangeContent` and `controllerDidChangeContent`.
package enum DelegateEvent<Item: Sendable>: Sendable {
  /// A section was inserted, deleted or updated.
  case section(Section<Item>, index: Int, FetchedResultsChangeType)
  /// A row was inserted, deleted, moved or updated.
  case object(Item, at: ItemPath?, FetchedResultsChangeType, newIndexPath: ItemPath?)
}

extension DelegateEvent: Equatable where Item: Equatable {}
