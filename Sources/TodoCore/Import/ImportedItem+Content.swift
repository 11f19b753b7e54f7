import SQLiteStore

extension ImportedItem {
  /// Whether an item of the database has the same content as in the file. Its times of creation and completion are
  /// compared if the file has them, and so is the day under which it is listed.
  func says(_ item: Item, _ zone: LocalZone) -> Bool {
    if !title.utf8.elementsEqual(item.title.utf8) || done != item.done || archived != item.archived { return false }
    if priority != item.priority || due != item.due || every != item.every || started != item.started { return false }
    if wait != item.wait { return false }
    if let list, TextKey(listName: list) != TextKey(listName: item.list) { return false }
    if !absent.contains(.created) || created != nil, created != item.created { return false }
    if done, !absent.contains(.completed) || completed != nil, completed != item.completed { return false }
    let columns = dueColumns(zone)
    if every != nil, let own = item.anchor, !absent.contains(.anchor), columns.anchor?.text != own { return false }
    if dueDay != nil, columns.day != item.dueDay?.description { return false }
    if !tags.withoutRepeats.isIdentical(to: item.tags) || !notes.isIdentical(to: item.notes) { return false }
    if (extra.column ?? "").isIdentical(to: item.extra ?? "") { return true }
    // Other programs may write the same values with other blanks.
    guard let own = item.extra.flatMap({ try? JSONValue.parse(stored: $0).object }) else { return false }
    return extra == own
  }

  /// The item with the fields of an existing one that the file does not name.
  func completed(from there: Item) throws -> ImportedItem {
    var item = absent.isEmpty ? self : try withFields(of: there)
    // A file in which only the due date or the recurrence was edited still has the day and the anchor of the former
    // one.
    if item.due != there.due, item.dueDay == there.dueDay { item.dueDay = nil }
    if item.due != there.due || item.every != there.every, item.anchor == there.anchor { item.anchor = nil }
    // Without an anchor the recurrence begins with the due date, as it may do already, in any zone.
    if item.anchor == nil, item.every == there.every, item.due == there.due, let due = item.due,
      let anchor = there.anchor,
      Anchor(anchor)?.isMoment(of: due) == true
    {
      item.anchor = anchor
    }
    return item
  }

  /// The same with what the file leaves out, except an anchor that follows from the due date.
  private func withFields(of there: Item) throws -> ImportedItem {
    let own = try ImportedItem(there, previous: nil)
    var item = self
    for field in absent {
      switch field {
      case .tags: item.tags = own.tags
      case .priority: item.priority = own.priority
      case .due: item.due = own.due
      case .every: item.every = own.every
      case .done: item.done = own.done
      case .created: item.created = own.created ?? item.created
      case .started: item.started = own.started
      case .notes: item.notes = own.notes
      case .archived: item.archived = own.archived
      case .wait: item.wait = own.wait
      case .extra:
        item.extra = own.extra
        for name in emptied { item.extra[name] = nil }
        for member in extra.members { item.extra[member.key] = member.value }
      case .dueDay, .anchor, .completed: break
      }
    }
    // These depend on others: a recurrence with another due date begins with it.
    let isDueKept = item.due == own.due
    if absent.contains(.dueDay) { item.dueDay = isDueKept ? own.dueDay : nil }
    if absent.contains(.anchor) { item.anchor = isDueKept && item.every == own.every ? there.anchor : nil }
    if absent.contains(.completed), item.done, own.done { item.completed = own.completed ?? item.completed }
    return item
  }

  /// The values of the due columns.
  func dueColumns(_ zone: LocalZone) -> DueColumns {
    var columns = DueColumns(due, every, zone)
    if every != nil, let anchor { columns.anchor = Anchor(anchor) }
    // A day that is further away than any two zones are apart is ignored.
    if case .instant(let instant)? = due, let dueDay,
      abs(dueDay.number - LocalZone.fixed(seconds: 0).day(of: instant).number) <= 1
    {
      columns.day = dueDay.description
    }
    return columns
  }
}

extension JSONObject {
  /// The column's value: NULL if there are no fields.
  var column: String? { isEmpty ? nil : JSONValue.object(self).text }
}

/// The items of the database for finding items without UUIDs by their content.
struct KnownContent {
  private var items: [TextKey: [Item]] = [:]

  /// Reads the items that may be found; none if every item of the file has a UUID.
  init(_ connection: Connection, _ batch: ImportBatch) throws {
    let titles = Set(batch.items.lazy.filter { $0.uuid == nil }.map { TextKey($0.title) })
    if titles.isEmpty { return }
    var items: [TextKey: [Item]] = [:]
    try connection.forEach(ItemQuery.source, as: Item.self) { item in
      let key = TextKey(item.title)
      if titles.contains(key) { items[key, default: []].append(item) }
    }
    self.items = items
  }

  /// Whether there is an item with the same content that was not used yet; marks it as used. What the file doesn't say
  /// of times, notes and the like is not compared, because most formats can't say it.
  mutating func take(_ item: ImportedItem, _ zone: LocalZone) throws -> Bool {
    let key = TextKey(item.title)
    var wanted = item
    wanted.absent.subtract([.tags, .priority, .due, .every, .done])
    let list = TextKey(listName: item.list ?? TodoStore.defaultList)
    let index = try items[key]?.firstIndex { there in
      try TextKey(listName: there.list) == list && wanted.completed(from: there).says(there, zone)
    }
    guard let index else { return false }
    items[key]?.remove(at: index)
    return true
  }
}
