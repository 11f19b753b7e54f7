import FetchedResults

/// Observers of commits without a list: each row that differs must have been reported to them.
final class OracleObservers {
  private let database: Database
  private var all: [OracleObserver] = []

  init(_ database: Database) { self.database = database }

  func add(_ tables: [String]) {
    // Few, as each compares all rows.
    if all.count >= 3 { all.removeLast() }
    all.append(OracleObserver(database, tables))
  }

  func removeAll() { all = [] }

  /// Compares what the tables hold with what they held, and with what was reported.
  func check() throws {
    guard !all.isEmpty else { return }
    try database.catchUp()
    for observer in all { try observer.check() }
  }
}

/// One that observes some tables.
private final class OracleObserver {
  private let database: Database
  private let tables: [String]
  private let reported = Shared<[String: DirtyKeys]>([:])
  private var contents: [OracleTableContents?] = []
  private var observation: ObservationToken?

  init(_ database: Database, _ tables: [String]) {
    self.database = database
    self.tables = tables
    observation = database.observe(tables) { [reported] commit in
      reported.change { reported in
        // As everybody looks it up: two tables whose names Swift takes for one are reported together.
        for (table, keys) in commit.changes {
          reported[table] = reported[table].map { Self.union($0, keys) } ?? keys
        }
      }
    }
    contents = read()
  }

  private static func union(_ left: DirtyKeys, _ right: DirtyKeys) -> DirtyKeys { left.union(right) }

  private func read() -> [OracleTableContents?] {
    do {
      return try database.read { c in try tables.map { try OracleTableContents($0, c) } }
    } catch {
      return tables.map { _ in nil }
    }
  }

  func check() throws {
    let now = try database.read { c in try tables.map { try OracleTableContents($0, c) } }
    let reported = reported.take(leaving: [:])
    defer { contents = now }
    for (index, table) in tables.enumerated() {
      let keys = reported[table]
      if case .everything? = keys { continue }
      guard let unseen = OracleTableContents.unreported(contents[index], now[index], keys) else { continue }
      throw OracleFailure(
        description:
          "an observer of \(table) alone did not hear of \(unseen); reported: \(keys.map { "\($0)" } ?? "nothing")")
    }
  }
}

/// What a table holds, by the keys that commits are reported with.
struct OracleTableContents {
  private var key: [String]
  private var names: [String]
  private var rows: [[Value]: [Value]] = [:]
  /// Where no key can be named: how often each row occurs.
  private var counts: [[Value]: Int] = [:]

  init?(_ table: String, _ c: Connection) throws {
    guard let list = try c.row("SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = \(table)")
    else {
      return nil
    }
    let columns = try c.rows("SELECT name, pk FROM pragma_table_xinfo(\(table)) ORDER BY cid")
    names = try columns.map { try $0["name"] }
    if try list["wr"] as Bool {
      let keys = try columns.map { column -> (name: String, place: Int) in (try column["name"], try column["pk"]) }
      key = keys.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
    } else {
      let taken = Set(names.map { $0.lowercased() })
      key = ["rowid", "oid", "_rowid_"].first { !taken.contains($0) }.map { [$0] } ?? []
    }
    let prefix = key.map { "\"\($0)\", " }.joined()
    for row in try c.rows(SQL(raw: OracleAnswer.own("SELECT \(prefix)* FROM \"\(table)\""))) {
      let values = try row.values
      if key.isEmpty { counts[values, default: 0] += 1 } else { rows[Array(values.prefix(key.count))] = values }
    }
  }

  /// A difference that was not reported; nil if every difference was.
  static func unreported(_ old: OracleTableContents?, _ new: OracleTableContents?, _ keys: DirtyKeys?) -> String? {
    guard let old, let new else { return (old == nil) == (new == nil) ? nil : "its being made or dropped" }
    // No key reports the rows of another table with the same name.
    if old.key != new.key || old.names != new.names { return "its being another table" }
    if old.key.isEmpty { return old.counts != new.counts && keys == nil ? "a change of rows that have no name" : nil }
    for (key, row) in old.rows where !areAlike(row, new.rows[key]) && !contains(keys, key) {
      return "the row \(key), which was \(row) and is \(new.rows[key].map { "\($0)" } ?? "gone")"
    }
    for key in new.rows.keys where old.rows[key] == nil && !contains(keys, key) { return "the new row \(key)" }
    return nil
  }

  private static func areAlike(_ old: [Value], _ new: [Value]?) -> Bool { new.map { areStoredAlike(old, $0) } ?? false }

  private static func contains(_ keys: DirtyKeys?, _ key: [Value]) -> Bool {
    switch keys {
    case nil: return false
    case .everything?: return true
    case .primaryKeys(let keys)?: return keys.contains(key)
    case .rowIDs(let ids)?:
      guard case .integer(let id)? = key.first else { return false }
      return ids.contains(id)
    }
  }
}
