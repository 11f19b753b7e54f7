extension Importer {
  /// Refuses what the tables would refuse, with a readable error, for any source of the batch and any number of items.
  func check(_ item: ImportedItem) throws(TodoError) {
    func refuse(_ problem: String) -> TodoError { .badData("\(item.place.prefix)\(problem)") }
    if item.isMissing(item.title) { throw refuse("an item has no title; give it one") }
    for uuid in [item.uuid, item.previous].compactMap({ $0 }) where !UUIDText.isCanonical(uuid) {
      throw refuse("\"\(uuid)\" is no UUID; one is such as 6f1c9a0e-1b2c-4d3e-8f90-0123456789ab")
    }
    let what = "of \"\(item.title)\""
    if item.tags.contains("") { throw refuse("a tag \(what) has no name; leave it out") }
    // The views by tag use SQLite's JSON functions, which drop this character.
    if item.tags.contains(where: { $0.utf8.contains(0) }) {
      throw refuse("a tag \(what) holds the character NUL; leave it out")
    }
    if let list = item.list {
      if item.isMissing(list) { throw refuse("the list \(what) has no name; give it one") }
      try check(listName: list, "the list \(what)", item.place.prefix)
    }
    if let anchor = item.anchor, ImportedItem.anchor(anchor) != anchor {
      throw refuse(
        "the anchor \(what) is \"\(anchor)\", and not such as 2031-01-31 or 2031-01-31T09:00:00[Europe/Berlin]")
    }
    if JSONValue.object(item.extra).depth - 1 > Self.depthLimit {
      throw refuse("a field \(what) holds values that are nested more than \(Self.depthLimit) deep; leave it out")
    }
  }

  /// Refuses values that need another one, which the file or the item of the database must have.
  func checkDependencies(_ item: ImportedItem) throws(TodoError) {
    let what = "of \"\(item.title)\""
    if item.completed != nil, !item.done {
      throw .badData(
        "\(item.place.prefix)\"completed\" \(what) is a moment, but \"done\" is false; change one of the two")
    }
    if item.anchor != nil, item.every == nil {
      throw .badData(
        "\(item.place.prefix)\"anchor\" \(what) is the start of a recurrence, but \"every\" is missing; add it, or leave this out"
      )
    }
  }

  func check(listName: String, _ what: String, _ prefix: String) throws(TodoError) {
    if listName.isEmpty { throw .badData("\(prefix)\(what) has no name; give it one") }
    // The database compares names of lists only up to this character.
    if listName.utf8.contains(0) { throw .badData("\(prefix)\(what) has the character NUL in its name; leave it out") }
  }

  /// How deep values in other programs' fields may be nested: less than what can be read, because an export nests them
  /// deeper.
  static let depthLimit = JSONParser.depthLimit - 20
}
