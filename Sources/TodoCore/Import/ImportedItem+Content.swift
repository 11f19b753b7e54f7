import SQLiteStore

extension ImportedItem {
  /// Whether an item of the database is just as the file has it. When it was made or done is compared where the file says so.
  func says(_ item: Item) -> Bool {
    if !title.utf8.elementsEqual(item.title.utf8) || done != item.done || archived != item.archived { return false }
    if priority != item.priority || due != item.due || every != item.every || started != item.started { return false }
    if let list, TextKey(listName: list) != TextKey(listName: item.list) { return false }
    if let created, created != item.created { return false }
    if done, let completed, completed != item.completed { return false }
    if let anchor, every != nil, anchor != item.anchor { return false }
    if TextArray.json(tags.withoutRepeats) != TextArray.json(item.tags) { return false }
    if TextArray.json(notes) != TextArray.json(item.notes) { return false }
    return (extra.column ?? "").isIdentical(to: item.extra ?? "")
  }

  /// What the columns hold that say when it is due.
  func dueColumns(_ zone: LocalZone) -> DueColumns {
    var columns = DueColumns(due, every, zone)
    if every != nil, let anchor { columns.anchor = Anchor(anchor) }
    // A day that is further off than any two zones are apart is none.
    if case .instant(let instant)? = due, let dueDay,
      abs(dueDay.number - LocalZone.fixed(seconds: 0).day(of: instant).number) <= 1
    {
      columns.day = dueDay.description
    }
    return columns
  }
}

extension JSONObject {
  /// As a column holds it: NULL for no fields.
  var column: String? { isEmpty ? nil : JSONValue.object(self).text }
}

/// What the database holds of what a file says without UUIDs, to be found by its content.
struct KnownContent {
  private var items: [TextKey: [Item]] = [:]

  /// Reads what may be found; nothing where every item of the file has a UUID.
  init(_ connection: Connection, _ batch: ImportBatch) throws {
    let titles = Set(batch.items.lazy.filter { $0.uuid == nil }.map { TextKey($0.title) })
    if titles.isEmpty { return }
    var items: [TextKey: [Item]] = [:]
    try connection.forEach(Selecting.source, as: Item.self) { item in
      let key = TextKey(item.title)
      if titles.contains(key) { items[key, default: []].append(item) }
    }
    self.items = items
  }

  /// Whether an item that was not taken yet is just so; then it is taken.
  mutating func take(_ item: ImportedItem) -> Bool {
    let key = TextKey(item.title)
    guard let index = items[key]?.firstIndex(where: { item.says($0) && item.isIn($0.list) }) else {
      return false
    }
    items[key]?.remove(at: index)
    return true
  }
}

extension ImportedItem {
  fileprivate func isIn(_ name: String) -> Bool {
    TextKey(listName: list ?? TodoStore.defaultList) == TextKey(listName: name)
  }
}
