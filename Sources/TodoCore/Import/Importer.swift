import SQLiteStore

/// A running import: it first plans what to do with each item, and then writes everything.
struct Importer {
  /// What to do with an item of the file.
  private enum Fate {
    case add(id: Int64)
    case update(Item)
    /// It is here with the same content. The file names the instance that it follows.
    case link(Item)
    case skip
  }

  private let connection: Connection
  private let moment: Moment
  private let batch: ImportBatch
  private var fates: [Fate] = []
  /// The items of the file, with what existing ones keep.
  private var items: [ImportedItem]
  private var links: ImportedLinks?
  private var addedLists: [ImportedList] = []
  private var changedLists: [(id: Int64, extra: JSONObject)] = []
  /// The greatest number that was ever used here; all new items come after it.
  private var greatest: Int64 = 0
  private(set) var result = ImportResult()

  init(_ connection: Connection, _ moment: Moment, _ batch: ImportBatch) throws {
    self.connection = connection
    self.moment = moment
    self.batch = batch
    items = batch.items
  }

  // MARK: Planning

  /// Plans what to do with each item. It only reads.
  mutating func plan(isUpdating: Bool) throws {
    for list in batch.lists {
      try check(listName: list.name, "a list", list.place.prefix)
      if JSONValue.object(list.extra).depth - 1 > Self.depthLimit {
        throw TodoError.badData(
          "a field of the list \"\(list.name)\" holds values that are nested more than \(Self.depthLimit) deep; leave it out"
        )
      }
    }
    let isEmpty = try connection.value("SELECT EXISTS(SELECT 1 FROM item)", as: Int.self) == 0
    var known = isEmpty ? nil : try KnownContent(connection, batch)
    greatest =
      try connection.value(
        """
        SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'item'), 0),
          coalesce((SELECT max(id) FROM item), 0))
        """, as: Int64.self) ?? 0
    var numbers = Numbers(greatest: greatest, batch.items.lazy.compactMap(\.id))
    var seen = Set<String>(minimumCapacity: batch.items.count)
    var ended: [(index: Int, id: Int64)] = []
    fates.reserveCapacity(batch.items.count)
    for (index, item) in batch.items.enumerated() {
      try check(item)
      if let uuid = item.uuid {
        guard seen.insert(uuid).inserted else {
          let first = batch.items.first { $0.uuid == uuid }?.place.map { ", first at \($0)" } ?? ""
          throw TodoError.badData(
            "\(item.place.prefix)the UUID \(uuid) occurs a second time\(first); leave one of the two out, or the UUID of a copy"
          )
        }
        if let there = try existing(uuid, isEmpty) {
          let item = try item.completed(from: there)
          try checkDependencies(item)
          items[index] = item
          if item.says(there, moment.zone) {
            fates.append(item.previous == nil ? .skip : .link(there))
            result.unchanged += 1
          } else {
            guard isUpdating else { throw conflict(item, there) }
            fates.append(.update(there))
            result.updated += 1
            if item.done, !there.done, item.every != nil { ended.append((index, there.id)) }
          }
          continue
        }
      } else if try known?.take(item, moment.zone) == true {
        fates.append(.skip)
        result.unchanged += 1
        continue
      }
      try checkDependencies(item)
      guard let id = numbers.next(for: item.id) else {
        throw TodoError.badData("there is no number left for another item; export, and import into a new database")
      }
      if let wanted = item.id, wanted != id { result.renumbered += 1 }
      fates.append(.add(id: id))
      result.added += 1
    }
    // Not those that were found by their content: the file says nothing about which of several it means.
    let linked = fates.indices.filter { index in
      if case .skip = fates[index] { items[index].uuid != nil } else { true }
    }
    let links = try ImportedLinks(connection, items, of: linked)
    result.warnings = links.warnings
    try warnOfEndedSeries(ended)
    try warnOfSeries(isEmpty)
    self.links = links
    for index in links.changed {
      guard case .link(let there) = fates[index], there.previous != nil else { continue }
      // It has the content of the file, and follows another item than there.
      guard isUpdating else { throw conflict(items[index], there) }
      fates[index] = .update(there)
      result.unchanged -= 1
      result.updated += 1
    }
    addedLists = try newLists()
    result.addedLists = addedLists.count
    changedLists = try listChanges(isUpdating)
    result.updatedLists = changedLists.count
  }

  /// Warns of open items that are here, and are recurring tasks of taskwarrior in the file.
  private mutating func warnOfSeries(_ isEmpty: Bool) throws {
    for series in batch.series {
      guard let uuid = series.uuid, let there = try existing(uuid, isEmpty), !there.done else { continue }
      result.warnings.append(
        "\(series.place.prefix)\"\(there.title)\" is a recurring task in the file, whose instances are items of their own; "
          + "`todo rm \(there.id)` removes it")
    }
  }

  /// A file's mark makes no next instance, because another program may have made it. Warns if there is none.
  private mutating func warnOfEndedSeries(_ ended: [(index: Int, id: Int64)]) throws {
    if ended.isEmpty { return }
    let followed = Set(batch.items.lazy.compactMap(\.previous))
    for (index, id) in ended {
      let item = items[index]
      let isFollowed = try connection.value("SELECT EXISTS(SELECT 1 FROM item WHERE previous = \(id))", as: Bool.self)
      if isFollowed == true || item.uuid.map(followed.contains) == true { continue }
      result.warnings.append(
        "\(item.place.prefix)\"\(item.title)\" recurs and is done, but has no next instance; "
          + "`todo undone \(id)` and `todo done \(id)` make it")
    }
  }

  /// The fields that existing lists get: those that they have not. Other values are a conflict, unless they replace.
  private func listChanges(_ isUpdating: Bool) throws -> [(id: Int64, extra: JSONObject)] {
    var changes: [(id: Int64, extra: JSONObject)] = []
    for list in batch.lists where !list.extra.isEmpty {
      let row = try connection.row("SELECT id, extra FROM list WHERE name = \(list.name)")
      guard let row else { continue }
      let former = try (row[1] as String?).flatMap { try JSONValue.parse(stored: $0).object } ?? JSONObject()
      var extra = former
      for member in list.extra.members {
        if let own = former[member.key], own != member.value, !isUpdating {
          throw TodoError.conflict(
            "\(list.place.prefix)the list \"\(list.name)\" is here already, with another \"\(member.key)\"; import with --update to replace it"
          )
        }
        extra[member.key] = member.value
      }
      if extra != former { changes.append((id: try row[0], extra: extra)) }
    }
    return changes
  }

  private func existing(_ uuid: String, _ isEmpty: Bool) throws -> Item? {
    if isEmpty { return nil }
    var found: Item?
    try connection.forEach(ItemQuery.source + " WHERE item.uuid = \(uuid)", as: Item.self) { found = $0 }
    return found
  }

  private func conflict(_ item: ImportedItem, _ there: Item) -> TodoError {
    .conflict(
      "\(item.place.prefix)the item \"\(item.title)\" is here already, as number \(there.id), with other content; "
        + "import with --update to replace it")
  }

  /// The lists to create, in order and each once.
  private func newLists() throws -> [ImportedList] {
    let selecting = ItemQuery(connection, moment)
    var lists: [ImportedList] = []
    var seen: Set<TextKey> = []
    let named = zip(items, fates).compactMap { item, fate -> ImportedList? in
      if case .skip = fate { return nil }
      if case .link = fate { return nil }
      if case .update = fate, item.list == nil { return nil }
      return ImportedList(name: item.list ?? TodoStore.defaultList)
    }
    for list in batch.lists + named where seen.insert(TextKey(listName: list.name)).inserted {
      if try selecting.list(list.name) == nil { lists.append(list) }
    }
    return lists
  }

  // MARK: Writing

  /// Executes the plan, and returns the numbers of the added and replaced items.
  func write(as change: Int64, _ progress: (Int, Int) -> Void) throws -> [Int64] {
    // Only once, as it reads the whole journal.
    var id = addedLists.isEmpty ? nil : try connection.newListNumber()
    for list in addedLists {
      let position = try Positions(connection).endOfLists()
      try connection.execute(
        "INSERT INTO list(id, name, position, extra) VALUES (\(id), \(list.name), \(position), \(list.extra.column))")
      id = Connection.number(after: id)
    }
    for (id, extra) in changedLists {
      try connection.execute("UPDATE list SET extra = \(extra.column) WHERE id = \(id)")
    }
    var lists = ListEnds(connection, moment)
    var written: [Int64] = []
    var ids: [Int: Int64] = [:]
    var insertions: [Insertion] = []
    insertions.reserveCapacity(result.added)
    for (index, (item, fate)) in zip(items, fates).enumerated() {
      switch fate {
      case .skip: continue
      case .link(let there): ids[index] = there.id
      case .add(let id):
        let place = try lists.nextPlace(in: item.list ?? TodoStore.defaultList)
        insertions.append(Insertion(id: id, index: index, list: place.list, position: place.position))
        written.append(id)
        if item.previous != nil { ids[index] = id }
      case .update(let there):
        try update(there, to: item, &lists)
        written.append(there.id)
        if item.previous != nil { ids[index] = there.id }
        if written.count % 500 == 0 { progress(written.count, result.added + result.updated) }
      }
    }
    // By number, so that the table grows at its end.
    try insert(insertions.sorted { $0.id < $1.id }, as: change, progress)
    try links?.write(connection, ids)
    return written
  }

  /// The position of an item of the file.
  private struct Insertion {
    let id: Int64
    let index: Int
    let list: Int64
    let position: Int64
  }

  /// From this number of items on, doing the triggers' work in bulk is faster.
  static let bulk = 200

  private func insert(_ insertions: [Insertion], as change: Int64, _ progress: (Int, Int) -> Void) throws {
    func insertAll() throws {
      var rest = insertions[...]
      for size in [50, 1] where rest.count >= size {
        let statement = try insertion(of: size)
        while rest.count >= size {
          if (insertions.count - rest.count) % 500 == 0 {
            progress(result.updated + insertions.count - rest.count, result.updated + result.added)
          }
          _ = try statement.rows(try rest.prefix(size).flatMap(values))
          rest.removeFirst(size)
        }
      }
      progress(result.updated + result.added, result.updated + result.added)
    }
    guard insertions.count >= Self.bulk, try BulkInsertion.isPossible(connection) else { return try insertAll() }
    // The types of the values ensure what the constraints require of each column.
    try connection.withoutTriggers { try connection.withoutChecks(insertAll) }
    try BulkInsertion.doAsTriggersWould(connection, after: greatest, change: change)
  }

  /// A statement that adds this many items at once: each run of a statement looks up all indices and numbers again.
  private func insertion(of count: Int) throws -> Statement {
    let row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    return try connection.prepare(
      """
      INSERT INTO item(id, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day, every,
        anchor, zone, created, started, completed, extra, rhythm, wait)
      VALUES \(repeatElement(row, count: count).joined(separator: ", "))
      """)
  }

  private func values(_ insertion: Insertion) throws -> [Value] {
    let item = items[insertion.index]
    let due = item.dueColumns(moment.zone)
    return try [
      .integer(insertion.id), .text(item.uuid ?? UUIDText.random()), .integer(insertion.list),
      .integer(insertion.position), .text(item.title), .text(TextArray.json(item.notes)),
      .text(TextArray.json(item.tags.withoutRepeats)), item.done.databaseValue, item.archived.databaseValue,
      .integer(item.priority?.rawValue ?? 0), due.due.databaseValue, due.day.databaseValue,
      (item.every?.nearest.rawValue).databaseValue, (due.anchor?.time).databaseValue,
      (due.anchor?.zone).databaseValue, item.created.databaseValue, item.started.databaseValue,
      (item.done ? item.completed : nil).databaseValue, item.extra.column.databaseValue,
      (item.every?.rhythm).databaseValue, (item.wait?.description).databaseValue,
    ]
  }

  private func update(_ there: Item, to item: ImportedItem, _ lists: inout ListEnds) throws {
    let due = item.dueColumns(moment.zone)
    try connection.execute(
      """
      UPDATE item SET title = \(item.title), notes = \(TextArray.json(item.notes)),
        tags = \(TextArray.json(item.tags.withoutRepeats)), done = \(item.done), archived = \(item.archived),
        priority = \(item.priority?.rawValue ?? 0), due = \(due.due), due_day = \(due.day),
        every = \(item.every?.nearest.rawValue), anchor = \(due.anchor?.time), zone = \(due.anchor?.zone),
        created = \(item.created), started = \(item.started), completed = \(item.done ? item.completed : nil),
        extra = \(item.extra.column), rhythm = \(item.every?.rhythm), wait = \(item.wait?.description)
      WHERE id = \(there.id)
      """)
    guard let name = item.list, TextKey(listName: name) != TextKey(listName: there.list) else { return }
    let place = try lists.nextPlace(in: name)
    try connection.execute("UPDATE item SET list = \(place.list), position = \(place.position) WHERE id = \(there.id)")
  }
}

/// Assigns numbers to imported items: their own if possible, otherwise new ones after all others.
private struct Numbers {
  /// The greatest number that was ever used here.
  private let greatest: Int64
  private var fresh: Int64
  private var taken: Set<Int64> = []

  /// Greater numbers are not taken from a file: the next item continues from the greatest, and people must be able to
  /// type it.
  private static let largestWanted: Int64 = 9_999_999

  /// - Parameter wanted: The numbers in the file.
  init(greatest: Int64, _ wanted: some Sequence<Int64>) {
    self.greatest = greatest
    fresh = max(greatest, wanted.filter { $0 <= Self.largestWanted }.max() ?? 0)
  }

  /// Nil if the greatest possible number has been used.
  mutating func next(for wanted: Int64?) -> Int64? {
    // A number is never used again, even when its item is gone.
    if let wanted, wanted > greatest, wanted <= Self.largestWanted, taken.insert(wanted).inserted { return wanted }
    if fresh >= Selection.largestID { return nil }
    fresh += 1
    return fresh
  }
}

/// The position of the next item in each list, without querying again for every item.
private struct ListEnds {
  private let connection: Connection
  private let moment: Moment
  private var lists: [TextKey: Int64] = [:]
  private var ends: [Int64: Int64] = [:]

  init(_ connection: Connection, _ moment: Moment) {
    self.connection = connection
    self.moment = moment
  }

  mutating func nextPlace(in name: String) throws -> (list: Int64, position: Int64) {
    let key = TextKey(listName: name)
    let list = try lists[key] ?? ItemQuery(connection, moment).existingList(name)
    lists[key] = list
    let position = try ends[list].map { $0 + Positions.gap } ?? Positions(connection).end(of: list)
    ends[list] = position
    return (list, position)
  }
}
