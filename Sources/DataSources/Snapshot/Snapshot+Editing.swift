extension Snapshot {
  /// Puts a row at a path: its section must be there, its item is from 0 to the number of rows there.
  public mutating func insert(_ item: Item, at path: ItemPath) {
    storage[path.section].insert(item, at: path.item)
  }

  /// Puts rows at a path, in order.
  public mutating func insert(contentsOf items: some Sequence<Item>, at path: ItemPath) {
    var path = path
    for item in items {
      insert(item, at: path)
      path.item += 1
    }
  }

  /// Puts a row after all others of a section.
  public mutating func append(_ item: Item, toSection section: Int) {
    insert(item, at: ItemPath(section: section, item: storage[section].items.count))
  }

  /// Takes a row out.
  @discardableResult public mutating func remove(at path: ItemPath) -> Item {
    storage[path.section].remove(at: path.item)
  }

  /// Puts a row in another's place, and returns the other.
  @discardableResult public mutating func replace(at path: ItemPath, with item: Item) -> Item {
    storage[path.section].replace(at: path.item, with: item)
  }

  /// Moves a row. `destination` is its path after the move.
  public mutating func move(from source: ItemPath, to destination: ItemPath) {
    insert(remove(at: source), at: destination)
  }

  /// Puts a section at an index, from 0 to the number of sections.
  public mutating func insertSection(_ section: Section<Item>, at index: Int) {
    storage.insert(section, at: index)
  }

  /// Puts a section after all others.
  public mutating func appendSection(_ section: Section<Item>) { storage.append(section) }

  /// Takes a section out, with its rows.
  @discardableResult public mutating func removeSection(at index: Int) -> Section<Item> {
    storage.remove(at: index)
  }

  /// Puts a section in another's place, and returns the other.
  @discardableResult public mutating func replaceSection(at index: Int, with section: Section<Item>) -> Section<Item> {
    let old = storage[index]
    storage[index] = section
    return old
  }

  /// Moves a section with its rows. `destination` is its index after the move.
  public mutating func moveSection(from source: Int, to destination: Int) {
    insertSection(removeSection(at: source), at: destination)
  }

  /// Takes all sections out.
  public mutating func removeAll() { self = Snapshot() }
}
