import SQLiteStore

extension TodoStore {
  // MARK: Adding

  /// Adds an item, at the end of its list. The list is created if it is missing.
  public func add(_ draft: ItemDraft) throws(TodoError) -> ChangeResult { try add([draft]) }

  /// Adds items, in order, as one change.
  public func add(_ drafts: [ItemDraft]) throws(TodoError) -> ChangeResult {
    for draft in drafts { try draft.check() }
    return try change("add") { changing in
      for draft in drafts { changing.changed.append(try changing.insert(draft)) }
    }
  }

  static func check(title: String) throws(TodoError) {
    if title.allSatisfy(\.isWhitespace) {
      throw .usage("an item needs a title; say what is to be done, as in: todo add \"Pay rent\"")
    }
  }

  static func check(note: String) throws(TodoError) {
    if note.allSatisfy(\.isWhitespace) {
      throw .usage("a note needs a text, as in: todo note 3 \"ask for a receipt\"")
    }
  }

  static func check(tags: [String]) throws(TodoError) {
    if tags.contains("") { throw .usage("a tag needs a name, such as @errand") }
  }

  // MARK: Done and not

  /// Completes items. For a recurring item the next instance is created in the same transaction, exactly once.
  ///
  /// Items that are done already stay unchanged and are reported as ``ChangeResult/unchanged``.
  public func done(_ selection: Selection) throws(TodoError) -> ChangeResult {
    try change("done") { changing in
      for item in try changing.select(selection) {
        if item.done {
          changing.unchanged.append(item)
          continue
        }
        try changing.connection.execute(
          "UPDATE item SET done = 1, completed = \(changing.now) WHERE id = \(item.id)")
        changing.changed.append(item.id)
        if try !changing.insertNext(of: item) { changing.ended.insert(item.id) }
      }
    }
  }

  /// Reopens done items. The next instance of a recurring item stays; completing the item again creates no other.
  public func undone(_ selection: Selection) throws(TodoError) -> ChangeResult {
    try set("undone", selection, status: .done, unless: { !$0.done }) { _ in "done = 0, completed = NULL" }
  }

  /// Marks items as started. Items that were started already stay so.
  public func start(_ selection: Selection) throws(TodoError) -> ChangeResult {
    try set("start", selection, unless: { $0.started != nil }) { "started = \($0.now)" }
  }

  /// Removes the mark that items are started.
  public func stop(_ selection: Selection) throws(TodoError) -> ChangeResult {
    try set("stop", selection, unless: { $0.started == nil }) { _ in "started = NULL" }
  }

  /// Archives items: they are only in the list of archived ones. Without numbers it applies to done items.
  public func archive(_ selection: Selection) throws(TodoError) -> ChangeResult {
    try set("archive", selection, status: .done, unless: { $0.archived }) { _ in "archived = 1" }
  }

  /// Unarchives items.
  public func unarchive(_ selection: Selection) throws(TodoError) -> ChangeResult {
    try set("unarchive", selection, status: .archived, unless: { !$0.archived }) { _ in "archived = 0" }
  }

  private func set(
    _ verb: String, _ selection: Selection, status: Filter.Status = .open, unless isSo: (Item) -> Bool,
    to assignment: (ChangeTransaction) -> SQL
  ) throws(TodoError) -> ChangeResult {
    try change(verb) { changing in
      let assignment = assignment(changing)
      for item in try changing.select(selection, status: status) {
        if isSo(item) {
          changing.unchanged.append(item)
          continue
        }
        try changing.connection.execute("UPDATE item SET \(assignment) WHERE id = \(item.id)")
        changing.changed.append(item.id)
      }
    }
  }

  // MARK: Removing

  /// Removes items. Their numbers are not used again.
  public func remove(_ selection: Selection) throws(TodoError) -> ChangeResult {
    try change("remove") { changing in
      for item in try changing.select(selection) {
        try changing.connection.execute("DELETE FROM item WHERE id = \(item.id)")
        changing.removed.append(item)
      }
    }
  }
}

extension Connection {
  /// A number that no list has or had, as far as the journal knows: undoing what was done with a former list must not
  /// change another one. If no number is left, it is nil, and SQLite finds one.
  func newListNumber() throws -> Int64? {
    let greatest = try value(
      """
      SELECT max(ifnull((SELECT max(id) FROM list), 0), ifnull((SELECT max(id) FROM journal WHERE kind = 'list'), 0))
      """, as: Int64.self)
    return Self.number(after: greatest)
  }

  static func number(after number: Int64?) -> Int64? { number.flatMap { $0 < .max ? $0 + 1 : nil } }
}

extension ChangeTransaction {
  /// The items of a selection; see ``ItemQuery/items(_:status:)``.
  mutating func select(_ selection: Selection, status: Filter.Status = .open) throws -> [Item] {
    let query = ItemQuery(connection, moment)
    let items = try query.items(selection, status: status)
    if items.isEmpty { missingName = try query.missingName(in: selection.filter) }
    if let seen = selection.seenState, let item = items.first(where: { $0.tagOfState != seen }) {
      throw TodoError.conflict("item \(item.id) was changed meanwhile; look at it and try again")
    }
    return items
  }

  /// The number of a list, which is created at the end if it doesn't exist.
  mutating func list(_ name: String) throws -> Int64 {
    let query = ItemQuery(connection, moment)
    if let id = try query.list(name) { return id }
    let near = try query.nearList(to: name)
    try TodoStore.check(listName: name)
    let (id, position) = (try connection.newListNumber(), try Positions(connection).endOfLists())
    try connection.execute("INSERT INTO list(id, name, position) VALUES (\(id), \(name), \(position))")
    newLists.append(.init(name: name, near: near))
    return connection.lastInsertedRowID
  }

  mutating func insert(_ draft: ItemDraft) throws -> Int64 {
    let list = try list(draft.list ?? TodoStore.defaultList)
    let due = DueColumns(draft.due, draft.every, moment.zone)
    try connection.execute(
      """
      INSERT INTO item(list, position, title, notes, tags, priority, due, due_day, every, anchor, zone, created,
        rhythm, wait)
      VALUES (\(list), \(try Positions(connection).end(of: list)), \(draft.title), \(TextArray.json(draft.notes)),
        \(TextArray.json(draft.tags.withoutRepeats)), \(draft.priority?.rawValue ?? 0), \(due.due), \(due.day),
        \(draft.every?.nearest.rawValue), \(due.anchor?.time), \(due.anchor?.zone), \(now), \(draft.every?.rhythm),
        \(draft.wait?.description))
      """)
    return connection.lastInsertedRowID
  }

  /// Creates the next instance of a recurring item at the item's place, unless it exists. Returns false if the calendar
  /// ends before it.
  mutating func insertNext(of item: Item) throws -> Bool {
    guard let every = item.every else { return true }
    let exists = try connection.value("SELECT EXISTS(SELECT 1 FROM item WHERE previous = \(item.id))", as: Int.self)
    guard exists == 0 else { return true }
    guard let next = item.next(every, at: moment) else { return false }
    try connection.execute(
      """
      INSERT INTO item(list, position, title, notes, tags, priority, due, due_day, every, anchor, zone, previous, created,
        extra, rhythm, wait)
      VALUES (\(item.listID), \(item.position), \(item.title),
        \(TextArray.json(item.notes)), \(TextArray.json(item.tags)), \(item.priority?.rawValue ?? 0),
        \(next.due.description), \(next.day.description), \(every.nearest.rawValue), \(next.anchor.time),
        \(next.anchor.zone), \(item.id), \(now), \(item.extra), \(every.rhythm),
        \(item.wait(before: next.due, in: moment.zone)?.description))
      ON CONFLICT (previous) WHERE previous IS NOT NULL DO NOTHING
      """)
    let id = connection.lastInsertedRowID
    changed.append(id)
    self.next.append(id)
    return true
  }
}

extension [String] {
  /// Each text once, at its first place. They are compared by their bytes, as in the database.
  var withoutRepeats: [String] {
    var seen: Set<Value> = []
    return filter { seen.insert(.text($0)).inserted }
  }
}
