import SQLiteStore

/// Positions of items in a list, and of the lists: numbers far apart, so that moving an item writes one row. Moving a
/// list writes all lists.
struct Positions {
  /// The distance of new items.
  static let gap: Int64 = 4_294_967_296

  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The greatest position after which more are assigned: another program may have stored any number.
  static let limit = Int64.max / 2

  /// The position after the last item of a list.
  func end(of list: Int64) throws -> Int64 {
    func greatest() throws -> Int64 {
      try connection.value("SELECT max(position) FROM item WHERE list = \(list)", as: Int64.self) ?? 0
    }
    let last = try greatest()
    if last <= Self.limit { return last + Self.gap }
    try spread(list)
    return try greatest() + Self.gap
  }

  /// Spreads a list's items out again when there is no room between two.
  func spread(_ list: Int64) throws {
    try connection.execute(
      """
      UPDATE item SET position = spread.n * \(Self.gap)
      FROM (SELECT id, row_number() OVER (ORDER BY position, id) AS n FROM item WHERE list = \(list)) AS spread
      WHERE item.id = spread.id
      """)
  }

  // MARK: Lists

  /// The position after the last list.
  func endOfLists() throws -> Int64 {
    let last = max(try connection.value("SELECT max(position) FROM list", as: Int64.self) ?? 0, 0)
    if last <= Self.limit { return last + Self.gap }
    throw TodoError.badData(
      "another program has put a list at position \(last), after which there is no room; give it a smaller one")
  }

  /// Assigns positions to the lists in this order, after all others, because no two lists may ever have the same.
  func setLists(_ ids: [Int64]) throws {
    var position = try endOfLists()
    for id in ids {
      try connection.execute("UPDATE list SET position = \(position) WHERE id = \(id)")
      position += Self.gap
    }
  }

  // MARK: Moves

  /// An item's position in its list, with ties broken.
  struct Place: Comparable {
    var position: Int64
    var id: Int64

    static func < (left: Place, right: Place) -> Bool { (left.position, left.id) < (right.position, right.id) }
  }

  /// The positions for items between two neighbours; nil if there is no room.
  static func between(_ lower: Int64?, _ upper: Int64?, count: Int) -> [Int64]? {
    let count = Int64(count)
    switch (lower, upper) {
    case (nil, nil): return (1...count).map { $0 * gap }
    case (let lower?, nil): return lower > limit ? nil : (1...count).map { lower + $0 * gap }
    case (nil, let upper?): return upper < -limit ? nil : (1...count).map { upper - (count + 1 - $0) * gap }
    case (let lower?, let upper?):
      let (room, isTooFar) = upper.subtractingReportingOverflow(lower)
      let step = room / (count + 1)
      return isTooFar || step < 1 ? nil : (1...count).map { lower + $0 * step }
    }
  }
}
