import CFetchedResultsSQLite
import Dispatch
import FetchedResults
import FetchedResultsSupport

/// One row of 100,000 changes back and forth, until the observed count has arrived, against the same write and count by
/// hand.
func observedValue(
  _ context: BenchContext, _ observe: (Database) -> AsyncThrowingStream<Int, any Error>
) throws -> Figure {
  let setting = try Setting(rows: 100_000)
  let counts = Locked<[Int]>([])
  let arrived = DispatchSemaphore(value: 0)
  let values = observe(setting.database)
  let reading = Task {
    for try await count in values {
      counts.withLock { $0.append(count) }
      arrived.signal()
    }
  }
  defer { reading.cancel() }
  arrived.wait()
  let write = try setting.raw.prepare("UPDATE item SET done = NOT done WHERE id = 5")
  let count = try setting.raw.prepare("SELECT count(*) FROM item WHERE NOT done")
  defer { for statement in [write, count] { sqlite3_finalize(statement) } }
  var rawCount = 0
  let first = counts.withLock { $0.last ?? 0 }
  var round = 0
  return try context.ratio(
    preparing: { round += 1 },
    subject: {
      for _ in 0..<21 {
        try setting.database.write { _ = try $0.execute("UPDATE item SET done = NOT done WHERE id = 5") }
        arrived.wait()
      }
    },
    baseline: {
      for _ in 0..<21 {
        try setting.raw.run(write)
        guard sqlite3_step(count) == SQLITE_ROW else { throw WrongResult("by hand: no count") }
        rawCount = Int(sqlite3_column_int64(count, 0))
        sqlite3_reset(count)
      }
    },
    checking: {
      let (last, number) = counts.withLock { ($0.last ?? 0, $0.count) }
      try context.check(number == 1 + 21 * round, "\(number) values for \(21 * round) commits")
      try context.check(abs(last - first) == round % 2 && last == rawCount, "the count is \(last), by hand \(rawCount)")
    })
}
