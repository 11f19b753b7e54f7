/// The laws that every list, every data source, every difference and every engine keeps.
///
/// ```swift
/// let broken = Set(Laws.violations(of: update).map(\.law))
/// print(Law.allCases.filter { broken.contains($0) })
/// ```
public enum Law: String, Sendable, CaseIterable {
  /// The changes of an update, applied to its `old`, give its `new`: position by position, id by id, value by value.
  case replay
  /// Each update's `new` is the next one's `old`.
  case chain
  /// There are as few moves as possible, and nothing is listed that did not happen.
  case frugal
  /// Every stage of `batches()` is what a list view accepts, and the stages lead to `new`.
  case acceptable
  /// A snapshot never changes.
  case frozen
  /// Everything that a reader can query when it receives an update is as new as the update.
  case current
  /// Paths, items, ids and counts agree.
  case roundTrip
  /// After every commit, a list shows what a fresh run of its query gives.
  case oracle
  /// The rows read for a commit don't depend on the number of rows in the list.
  case proportional
  /// A write that was undone publishes nothing.
  case isolation
  /// Neither lists nor observers hold up a writer.
  case harmless
}
