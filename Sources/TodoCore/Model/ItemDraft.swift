/// A new item, before it has a number: what ``TodoStore/add(_:)`` takes.
public struct ItemDraft: Hashable, Sendable {
  /// What is to be done, kept as it is. It must hold more than white space.
  public var title: String
  /// The name of its list, which is made where there is none; nil for the default one, ``TodoStore/defaultList``.
  public var list: String?
  /// The tags.
  public var tags: [String]
  /// How urgent it is.
  public var priority: Priority?
  /// When it is due.
  public var due: Due?
  /// How often it comes again.
  public var every: Recurrence?
  /// The notes.
  public var notes: [String]
  /// The time that was said for `due`, where the clocks leap over it; see ``Attributes/dueTime``.
  public var dueTime: WallTime?

  /// An item to be.
  public init(
    title: String, list: String? = nil, tags: [String] = [], priority: Priority? = nil, due: Due? = nil,
    every: Recurrence? = nil, notes: [String] = []
  ) {
    self.title = title
    self.list = list
    self.tags = tags
    self.priority = priority
    self.due = due
    self.every = every
    self.notes = notes
  }

  /// What the arguments of `add` say.
  public init(_ said: Attributes) {
    self.init(
      title: said.title, list: said.list, tags: said.tags, priority: said.priority.value, due: said.due.value,
      every: said.every.value)
    dueTime = said.dueTime
  }

  /// Whether it can be an item, apart from any database: it must have a title, and no tag may be empty.
  public func check() throws(TodoError) {
    try TodoStore.check(title: title)
    try TodoStore.check(tags: tags)
  }
}

/// What is to become of items: what ``TodoStore/edit(_:_:)`` takes.
public struct ItemEdit: Hashable, Sendable {
  /// Another title; nil keeps it.
  public var title: String?
  /// Another list, which is made where there is none, and whose end they go to; nil keeps it.
  public var list: String?
  /// Tags to add.
  public var addedTags: [String] = []
  /// Tags to take away.
  public var removedTags: [String] = []
  /// The priority.
  public var priority = Attributes.Change<Priority>.keep
  /// When they are due.
  public var due = Attributes.Change<Due>.keep
  /// How often they come again.
  public var every = Attributes.Change<Recurrence>.keep
  /// The time that was said for `due`, where the clocks leap over it; see ``Attributes/dueTime``.
  public var dueTime: WallTime?

  /// Nothing.
  public init() {}

  /// What the arguments of `edit` say, the numbers left out. Its tags are added.
  public init(_ said: Attributes) {
    title = said.words.isEmpty ? nil : said.title
    list = said.list
    addedTags = said.tags
    priority = said.priority
    due = said.due
    every = said.every
    dueTime = said.dueTime
  }

  /// Whether it changes nothing.
  public var isEmpty: Bool { self == ItemEdit() }
}
