import SQLiteStore

/// A list of items.
public struct ItemList: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// The number of its open items.
  public var open: Int
  /// The number of all its items.
  public var total: Int
}

/// The target of a list's move.
public enum ListTarget: Hashable, Sendable {
  /// Before all others.
  case first
  /// After all others.
  case last
  /// Before another list.
  case before(String)
}

extension TodoStore {
  /// The lists, in order.
  public func lists() throws(TodoError) -> [ItemList] {
    try read { connection in
      try connection.rows(
        """
        SELECT name, (SELECT count(*) FROM item WHERE item.list = list.id AND item.done = 0 AND item.archived = 0),
          (SELECT count(*) FROM item WHERE item.list = list.id)
        FROM list ORDER BY position
        """
      ).map { ItemList(name: try $0[0], open: try $0[1], total: try $0[2]) }
    }
  }

  /// Adds an empty list, after the others.
  public func addList(_ name: String) throws(TodoError) -> ChangeResult {
    try Self.check(listName: name)
    return try change("add list") { changing in
      try changing.checkIsFree(name)
      changing.subject = "\"\(name)\""
      _ = try changing.list(name)
    }
  }

  /// Renames a list. Names ignore case; the case of a list's own name can be changed.
  public func renameList(_ name: String, to newName: String) throws(TodoError) -> ChangeResult {
    try Self.check(listName: newName)
    return try change("rename list") { changing in
      let id = try changing.existingList(name)
      try changing.checkIsFree(newName, except: id)
      let former = try changing.connection.value("SELECT name FROM list WHERE id = \(id)", as: String.self) ?? name
      changing.subject = "\"\(former)\" to \"\(newName)\""
      try changing.connection.execute("UPDATE list SET name = \(newName) WHERE id = \(id)")
    }
  }

  /// Moves a list to another place among the lists.
  public func reorderList(_ name: String, _ target: ListTarget) throws(TodoError) -> ChangeResult {
    try change("reorder list") { changing in
      let id = try changing.existingList(name)
      changing.subject = "\"\(name)\""
      let former = try changing.connection.values("SELECT id FROM list ORDER BY position", as: Int64.self)
      var order = former.filter { $0 != id }
      switch target {
      case .first: order.insert(id, at: 0)
      case .last: order.append(id)
      case .before(let other):
        let anchor = try changing.existingList(other)
        if anchor == id { throw TodoError.usage("the list \"\(name)\" can't stand before itself; name another one") }
        order.insert(id, at: order.firstIndex(of: anchor) ?? 0)
      }
      if order != former { try Positions(changing.connection).setLists(order) }
    }
  }

  /// Removes a list without open items. Its done and archived items are removed too, and an undo restores them.
  public func removeList(_ name: String) throws(TodoError) -> ChangeResult {
    try change("remove list") { changing in
      let id = try changing.existingList(name)
      let items = try changing.connection.entities(
        ItemQuery.source + " WHERE item.list = \(id) ORDER BY item.position, item.id", of: Item.self)
      let open = items.count { !$0.done && !$0.archived }
      if open > 0 {
        throw TodoError.conflict(
          "the list \"\(name)\" has \(open == 1 ? "an open item" : "\(open) open items"); "
            + "complete or move \(open == 1 ? "it" : "them") first")
      }
      changing.subject = "\"\(name)\""
      changing.removed = items
      try changing.connection.execute("DELETE FROM item WHERE list = \(id)")
      try changing.connection.execute("DELETE FROM list WHERE id = \(id)")
    }
  }

  static func check(listName: String) throws(TodoError) {
    if listName.allSatisfy(\.isWhitespace) {
      throw .usage("a list needs a name, as in: todo lists add Home")
    }
  }
}

extension ChangeTransaction {
  fileprivate func existingList(_ name: String) throws -> Int64 {
    try ItemQuery(connection, moment).existingList(name)
  }

  fileprivate func checkIsFree(_ name: String, except id: Int64? = nil) throws {
    if let other = try ItemQuery(connection, moment).list(name), other != id {
      let name = try connection.value("SELECT name FROM list WHERE id = \(other)", as: String.self) ?? name
      throw TodoError.conflict("there is a list \"\(name)\" already; choose another name")
    }
  }
}
