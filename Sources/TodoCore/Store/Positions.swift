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
    func greatest() throws -> Int64 {
      max(try connection.value("SELECT max(position) FROM list", as: Int64.self) ?? 0, 0)
    }
    let last = try greatest()
    if last <= Self.limit { return last + Self.gap }
    try setLists(try connection.values("SELECT id FROM list ORDER BY position", as: Int64.self))
    return try greatest() + Self.gap
  }

  /// Assigns positions to the lists in this order. All of them must be free, because no two lists may ever have the
  /// same.
  func setLists(_ ids: [Int64]) throws {
    let taken = try connection.values("SELECT position FROM list", as: Int64.self)
    let (start, step) = Self.freeRange(for: ids.count, taken)
    for (index, id) in ids.enumerated() {
      try connection.execute("UPDATE list SET position = \(start + Int64(index + 1) * step) WHERE id = \(id)")
    }
  }

  /// The start and distance of `count` free positions.
  ///
  /// They come after those that are taken, if there is room. Otherwise they are between two taken positions: one more
  /// range is tried than there are taken positions, so one of the ranges contains none.
  static func freeRange(for count: Int, _ taken: [Int64]) -> (start: Int64, step: Int64) {
    let greatest = max(taken.max() ?? 0, 0)
    if greatest <= limit { return (greatest, gap) }
    let step = max(1, min(gap, limit / Int64(count + 1) / Int64(taken.count + 1)))
    let width = step * Int64(count + 1)
    let hit = Set(taken.filter { $0 >= 0 }.map { $0 / width })
    let range = (0...Int64(taken.count)).first { !hit.contains($0) } ?? 0
    return (range * width, step)
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
