extension Section {
  /// Puts a row at an index, from 0 to the number of rows.
  public mutating func insert(_ item: Item, at index: Int) { items.storage.insert(item, at: index) }

  /// Puts a row after all others.
  public mutating func append(_ item: Item) { items.storage.append(item) }

  /// Takes a row out.
  @discardableResult public mutating func remove(at index: Int) -> Item { items.storage.remove(at: index) }

  /// Puts a row in another's place, and returns the other.
  @discardableResult public mutating func replace(at index: Int, with item: Item) -> Item {
    let old = items.storage[index]
    items.storage[index] = item
    return old
  }
}
