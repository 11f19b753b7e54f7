extension EditableDataSource {
  /// Puts a row after all others of a section.
  public func append(_ item: Item, toSection section: Int) {
    edit { $0.append(item, toSection: section) }
  }

  /// Puts rows after all others of a section.
  public func append(contentsOf items: some Sequence<Item>, toSection section: Int) {
    let items = Array(items)  // outside the edit: the sequence may be the program's own
    edit { $0.append(contentsOf: items, toSection: section) }
  }

  /// Puts a row at a path, which may be right after the last one of a section.
  public func insert(_ item: Item, at path: ItemPath) {
    edit { $0.insert(item, at: path) }
  }

  /// Puts rows at a path, in order.
  public func insert(contentsOf items: some Sequence<Item>, at path: ItemPath) {
    let items = Array(items)
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

  /// Changes a row where it stands. Other edits wait for the closure, as for the body of ``edit(_:)``.
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
    editRow(withID: id) { draft, path in draft.remove(at: path) }
  }

  /// Puts a row in the place of the one with the same id. Returns its path; nil where there is none, and then nothing is done.
  @discardableResult public func update(_ item: Item) -> ItemPath? {
    editRow(withID: item.id) { draft, path in
      draft.update(item, at: path)
      return path
    }
  }

  /// Edits the row with an id; nil where there is none.
  ///
  /// The row is looked for before the edit begins, as that runs the items' code. When another edit has put another row there
  /// meanwhile, it is looked for again. Only after 16 edits of others in a row it is looked for inside the edit, which never fails.
  private func editRow<Result>(
    withID id: Item.ID, _ change: (_ draft: inout Draft<Item>, _ path: ItemPath) -> Result
  ) -> Result? {
    for _ in 0..<16 {
      let list = snapshot
      guard let path = list.path(of: id) else { return nil }
      let result: Result? = edit { draft in
        guard draft.snapshot.isIdentical(to: list) || draft.snapshot.hasSameBits(as: list, at: path) else { return nil }
        return change(&draft, path)
      }
      if let result { return result }
    }
    return edit { draft in
      guard let path = draft.snapshot.path(of: id) else { return nil }
      return change(&draft, path)
    }
  }
}
