/// A new item, before it has a number: the input of ``TodoStore/add(_:)``.
public struct ItemDraft: Hashable, Sendable {
  /// The title, kept unchanged. It must hold more than white space.
  public var title: String
  /// The name of its list, which is created if it is missing; nil for the default one, ``TodoStore/defaultList``.
  public var list: String?
  /// The tags.
  public var tags: [String]
  /// The priority.
  public var priority: Priority?
  /// When it is due.
  public var due: Due?
  /// The recurrence.
  public var every: Recurrence?
  /// The date until which it is hidden.
  public var wait: Due?
  /// The notes.
  public var notes: [String]

  /// Creates a draft.
  public init(
    title: String, list: String? = nil, tags: [String] = [], priority: Priority? = nil, due: Due? = nil,
    every: Recurrence? = nil, wait: Due? = nil, notes: [String] = []
  ) {
    self.title = title
    self.list = list
    self.tags = tags
    self.priority = priority
    self.due = due
    self.every = every
    self.wait = wait
    self.notes = notes
  }

  /// Creates a draft from the arguments of `add`.
  public init(_ said: Attributes) {
    self.init(
      title: said.title, list: said.list, tags: said.tags, priority: said.priority.value, due: said.due.value,
      every: said.every.value, wait: said.wait.value, notes: said.notes)
  }

  /// Checks whether it can be an item, apart from any database: it must have a title, and no tag may be empty.
  public func check() throws(TodoError) {
    try TodoStore.check(title: title)
    try TodoStore.check(tags: tags)
  }
}

/// A change of items: the input of ``TodoStore/edit(_:_:)``.
public struct ItemEdit: Hashable, Sendable {
  /// A new title; nil keeps it.
  public var title: String?
  /// Another list, which is created if it is missing; the items move to its end. Nil keeps the list.
  public var list: String?
  /// Tags to add.
  public var addedTags: [String] = []
  /// Tags to remove.
  public var removedTags: [String] = []
  /// Whether all tags are removed first.
  public var clearsTags = false
  /// Notes to add.
  public var addedNotes: [String] = []
  /// The priority.
  public var priority = Attributes.Change<Priority>.keep
  /// When they are due.
  public var due = Attributes.Change<Due>.keep
  /// The recurrence.
  public var every = Attributes.Change<Recurrence>.keep
  /// The date until which they are hidden.
  public var wait = Attributes.Change<Due>.keep

  /// Creates an edit that changes nothing.
  public init() {}

  /// Creates an edit from the arguments of `edit`, without the numbers. Its tags are added.
  public init(_ said: Attributes) {
    title = said.words.isEmpty ? nil : said.title
    list = said.list
    addedTags = said.tags
    clearsTags = said.clearsTags
    addedNotes = said.notes
    priority = said.priority
    due = said.due
    every = said.every
    wait = said.wait
  }

  /// Creates the edit that makes what one line says into what another line says.
  package init(from former: Attributes, to said: Attributes) {
    func change<Value>(_ old: Attributes.Change<Value>, _ new: Attributes.Change<Value>) -> Attributes.Change<Value> {
      new.value == old.value ? .keep : .set(new.value)
    }
    if !said.title.isIdentical(to: former.title) { title = said.title }
    if said.list != former.list { list = said.list }
    if said.tags != former.tags { (addedTags, clearsTags) = (said.tags, true) }
    priority = change(former.priority, said.priority)
    due = change(former.due, said.due)
    every = change(former.every, said.every)
    wait = change(former.wait, said.wait)
    addedNotes = said.notes
  }

  /// Checks whether it can be made, apart from any database: it must change something, and keep a title.
  public func check() throws(TodoError) {
    if isEmpty { throw .usage("edit needs at least one change, as in: todo edit 3 \"New title\" pri:high due:fri") }
    if let title { try TodoStore.check(title: title) }
    try TodoStore.check(tags: addedTags)
  }

  /// Whether it changes nothing.
  public var isEmpty: Bool { self == ItemEdit() }
}
