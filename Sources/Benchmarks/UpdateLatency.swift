import CFetchedResultsSQLite
import FetchedResults

/// The time from one row's change to its update, without the write itself, which is also measured with the C interface
/// in turn.
final class UpdateLatency {
  static let blocks = 8

  private let setting: Setting
  private let isJoined: Bool
  private let controller: FetchedResultsController<BenchItem>
  private let arrival = Arrival()
  private let observation: ObservationToken
  private let begin, commit, update: OpaquePointer
  private var random = SystemRandomNumberGenerator()
  private var moved: Set<Int64> = []
  private var ours: [Double] = []
  private var byHand: [Double] = []

  init(rows: Int, isJoined: Bool = false) throws {
    setting = try Setting(rows: rows)
    self.isJoined = isJoined
    let request =
      isJoined
      ? FetchRequest<BenchItem>(
        from: "item JOIN note ON note.item = item.id", sectionBy: "item.section",
        orderBy: ["note.text", "item.position"])
      : BenchItem.request()
    controller = try setting.controller(request)
    observation = controller.observeOnAnyThread { [arrival] _ in arrival.arrived() }
    begin = try setting.raw.prepare("BEGIN IMMEDIATE")
    commit = try setting.raw.prepare("COMMIT")
    let change = isJoined ? "note SET text = 'note ' ||" : "item SET position ="
    update = try setting.raw.prepare("UPDATE \(change) ?1 WHERE id = ?2")
  }

  deinit {
    observation.cancel()
    for statement in [begin, commit, update] { sqlite3_finalize(statement) }
  }

  /// Makes some changes. The first are not counted, because earlier work has used the processor's caches.
  func measureBlock() throws {
    for number in 0..<50 { try measure(isCounted: number >= 10) }
  }

  /// Changes one row with the C interface, and one with a controller that follows.
  private func measure(isCounted: Bool) throws {
    let id = nextID()
    let place = Int64.random(in: 0..<1_000_003, using: &random)
    let started = monotonicNanoseconds()
    try setting.raw.run(begin)
    try setting.raw.run(update, place, id)
    try setting.raw.run(commit)
    let done = monotonicNanoseconds()
    let before = monotonicNanoseconds()
    try setting.database.write { c in
      if isJoined {
        try c.execute("UPDATE note SET text = 'note ' || \(place) WHERE id = \(id)")
      } else {
        try c.execute("UPDATE item SET position = \(place) WHERE id = \(id)")
      }
    }
    let after = try arrival.wait()
    guard isCounted else { return }
    byHand.append(Double(done - started) / 1000)
    ours.append(Double(after - before) / 1000)
  }

  private func nextID() -> Int64 {
    let rows = Int64(setting.rows)
    var id = Int64.random(in: 1...rows, using: &random)
    // In the join a row moves after the others of its section; a row that is last already would stay, and cause no
    // update.
    while isJoined, id * 1_048_573 % 1_000_003 > 500_000 || !moved.insert(id).inserted {
      id = Int64.random(in: 1...rows, using: &random)
    }
    return id
  }

  /// The difference of the medians in microseconds, after checking that the list is right.
  func result(_ context: BenchContext) throws -> Double {
    try context.check(
      controller.statistics.requeried == 0, "the query was run as a whole: \(controller.statistics.reasons)")
    if !isJoined { try setting.check(controller) }
    return BenchContext.median(ours) - BenchContext.median(byHand)
  }
}
