/// What a command has done: the items that it changed, and how it is called in the log.
public struct ChangeResult: Equatable, Sendable {
  /// The revision of the database from now on. Where nothing changed, it is the one that it had.
  public var revision: Int64
  /// What was done, with its title, as undo will tell it: `add "Milk"`. Nil where nothing changed.
  public var label: String?
  /// The items that were changed or made, as they are now.
  public var items: [Item] = []
  /// Of those, the ones that came of themselves: the next instances of what recurs.
  public var next: [Item] = []
  /// Of those, the ones that recur and have no next instance, as it would be beyond the year 9999.
  public var ended: [Item] = []
  /// The items that are gone, as they were.
  public var removed: [Item] = []
  /// The items that were asked for and already were as they should be.
  public var unchanged: [Item] = []

  /// Whether anything changed, and can be undone.
  public var didChange: Bool { label != nil }

  init(revision: Int64) { self.revision = revision }
}
