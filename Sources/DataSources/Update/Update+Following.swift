extension Update {
  /// Combines this update with the next one.
  package func followed(by next: Update<Item>) -> Update<Item> {
    var log = ChangesLog(changes)
    log.append(next.changes)
    return Update(old: old, new: next.new, changes: log.changes)
  }
}
