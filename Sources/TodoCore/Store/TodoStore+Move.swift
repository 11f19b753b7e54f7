import SQLiteStore

/// The target of a move of items.
public enum MoveTarget: Hashable, Sendable {
  /// Before an item, in its list.
  case before(Int64)
  /// After an item, in its list.
  case after(Int64)
  /// To the beginning of a list; nil for each item's own list.
  case first(list: String?)
  /// To the end of a list; nil for each item's own list.
  case last(list: String?)
}

extension TodoStore {
  /// Moves items. Several keep the order given, next to each other. A missing list is created.
  public func move(_ selection: Selection, _ target: MoveTarget) throws(TodoError) -> ChangeResult {
    try change("move") { changing in
      let items = try changing.select(selection)
      // A list is created only if there are items to move.
      if items.isEmpty { return }
      switch target {
      case .before(let id), .after(let id):
        guard let anchor = try changing.select(Selection(id)).first else { throw ItemQuery.missing("\(id)") }
        if items.contains(where: { $0.id == id }) {
          throw TodoError.usage("item \(id) can't be moved before or behind itself; name another one")
        }
        let isBefore = if case .before = target { true } else { false }
        try changing.move(items, to: anchor.listID, isBefore ? .before(anchor) : .after(anchor))
      case .first(let name), .last(let name):
        let edge: ChangeTransaction.Edge = if case .first = target { .first } else { .last }
        if let name {
          try changing.move(items, to: try changing.list(name), edge)
        } else {
          var lists: [Int64] = []
          for item in items where !lists.contains(item.listID) { lists.append(item.listID) }
          for list in lists { try changing.move(items.filter { $0.listID == list }, to: list, edge) }
        }
      }
    }
  }
}

extension ChangeTransaction {
  enum Edge {
    case first, last, before(Item), after(Item)
  }

  fileprivate mutating func move(_ items: [Item], to list: Int64, _ edge: Edge) throws {
    let positions = Positions(connection)
    var isSpread = false
    while true {
      let (lower, upper) = try neighbours(list, edge, without: items.map(\.id))
      if !isSpread, isThere(items, list, lower, upper) {
        unchanged += items
        return
      }
      if let places = Positions.between(lower?.position, upper?.position, count: items.count) {
        for (item, place) in zip(items, places) {
          try connection.execute("UPDATE item SET list = \(list), position = \(place) WHERE id = \(item.id)")
          changed.append(item.id)
        }
        return
      }
      if isSpread { throw TodoError.failure("there is no room for so many items in one place; move fewer at once") }
      try positions.spread(list)
      isSpread = true
    }
  }

  /// Whether the items are there already, in this order.
  private func isThere(_ items: [Item], _ list: Int64, _ lower: Positions.Place?, _ upper: Positions.Place?) -> Bool {
    guard items.allSatisfy({ $0.listID == list }) else { return false }
    let places = items.map { Positions.Place(position: $0.position, id: $0.id) }
    guard zip(places, places.dropFirst()).allSatisfy(<) else { return false }
    if let lower, let first = places.first, first < lower { return false }
    if let upper, let last = places.last, upper < last { return false }
    return true
  }

  /// The two items between which the moved ones are placed.
  private func neighbours(
    _ list: Int64, _ edge: Edge, without moved: [Int64]
  ) throws -> (lower: Positions.Place?, upper: Positions.Place?) {
    func place(_ condition: SQL, _ order: SQL) throws -> Positions.Place? {
      let row = try connection.row(
        """
        SELECT position, id FROM item WHERE list = \(list) AND id NOT IN \(moved) AND \(condition)
        ORDER BY \(order) LIMIT 1
        """)
      return try row.map { Positions.Place(position: try $0[0], id: try $0[1]) }
    }
    switch edge {
    case .first: return (nil, try place("1", "position, id"))
    case .last: return (try place("1", "position DESC, id DESC"), nil)
    case .before(let anchor):
      // Query again, because the list may have been spread out.
      let upper = try place("id = \(anchor.id)", "id")
      guard let upper else { return (nil, nil) }
      return (try place("(position, id) < (\(upper.position), \(upper.id))", "position DESC, id DESC"), upper)
    case .after(let anchor):
      let lower = try place("id = \(anchor.id)", "id")
      guard let lower else { return (nil, nil) }
      return (lower, try place("(position, id) > (\(lower.position), \(lower.id))", "position, id"))
    }
  }
}
