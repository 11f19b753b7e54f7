extension EditableDataSource {
  /// Puts a row after all others of a section.
  public func append(_ item: Item, toSection section: Int) {
    edit { $0.append(item, toSection: section) }
  }

  /// Puts rows after all others of a section.
  public func append(contentsOf items: some Sequence<Item>, toSection section: Int) {
    edit { $0.append(contentsOf: items, toSection: section) }
  }

  /// Puts a row at a path, which may be right after the last one of a section.
  public func insert(_ item: Item, at path: ItemPath) {
    edit { $0.insert(item, at: path) }
  }

  /// Puts rows at a path, in order.
  public func insert(contentsOf items: some Sequence<Item>, at path: ItemPath) {
    edit { $0.insert(contentsOf: items, at: path) }
  }

  /// Takes a row out and returns it.
  @discardableResult public func remove(at path: ItemPath) -> Item {
    edit { $0.remove(at: path) }
  }

  /// Puts a row in the place of another. An equal one publishes nothing, where items are equatable.
  public func update(_ item: Item, at path: ItemPath) {
    edit { $0.update(item, at: path) }
  }

  /// Changes a row where it stands.
  ///
  /// ```swift
  /// todos.update(at: path) { $0.isDone = true }
  /// ```
  public func update(at path: ItemPath, _ change: (inout Item) throws -> Void) rethrows {
    try edit { try $0.update(at: path, change) }
  }

  /// Moves a row. `target` is its path after the move.
  public func move(from source: ItemPath, to target: ItemPath) {
    edit { $0.move(from: source, to: target) }
  }

  /// Takes all rows of a section out, and leaves the section.
  public func clear(section: Int) {
    edit { $0.clear(section: section) }
  }
}

extension EditableDataSource where Item: Identifiable {
  /// Takes out the row with an id and returns it; nil where there is none.
  @discardableResult public func remove(id: Item.ID) -> Item? {
    edit { $0.remove(id: id) }
  }

  /// Puts a row in the place of the one with the same id. Returns its path; nil where there is none, and then nothing is done.
  @discardableResult public func update(_ item: Item) -> ItemPath? {
    edit { $0.update(item) }
  }
}
