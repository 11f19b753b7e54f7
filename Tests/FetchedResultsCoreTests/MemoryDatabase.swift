import EngineConformance
import FetchedResultsCore
import FetchedResultsSupport
import RowModel

/// The smallest database that a controller can follow: one table in memory.
///
/// Its feed of commits is scripted: it can be exact, lag behind what a query sees, run ahead of it, or have gaps. That
/// is what a server's feed may do.
final class MemoryDatabase: LiveDatabase, EngineHost {
  /// How commits are reported.
  enum Feed: CaseIterable, Sendable {
    /// As soon as they can be read.
    case exact
    /// Some time after they can be read.
    case lagging
    /// Some time before they can be read.
    case ahead
    /// Every third one without its rows.
    case withGaps
  }

  /// A fault of the engine, for tests of the suite that must find it.
  enum Fault: CaseIterable, Sendable {
    /// Some commits are not reported.
    case losesCommits
    /// The first row of a commit is not reported.
    case losesRows
    /// A read doesn't contain what was reported before.
    case readsEarlierState
    /// What a read contains was not all reported before.
    case reportsAfterReads
    /// Text is ordered without regard to case.
    case ordersOtherwise
    /// A row that left the condition is still found.
    case ignoresCondition
    /// Every commit is reported without its rows.
    case reportsNoRows
    /// An undone write is reported, and can be read until then.
    case showsUndoneWrites
    /// A commit waits until lists have read the one before it.
    case waitsForLists
  }

  /// The rows after a commit, and how many commits there were.
  struct State: Sendable {
    var rows: [Int64: Entry] = [:]
    var position = 0
  }

  let log: CommitLog
  let pool = EvaluationPool(processors: 2)
  let foreignChecks: ForeignCheckQueue
  let feed: Feed
  let fault: Fault?
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var newest = State()
  /// What queries see: `newest`, or an earlier one if the feed runs ahead.
  // because every access is under `lock`
  nonisolated(unsafe) private var visible = State()
  /// What queries saw before the last commit.
  // because every access is under `lock`
  nonisolated(unsafe) private var former = State()
  /// The newest position that was read.
  // because every access is under `lock`
  nonisolated(unsafe) private var lastRead = 0
  /// The commits that were not reported yet.
  // because every access is under `lock`
  nonisolated(unsafe) private var unreported: [(position: Int, rows: [Int64])] = []
  /// Held while commits are reported, which keeps their order.
  private let reporting = Lock()

  init(_ rows: [Entry] = [], feed: Feed = .exact, fault: Fault? = nil) {
    self.feed = feed
    self.fault = fault
    log = CommitLog(pool)
    foreignChecks = ForeignCheckQueue(pool)
    newest.rows.apply(rows.map { .put($0) })
    visible = newest
    former = newest
  }

  var database: MemoryDatabase { self }
  var liveEngine: LiveEngine { LiveEngine(MemoryEngine(self)) }

  // MARK: Writing

  func commit(_ changes: [EntryChange]) throws {
    let position = lock.withLock {
      newest.rows.apply(changes)
      newest.position += 1
      if feed != .ahead { makeVisible() }
      unreported.append((newest.position, changes.map(\.id)))
      return newest.position
    }
    if feed == .lagging || fault == .reportsAfterReads {
      Alarm.shared.call(after: 1_000_000) { [self] in report(upTo: position) }
    } else {
      report(upTo: position)
    }
    if feed == .ahead {
      Alarm.shared.call(after: 1_000_000) { [self] in
        lock.withLock { if visible.position < newest.position { makeVisible() } }
      }
    }
    if fault == .waitsForLists { awaitRead(of: position - 1) }
  }

  private func awaitRead(of position: Int) {
    let end = MonotonicClock.now() + 3_000_000_000
    lock.withLock {
      while lastRead < position, MonotonicClock.now() < end { lock.wait(until: end) }
    }
  }

  /// There is one writer only.
  func commitFromOutside(_ changes: [EntryChange]) throws { try commit(changes) }

  func rollBack(_ changes: [EntryChange]) throws {
    guard fault == .showsUndoneWrites else { return }
    let before = lock.withLock { newest.rows }
    try commit(changes)
    MonotonicClock.sleep(microseconds: 2000)
    try commit(changes.map { change in before[change.id].map { .put($0) } ?? .remove(change.id) })
  }

  /// The caller holds the lock.
  private func makeVisible() {
    former = visible
    visible = newest
    lock.wakeAll()
  }

  // MARK: The feed

  /// Reports the commits up to a position that were not reported yet.
  func report(upTo end: Int) {
    let isAny = reporting.withLock {
      let commits = lock.withLock {
        let count = unreported.prefix { $0.position <= end }.count
        defer { unreported.removeFirst(count) }
        return unreported.prefix(count)
      }
      for (position, rows) in commits {
        if fault == .losesCommits, position.isMultiple(of: 7) { continue }
        let isGap = feed == .withGaps && position.isMultiple(of: 3) || fault == .reportsNoRows
        // A row that changed twice is reported twice.
        let keys = rows.dropFirst(fault == .losesRows ? 1 : 0).map { RowKey.number($0) }
        let change = isGap ? ChangedRows.everything("a gap in the feed") : .rows(keys)
        log.committed(EngineCommit(changes: [Entry.table: change], hadOldState: false))
      }
      return !commits.isEmpty
    }
    if isAny { log.wake() }
  }

  /// Reports every commit up to now.
  func reportAll() { report(upTo: lock.withLock { newest.position }) }

  /// The newest state that queries see, which contains everything that was reported by now.
  func state() -> State {
    lock.withLock {
      if fault == .readsEarlierState { return former }
      let reported = unreported.first.map { $0.position - 1 } ?? newest.position
      while visible.position < reported { lock.wait() }
      lastRead = visible.position
      lock.wakeAll()
      return visible
    }
  }
}
