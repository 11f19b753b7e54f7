import DataSources
package import DataSourcesTestSupport
import FetchedResultsCore
import FetchedResultsSupport

/// What every engine of a controller must do, tried at random on the sample.
///
/// ```swift
/// let suite = EngineConformance { rows in try MemoryDatabase(rows) }
/// #expect(try await suite.violations(seed: 1) == [])
/// ```
///
/// The suite checks, with commits of one and of several rows, commits from outside, undone writes and exchanged
/// requests:
///
/// - After every commit, each list is what its request means, and every update keeps the laws of differences.
/// - A list never shows a mixture of two commits of this process.
/// - A write that was undone publishes nothing.
/// - A commit of one row reads as many rows in a long list as in a short one, and runs no whole query.
/// - No writer waits for an observer that doesn't return.
package struct EngineConformance<Host: EngineHost>: Sendable {
  private let make: @Sendable (_ rows: [Entry]) throws -> Host

  /// Creates a suite. `make` creates a database that contains the rows.
  package init(_ make: @escaping @Sendable (_ rows: [Entry]) throws -> Host) { self.make = make }

  /// Tries random commits on all requests.
  package func violations(seed: UInt64, steps: Int = 30) async throws -> [Violation] {
    var random = SeededGenerator(seed: seed)
    var rows: [Int64: Entry] = [:]
    rows.apply((1...Int64.random(in: 1...20, using: &random)).map { .put(.random(id: $0, &random)) })
    let host = try make(rows.values.sorted())
    var lists: [FollowedRequest] = []
    for tried in host.requests { lists.append(try await FollowedRequest(tried, host.database)) }
    // A commit from outside may be read before it is reported, and a list then shows some of its rows earlier.
    let hasOutside = !seed.isMultiple(of: 2)
    for step in 0..<steps {
      let states = try change(host, &rows, hasOutside: hasOutside, &random)
      let counts = lists.map(\.updates.count)
      if step.isMultiple(of: 5) { lists.randomElement(using: &random)?.exchangeRequest(host.requests, &random) }
      for (list, count) in zip(lists, counts) {
        try await list.controller.settled()
        var found: [Violation] = []
        if !list.isExchanged {
          let updates = list.updates.dropFirst(count)
          if states.isEmpty, !updates.isEmpty {
            found.append(Violation(.isolation, "an undone write published an update"))
          } else if !hasOutside {
            found += list.violations(updates, amongStates: states)
          }
        }
        found += list.violations(rows.values.sorted())
        if found.isEmpty { continue }
        return found.map { Violation($0.law, $0.rule, "\($0.details) (seed \(seed), step \(step))") }
      }
    }
    return lists.flatMap { $0.violationsOfUpdates() }
  }

  /// Makes some commits, or a write that is undone. Returns the rows after each commit.
  private func change(
    _ host: Host, _ rows: inout [Int64: Entry], hasOutside: Bool, _ random: inout SeededGenerator
  ) throws -> [[Entry]] {
    if Int.random(in: 0..<6, using: &random) == 0 {
      try host.rollBack(.random(rows, &random))
      return []
    }
    var states: [[Entry]] = []
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let changes = [EntryChange].random(rows, &random)
      if hasOutside, Bool.random(using: &random) {
        try host.commitFromOutside(changes)
      } else {
        try host.commit(changes)
      }
      rows.apply(changes)
      states.append(rows.values.sorted())
      // The next commit then comes while this one is being evaluated.
      if Bool.random(using: &random) { MonotonicClock.sleep(microseconds: Int.random(in: 0..<1500, using: &random)) }
    }
    return states
  }

  /// Compares the rows read for commits of one row in a list of 50 and in one of 2,000.
  package func violationsOfProportion() async throws -> [Violation] {
    var found: [Violation] = []
    for number in try make([]).requests.indices {
      let (few, many) = (try await rowsRead(number, of: 50), try await rowsRead(number, of: 2000))
      let name = "request \(number)"
      if many.rows > few.rows + 2 {
        found.append(
          Violation(.proportional, "more rows are read in a longer list", "\(name): \(few.rows) and \(many.rows)"))
      }
      if many.reasons != [:] {
        found.append(Violation(.proportional, "the whole query ran", "\(name): \(many.reasons)"))
      }
    }
    return found
  }

  private func rowsRead(_ number: Int, of count: Int64) async throws -> (rows: Int, reasons: [String: Int]) {
    let rows = (1...count).map { Entry(id: $0, list: "list \($0 % 5)", title: "title \($0)", rank: $0 % 100) }
    let host = try make(rows)
    let list = try await FollowedRequest(host.requests[number], host.database)
    let before = list.controller.statistics.rowsRead
    // It moves to the other end of its list, or of its section.
    for rank: Int64 in [500, -500, 4, 50] {
      try host.commit([.put(Entry(id: 25, list: "list 0", title: "\(rank)", rank: rank))])
      try await list.controller.settled()
    }
    return (list.controller.statistics.rowsRead - before, list.controller.statistics.reasons)
  }

  /// Commits while an observer does not return.
  ///
  /// - Parameter patience: How long a hundred commits may take.
  package func violationsOfHarm(patience: Duration = .seconds(20)) async throws -> [Violation] {
    let rows = (1...20).map { Entry(id: $0, list: "a", title: "\($0)", rank: $0) }
    let host = try make(rows)
    let list = try await FollowedRequest(host.requests[0], host.database)
    let isOpen = Locked(false)
    defer { isOpen.withLock { $0 = true } }
    let observation = list.controller.observeOnAnyThread { _ in
      while !isOpen.withLock({ $0 }) { MonotonicClock.sleep(microseconds: 200) }
    }
    defer { observation.cancel() }
    let end = ContinuousClock.now + patience
    let written = Locked(0)
    // A thread of its own, as a writer that waits would never return.
    _ = BackgroundThread.start {
      for number in 1...100 {
        do {
          try host.commit([.put(Entry(id: 1, list: "a", title: "new \(number)", rank: 1))])
        } catch {
          return
        }
        written.withLock { $0 += 1 }
        if isOpen.withLock({ $0 }) { return }
      }
    }
    while written.withLock({ $0 }) < 100, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
    let count = written.withLock { $0 }
    if count < 100 { return [Violation(.harmless, "a writer waits for an observer", "after \(count) commits")] }
    isOpen.withLock { $0 = true }
    try await list.controller.settled()
    return list.violations(
      [Entry(id: 1, list: "a", title: "new 100", rank: 1)] + rows.dropFirst())
  }
}

/// A controller that follows one of the requests, and what it published.
private final class FollowedRequest {
  let controller: FetchedResultsController<Entry>
  private var tried: TriedRequest
  private let start: Snapshot<Entry>
  private let published = Locked<[Update<Entry>]>([])
  private let observation: ObservationToken
  /// Whether another request was set since the last check.
  private(set) var isExchanged = false

  init(_ tried: TriedRequest, _ database: some LiveDatabase) async throws {
    self.tried = tried
    controller = FetchedResultsController(fetchRequest: tried.request, database: database)
    try await controller.performFetch()
    start = controller.snapshot
    observation = controller.observeOnAnyThread { [published] update in published.withLock { $0.append(update) } }
  }

  deinit { observation.cancel() }

  var updates: [Update<Entry>] { published.withLock { $0 } }

  func exchangeRequest(_ requests: [TriedRequest], _ random: inout SeededGenerator) {
    guard let next = requests.randomElement(using: &random) else { return }
    tried = next
    isExchanged = true
    controller.fetchRequest = next.request
  }

  /// Compares the list with the one that the request means.
  func violations(_ rows: [Entry]) -> [Violation] {
    isExchanged = false
    let shown = controller.snapshot.map { ExpectedSection(id: $0.id, name: $0.name, items: Array($0.items)) }
    let expected = tried.expected(rows)
    if shown == expected { return [] }
    return [Violation(.oracle, "the list is not what its request means", "\(shown), and not \(expected)")]
  }

  /// Checks that each published list is what the request means in one of some states of the database.
  func violations(_ updates: some Sequence<Update<Entry>>, amongStates states: [[Entry]]) -> [Violation] {
    let lists = states.map(tried.expected)
    for update in updates {
      let shown = update.new.map { ExpectedSection(id: $0.id, name: $0.name, items: Array($0.items)) }
      if lists.contains(shown) { continue }
      return [Violation(.oracle, "a list is a mixture of several commits", "\(shown), and not one of \(lists)")]
    }
    return []
  }

  func violationsOfUpdates() -> [Violation] {
    let updates = updates
    var found = updates.flatMap { Laws.violations(of: $0) } + Laws.chain(updates, from: start)
    // An update from the list as it is, if it were one, would continue the chain.
    let end = Update(old: controller.snapshot, new: controller.snapshot, changes: Changes())
    found += Laws.chain([end], from: updates.last?.new ?? start)
    return found
  }
}

extension Entry {
  /// A row whose texts and ranks are often those of other rows, and sometimes differ in spelling only.
  fileprivate static func random(id: Int64, _ random: inout SeededGenerator) -> Entry {
    Entry(
      id: id, list: ["", "a", "b", "caf\u{E9}", "cafe\u{301}"].randomElement(using: &random) ?? "",
      title: ["", "a", "A", "b ", "b", "\u{10000}", "\u{FFFD}"].randomElement(using: &random) ?? "",
      rank: Int64.random(in: 0...8, using: &random))
  }
}

extension [EntryChange] {
  /// Changes of one to three rows: some of them new, some removed.
  fileprivate static func random(_ rows: [Int64: Entry], _ random: inout SeededGenerator) -> [EntryChange] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let id = Int64.random(in: 1...(Bool.random(using: &random) ? 25 : 4), using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 { return .remove(id) }
      return .put(.random(id: id, &random))
    }
  }
}
