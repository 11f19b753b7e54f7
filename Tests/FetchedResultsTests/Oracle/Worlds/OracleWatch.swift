import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import TestSupport
import Testing

@testable import FetchedResultsCore
@testable import SQLiteEngine

/// A controller that is compared with the oracle after every commit.
protocol OracleWatching: AnyObject {
  var name: String { get }
  var statistics: Statistics { get }
  /// What its incremental evaluations have done.
  var work: WorkCount { get }
  /// Compares after something happened; at most one update may have come where it was one commit.
  func check(isOneCommit: Bool) async throws
  /// Sets another request, if there is one that has an answer. Returns what it is.
  func swap(_ dice: inout SeededGenerator) -> String?
  /// Fetches again.
  func fetchAgain() throws
  /// Waits for the list to be that of the commits so far, and compares nothing.
  func settle() async throws
}

/// A failure, with everything needed to understand it.
struct OracleFailure: Error, CustomStringConvertible {
  var description: String
  /// Whether a connection kept another waiting for too long.
  var isBusy = false
}

final class OracleWatch<E: OracleEntity>: OracleWatching {
  /// What the list shows.
  private var spec: OracleSpec
  /// A request that was set and has no answer for now: until it has, the list follows the one before.
  private var wanted: OracleSpec?
  /// Requests that others have replaced since the last comparison. They may have been shown for some commits.
  private var replaced: [OracleSpec] = []
  private let another: ((inout SeededGenerator) -> OracleSpec)?
  private let database: Database
  let controller: FetchedResultsController<E>
  private let updates = Shared<[Update<E>]>([])
  private let observation: ObservationToken
  private var last = Snapshot<E>()
  private var hasFetched = false
  private var checks = 0
  /// The query whose plan was checked last.
  private var planned: (any ResultQuery)?

  init(
    _ spec: OracleSpec, _ database: Database, live: (any LiveDatabase)? = nil,
    another: ((inout SeededGenerator) -> OracleSpec)? = nil
  ) {
    self.spec = spec
    self.another = another
    self.database = database
    let live: any LiveDatabase = live ?? database
    controller = FetchedResultsController(fetchRequest: spec.fetchRequest(of: E.self), database: live)
    observation = controller.observeOnAnyThread { [updates] update in updates.change { $0.append(update) } }
  }

  var name: String { "\(E.self) \(spec)" + (wanted.map { "; without an answer for now: \($0)" } ?? "") }
  var statistics: Statistics { controller.statistics }
  var work: WorkCount { controller.work }

  func check(isOneCommit: Bool) async throws {
    var thrown: (any Error)?
    do {
      if hasFetched {
        try await controller.settled()
      } else {
        try await controller.performFetch()
        hasFetched = true
      }
    } catch {
      thrown = error
    }
    try checkStructures()
    let hasFailed = wanted != nil
    spec = replaced.last { controller.shownRequest == $0.fetchRequest(of: E.self) } ?? spec
    replaced = []
    let failure = try failureOfWanted()
    let expected = try ask(spec)
    let came = updates.take(leaving: [])
    switch (expected, thrown) {
    case (.error(let words), let error?):
      guard "\(error)".contains(words) || failure.map("\(error)".contains) == true else {
        throw OracleFailure(description: "\(error), and not that rows \(words)")
      }
    case (.error(let words), nil):
      throw OracleFailure(description: "no error, although rows \(words)")
    case (.list(let parts), let error):
      if let error, failure.map("\(error)".contains) != true {
        throw OracleFailure(description: "an error where there is an answer: \(error)")
      }
      if error == nil, let failure {
        throw OracleFailure(description: "no error, although rows of the request \(failure)")
      }
      if let difference = Self.difference(controller.snapshot, parts) { throw OracleFailure(description: difference) }
      if failure == nil, controller.lastError != nil { throw OracleFailure(description: "lastError stays") }
    }
    // A request that has an answer again may be shown after the commit that the list before it has followed.
    try checkUpdates(came, isOneCommit && !hasFailed)
  }

  /// What is wrong with the rows of the request that was set last; nil if it is shown.
  private func failureOfWanted() throws -> String? {
    guard let request = wanted else { return nil }
    guard case .error(let words) = try ask(request), controller.shownRequest != request.fetchRequest(of: E.self) else {
      (spec, wanted) = (request, nil)
      return nil
    }
    return words
  }

  func swap(_ dice: inout SeededGenerator) -> String? {
    guard let another else { return nil }
    let other = another(&dice)
    let answer = OracleAnswer(spec: other, table: E.table, columns: E.columns)
    switch try? database.read({ try answer.ask($0) }) {
    case .error? where hasFetched:
      if let wanted { replaced.append(wanted) }
      wanted = other
    case .list?, .error?: (spec, wanted) = (other, nil)
    case nil: return nil
    }
    controller.fetchRequest = other.fetchRequest(of: E.self)
    return "\(E.self) \(other)"
  }

  func fetchAgain() throws { try controller.performFetch() }

  func settle() async throws {
    do {
      try await controller.settled()
    } catch let error as DatabaseError where error.code == .misuse {
      // A row that occurs twice for now.
    }
    try checkStructures()
  }

  /// Checks the inner structures of the list, which visits every row: once in four times, unless a seed is repeated.
  private func checkStructures() throws {
    checks += 1
    guard Seeds.repeated != nil || checks.isMultiple(of: 4) else { return }
    if let broken = controller.firstBrokenInvariant() { throw OracleFailure(description: "broken: \(broken)") }
    try checkPlan()
  }

  /// Checks that the list depends on what a new plan for the same schema would depend on: not on what its connection
  /// has done before. Planning takes longer than everything else here, so each plan is checked soon, and then rarely.
  private func checkPlan() throws {
    let core = controller.core
    core.evaluation.lock()
    let current = core.alone { core.current.map { ($0.list.query as? SQLiteQuery, $0.request.request.description) } }
    guard let (query, request) = current, let query,
      Seeds.repeated != nil || planned !== query || checks.isMultiple(of: 16),
      let fresh = try? SQLiteEngine(database).query(for: request, canCompare: true, .uncancellable) as? SQLiteQuery,
      fresh.schemaVersions == query.schemaVersions
    else { return }
    planned = query
    let plans = [query, fresh].map { query in
      query.dependencies.map { "\($0.table) \($0.role)" }.sorted() + [query.reason ?? "row by row"]
    }
    if plans[0] == plans[1] { return }
    // How SQLite searches also depends on statistics. ANALYZE changes those and not the schema, and each connection
    // reads them when it reads the schema.
    let tables = try database.read {
      try $0.value("SELECT count(*) FROM pragma_table_list WHERE name = 'sqlite_stat1'", as: Int.self)
    }
    if tables == 0 { throw OracleFailure(description: "planned as \(plans[0]) and now as \(plans[1])") }
  }

  private func ask(_ spec: OracleSpec) throws -> OracleAnswer.Result {
    let answer = OracleAnswer(spec: spec, table: E.table, columns: E.columns)
    do {
      return try database.read { try answer.ask($0) }
    } catch {
      throw OracleFailure(description: "the oracle itself: \(error)")
    }
  }

  private func checkUpdates(_ came: [Update<E>], _ isOneCommit: Bool) throws {
    if isOneCommit, came.count > 1 {
      let updates = came.map { "\($0.changes) from \($0.old) to \($0.new)" }.joined(separator: "; ")
      throw OracleFailure(description: "\(came.count) updates for one commit: \(updates); \(statistics)")
    }
    for update in came {
      guard Self.areAlike(update.old, last) else {
        throw OracleFailure(description: "an update does not begin where the last one ended")
      }
      let violations = E.violations(of: update)
      if !violations.isEmpty { throw OracleFailure(description: "\(violations) in \(update.changes)") }
      last = update.new
    }
    guard Self.areAlike(last, controller.snapshot) else {
      throw OracleFailure(description: "the list is not where the updates lead to")
    }
  }

  private static func areAlike(_ left: Snapshot<E>, _ right: Snapshot<E>) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { left, right in
        left.id == right.id && left.name == right.name && left.items.count == right.items.count
          // A column that is added later is reported by no update where rows can't be compared.
          && zip(left.items, right.items).allSatisfy(areAlike)
      }
  }

  private static func areAlike(_ left: E, _ right: E) -> Bool {
    E.self is any Equatable.Type ? left.content == right.content : left.isStoredLike(right)
  }

  private static func difference(_ snapshot: Snapshot<E>, _ parts: [OracleAnswer.Part]) -> String? {
    let found = snapshot.map { section in
      OracleAnswer.Part(id: section.id, name: section.name, rows: section.items.map(\.content))
    }
    let areEqual =
      found.count == parts.count
      && zip(found, parts).allSatisfy {
        $0.id == $1.id && $0.name.utf8.elementsEqual($1.name.utf8) && $0.rows == $1.rows
      }
    if areEqual { return nil }
    func list(_ parts: [OracleAnswer.Part]) -> String {
      parts.map { part in
        "  section \(part.id.debug) \"\(part.name)\"\n" + part.rows.map { "    \($0)\n" }.joined()
      }.joined()
    }
    return "the list\n\(list(found))is not the answer\n\(list(parts))"
  }
}

extension SectionID {
  fileprivate var debug: String {
    switch self {
    case .none: "none"
    case .integer(let value): "integer \(value)"
    case .real(let value): "real \(value)"
    case .text(let value): "text \(value.debugDescription)"
    case .blob(let value): "blob \(value)"
    }
  }
}
