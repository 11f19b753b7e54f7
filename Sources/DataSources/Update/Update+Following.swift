extension Update {
  /// This update and the next one as one.
  package func followed(by next: Update<Item>) -> Update<Item> {
    var log = ChangesLog(changes)
    log.append(next.changes)
    return Update(old: old, new: next.new, changes: log.changes)
  }
}
