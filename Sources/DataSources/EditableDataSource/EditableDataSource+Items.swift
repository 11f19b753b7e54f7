extension EditableDataSource {
  /// Appends a row to a section.
  ///
  /// ```swift
  /// list.append(order, toSection: 0)
  /// ```
  public func append(_ item: Item, toSection section: Int) {
    edit { $0.append(item, toSection: section) }
  }

  /// Appends rows to a section.
  public func append(contentsOf items: some Sequence<Item>, toSection section: Int) {
    let items = Array(items)  // outside the edit: the sequence may be the program's own
    edit { $0.append(contentsOf: items, toSection: section) }
  }

  /// Inserts a row at a path, which may be right after the last one of a section.
  ///
  /// ```swift
  /// list.insert(order, at: ItemPath(section: 0, item: 0))
  /// ```
  public func insert(_ item: Item, at path: ItemPath) {
    edit { $0.insert(item, at: path) }
  }

  /// Inserts rows at a path, in order.
  public func insert(contentsOf items: some Sequence<Item>, at path: ItemPath) {
    let items = Array(items)
    edit { $0.insert(contentsOf: items, at: path) }
  }

  /// Removes a row and returns it.
  ///
  /// ```swift
  /// let removed = list.remove(at: ItemPath(section: 0, item: 0))
  /// ```
  @discardableResult public func remove(at path: ItemPath) -> Item {
    edit { $0.remove(at: path) }
  }

  /// Replaces a row. If items are equatable, an equal one publishes nothing.
  ///
  /// ```swift
  /// list.update(order, at: ItemPath(section: 0, item: 0))
  /// ```
  public func update(_ item: Item, at path: ItemPath) {
    edit { $0.update(item, at: path) }
  }

  /// Changes a row in place. Other edits wait for the closure, as for the body of ``edit(_:)``.
  ///
  /// ```swift
  /// errands.update(at: path) { $0.isDone = true }
  /// ```
  public func update(at path: ItemPath, _ change: (inout Item) throws -> Void) rethrows {
    try edit { try $0.update(at: path, change) }
  }

  /// Moves a row. `target` is its path after the move.
  ///
  /// ```swift
  /// list.move(from: ItemPath(section: 0, item: 2), to: ItemPath(section: 1, item: 0))
  /// ```
  public func move(from source: ItemPath, to target: ItemPath) {
    edit { $0.move(from: source, to: target) }
  }

  /// Removes all rows of a section, and keeps the section.
  ///
  /// ```swift
  /// list.clear(section: 0)
  /// ```
  public func clear(section: Int) {
    edit { $0.clear(section: section) }
  }
}

extension EditableDataSource where Item: Identifiable {
  /// Removes the row with an id and returns it; nil if not found.
  ///
  /// ```swift
  /// let removed = errands.remove(id: 7)
  /// ```
  @discardableResult public func remove(id: Item.ID) -> Item? {
    editRow(withID: id) { draft, path in draft.remove(at: path) }
  }

  /// Replaces the row with the same id and returns its path. If no row has it, returns nil and does nothing.
  @discardableResult public func update(_ item: Item) -> ItemPath? {
    editRow(withID: item.id) { draft, path in
      draft.update(item, at: path)
      return path
    }
  }

  /// Edits the row with an id; nil if not found.
  ///
  /// The row is searched before the edit begins, because that runs the items' code. If another edit has put another row
  /// there meanwhile, it is searched again. Only after this has happened 16 times, it is searched inside the edit,
  /// which always succeeds.
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
