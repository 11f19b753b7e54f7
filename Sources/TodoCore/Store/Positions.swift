import SQLiteStore

/// Places within a list: numbers far apart, so that a move writes one row.
struct Positions {
  /// How far new items are apart.
  static let gap: Int64 = 4_294_967_296

  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The greatest place behind which more are given: a database that something else has written to may hold any.
  static let limit = Int64.max / 2

  /// The place behind the last item of a list.
  func end(of list: Int64) throws -> Int64 {
    func greatest() throws -> Int64 {
      try connection.value("SELECT max(position) FROM item WHERE list = \(list)", as: Int64.self) ?? 0
    }
    let last = try greatest()
    if last <= Self.limit { return last + Self.gap }
    try spread(list)
    return try greatest() + Self.gap
  }

  /// Spreads a list's items out again, once there is no room left between two.
  func spread(_ list: Int64) throws {
    try connection.execute(
      """
      UPDATE item SET position = spread.n * \(Self.gap)
      FROM (SELECT id, row_number() OVER (ORDER BY position, id) AS n FROM item WHERE list = \(list)) AS spread
      WHERE item.id = spread.id
      """)
  }

  /// An item's place in its list, ties broken.
  struct Place: Comparable {
    var position: Int64
    var id: Int64

    static func < (left: Place, right: Place) -> Bool { (left.position, left.id) < (right.position, right.id) }
  }

  /// Where items go between two neighbours; nil where there is no room.
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
