import DataSources

extension Update {
  /// The delegate's calls for this update, in order: one batch that a list view accepts. See
  /// ``FetchedResultsChangeType`` for the rules. It is empty only if there are no changes.
  ///
  /// If no section changes and no row moves in an update, the calls may also be carried out one by one in their order,
  /// with updates at their new paths.
  ///
  /// Complexity: O(k log n) for k changes.
  package func delegateEvents() -> [DelegateEvent<Item>] {
    if changes.isEmpty { return [] }
    let told = DelegatePlaces(changes)
    var events: [DelegateEvent<Item>] = []
    events.reserveCapacity(told.count)
    for index in told.deletedSections.reversed() { events.append(.section(old[index], index: index, .delete)) }
    for index in told.insertedSections { events.append(.section(new[index], index: index, .insert)) }
    for section in told.updatedSections { events.append(.section(new[section.to], index: section.from, .update)) }
    for path in told.deletedItems.reversed() {
      events.append(.object(old[path], at: path, .delete, newIndexPath: nil))
    }
    for path in told.insertedItems { events.append(.object(new[path], at: nil, .insert, newIndexPath: path)) }
    for row in told.movedItems { events.append(.object(new[row.to], at: row.from, .move, newIndexPath: row.to)) }
    for row in told.updatedItems { events.append(.object(new[row.to], at: row.from, .update, newIndexPath: row.to)) }
    return events
  }
}
