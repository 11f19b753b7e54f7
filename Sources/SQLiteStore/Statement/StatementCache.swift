/// The statements of a connection that are not running, by their text; the least recently used go first.
///
/// A statement leaves the cache while it runs, so that the same text can run within itself, and comes back only when it
/// ended well: one that failed may hold a lock or a stale plan and is prepared afresh.
struct StatementCache {
  private var entries: [String: Entry] = [:]
  private var clock = 0
  let capacity: Int

  private struct Entry {
    var statement: Statement
    var used: Int
  }

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { entries.count }

  mutating func take(_ sql: String) -> Statement? {
    guard let index = entries.index(forKey: sql) else { return nil }
    return entries.remove(at: index).value.statement
  }

  mutating func give(back statement: Statement) {
    clock += 1
    guard capacity > 0 else { return }
    if entries.count >= capacity, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
      entries.removeValue(forKey: oldest.key)
    }
    entries[statement.sql] = Entry(statement: statement, used: clock)
  }

  mutating func removeAll() { entries.removeAll() }

  var statistics: [(sql: String, statistics: StatementStatistics)] {
    entries.values.map { ($0.statement.sql, $0.statement.statistics) }.sorted { $0.sql < $1.sql }
  }
}
