/// The laws that every list, every data source and every difference keeps.
public enum Law: String, Sendable, CaseIterable {
  /// The changes of an update, applied to its `old`, give its `new`: position by position, id by id, value by value.
  case replay
  /// Each update's `new` is the next one's `old`.
  case chain
  /// Moves are as few as can be, and nothing is listed that did not happen.
  case frugal
  /// Every stage of `batches()` is what a list view accepts, and the stages lead to `new`.
  case acceptable
  /// A snapshot once taken never changes.
  case frozen
  /// Whatever a reader can ask when it receives an update is as new as the update.
  case current
  /// Paths, items, ids and counts agree.
  case roundTrip
}
