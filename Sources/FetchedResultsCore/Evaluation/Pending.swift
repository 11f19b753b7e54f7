/// The work for the next evaluation: all commits since the last one, merged, and other reasons to evaluate.
struct Pending: PendingWork, Sendable {
  /// The number of merged commits.
  var commits = 0
  /// For each table, its rows that may have changed.
  var changes: [String: ChangedRows] = [:]
  /// For each dependency, the keys of the entity's rows that depended on changed rows before these changed.
  var before: [DependencyID: [RowKey]] = [:]
  /// Why the whole query must run again, regardless of the tables' changes.
  var reload: Reason?
  /// Whether the old state of one of the commits is not known.
  var lacksOldState = false

  var isEmpty: Bool { commits == 0 && reload == nil }

  /// Whether any row of a table may have changed.
  var isOfEverything: Bool { changes.values.contains { if case .everything = $0 { true } else { false } } }

  /// The number of keys that are kept. With more, fetching everything again is as fast.
  private static let limit = 200_000

  /// How many different keys each table and dependency had when its keys were last counted.
  private var distinct: [String: Int] = [:]
  private var distinctBefore: [DependencyID: Int] = [:]

  mutating func add(_ commit: EngineCommit) {
    commits += 1
    if !commit.hadOldState { lacksOldState = true }
    for (table, rows) in commit.changes { add(rows, of: table) }
  }

  private mutating func add(_ rows: ChangedRows, of table: String) {
    guard var all = changes.removeValue(forKey: table) else {
      changes[table] = rows
      return
    }
    all.formUnion(rows)
    if case .rows(var keys) = all {
      all = .rows([])
      Self.keepEachOnce(&keys, &distinct[table, default: 0])
      all = keys.count > Self.limit ? .everything("more rows changed than are noted one by one") : .rows(keys)
    }
    changes[table] = all
  }

  /// Keeps each key once, as soon as half of them may be duplicates. So the same rows that change again and again take
  /// no more room than once, and each key is looked at a constant number of times.
  private static func keepEachOnce(_ keys: inout [RowKey], _ distinct: inout Int) {
    guard keys.count > max(1024, 2 * distinct) else { return }
    var seen: Set<RowKey> = []
    keys.removeAll { !seen.insert($0).inserted }
    distinct = keys.count
  }

  mutating func add(before keys: [DependencyID: [RowKey]]) {
    // An incomplete old state is of no use.
    if lacksOldState { return before = [:] }
    for (dependency, keys) in keys where !keys.isEmpty {
      before[dependency, default: []] += keys
      Self.keepEachOnce(&before[dependency, default: []], &distinctBefore[dependency, default: 0])
    }
    if before.values.reduce(0, { $0 + $1.count }) > Self.limit {
      before = [:]
      lacksOldState = true
    }
  }

  /// Adds what was recorded later.
  mutating func merge(_ later: Pending) {
    commits += later.commits
    for (table, rows) in later.changes { add(rows, of: table) }
    add(before: later.before)
    reload = reload ?? later.reload
    lacksOldState = lacksOldState || later.lacksOldState
  }
}

/// A dependency of a query: while one request replaces another, two queries are followed.
struct DependencyID: Hashable, Sendable {
  private let query: QueryIdentity
  private let number: Int

  init(_ query: any ResultQuery, _ number: Int) {
    self.query = query.identity
    self.number = number
  }

  static func == (left: Self, right: Self) -> Bool { left.query === right.query && left.number == right.number }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(query))
    hasher.combine(number)
  }
}
