/// The work for the next evaluation: all commits since the last one, merged, and other reasons to evaluate.
struct Pending: Sendable {
  /// The number of merged commits.
  var commits = 0
  /// For each table, its rows that may have changed.
  var changes: [String: ChangedRows] = [:]
  /// For each dependency, the keys of the entity's rows that depended on changed rows before these changed.
  var before: [DependencyID: [RowKey]] = [:]
  /// Why the whole query must run again, regardless of the tables' changes.
  var reload: String?
  /// Whether the old state of one of the commits is not known.
  var lacksOldState = false

  var isEmpty: Bool { commits == 0 && reload == nil }

  /// The number of keys that are kept. With more, fetching everything again is as fast.
  private static let limit = 200_000

  mutating func add(_ commit: EngineCommit) {
    commits += 1
    if !commit.hadOldState { lacksOldState = true }
    for (table, rows) in commit.changes {
      guard var all = changes.removeValue(forKey: table) else {
        changes[table] = rows
        continue
      }
      all.formUnion(rows)
      if case .rows(let keys) = all, keys.count > Self.limit {
        all = .everything("more rows changed than are noted one by one")
      }
      changes[table] = all
    }
  }

  mutating func add(before keys: [DependencyID: [RowKey]]) {
    // An incomplete old state is of no use.
    if lacksOldState { return before = [:] }
    for (dependency, keys) in keys where !keys.isEmpty { before[dependency, default: []] += keys }
    if before.values.reduce(0, { $0 + $1.count }) > Self.limit {
      before = [:]
      lacksOldState = true
    }
  }

  /// Adds what was recorded later.
  mutating func merge(_ later: Pending) {
    commits += later.commits
    for (table, rows) in later.changes {
      if var all = changes.removeValue(forKey: table) {
        all.formUnion(rows)
        changes[table] = all
      } else {
        changes[table] = rows
      }
    }
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
