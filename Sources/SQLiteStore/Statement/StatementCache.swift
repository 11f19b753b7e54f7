/// The idle statements of a connection, by their text; the least recently used are removed first.
///
/// A statement leaves the cache while it runs, so that the same text can run inside itself. It returns only if it ended
/// without an error: one that failed may hold a lock or a stale plan, and is prepared again.
struct StatementCache {
  /// The most recently used ones, the latest at the end. They are found by comparing, which is faster than hashing and
  /// than removing from a dictionary.
  private var recent: [Entry] = []
  private var entries: [ByteString: Entry] = [:]
  private var clock = 0
  let capacity: Int

  private static let recentCapacity = 4
  /// The maximum length of SQL in bytes. A longer text has its values written into it, so it is not used again, and
  /// SQLite keeps several copies of it.
  private static let longestText = 100_000

  private struct Entry {
    var statement: Statement
    var used: Int
  }

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { recent.count + entries.count }

  mutating func take(_ sql: String) -> Statement? {
    if let index = recent.lastIndex(where: { $0.statement.sql.hasSameBytes(as: sql) }) {
      return recent.remove(at: index).statement
    }
    guard let index = entries.index(forKey: ByteString(sql)) else { return nil }
    return entries.remove(at: index).value.statement
  }

  mutating func give(back statement: Statement) {
    clock += 1
    guard capacity > 0, statement.sql.utf8.count <= Self.longestText else { return }
    // If a text ran inside itself, keep the later statement.
    if let index = recent.lastIndex(where: { $0.statement.sql.hasSameBytes(as: statement.sql) }) {
      recent.remove(at: index)
    }
    if recent.count >= min(Self.recentCapacity, capacity) { putAside(recent.removeFirst()) }
    recent.append(Entry(statement: statement, used: clock))
  }

  private mutating func putAside(_ entry: Entry) {
    let room = capacity - Self.recentCapacity
    guard room > 0 else { return }
    if entries.count >= room, entries[ByteString(entry.statement.sql)] == nil {
      // Several at once, so that each statement has to be compared with all others only now and then.
      let oldest = entries.sorted { $0.value.used < $1.value.used }.prefix(room / 16 + 1)
      for (sql, _) in oldest { entries.removeValue(forKey: sql) }
    }
    entries[ByteString(entry.statement.sql)] = entry
  }

  mutating func removeAll() {
    recent.removeAll()
    entries.removeAll()
  }

  var statistics: [(sql: String, statistics: StatementStatistics)] {
    (recent + entries.values).map { ($0.statement.sql, $0.statement.statistics) }.sorted { $0.sql < $1.sql }
  }
}
