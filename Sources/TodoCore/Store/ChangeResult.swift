/// The result of a command: the items that it changed, and its name in the log.
public struct ChangeResult: Equatable, Sendable {
  /// The new revision of the database; the current one if nothing changed.
  public var revision: Int64
  /// What was done, with its title, as undo will show it: `add "Milk"`. Nil if nothing changed.
  public var label: String?
  /// The changed or created items, in their new state.
  public var items: [Item] = []
  /// Of those, the next instances of recurring items, which were created automatically.
  public var next: [Item] = []
  /// Of those, the recurring items without a next instance, because it would be after the year 9999.
  public var ended: [Item] = []
  /// The removed items, in their last state.
  public var removed: [Item] = []
  /// The requested items that did not need a change.
  public var unchanged: [Item] = []
  /// A list that was created because it did not exist.
  public struct NewList: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// The existing list whose name is near to it, if one is.
    public var near: String?
  }

  /// The lists that were created because they did not exist.
  public var newLists: [NewList] = []
  /// The titles before the change of items that got another one, by number.
  public var formerTitles: [Int64: String] = [:]

  /// If nothing matched because a filter names a list or tag that does not exist, a clause that says so: `there is no
  /// list "Hom"; did you mean "Home"?`.
  public var missingName: String?

  /// Whether anything changed, and can be undone.
  public var didChange: Bool { label != nil }

  init(revision: Int64) { self.revision = revision }
}
