import FetchedResultsSupport
import RowModel

/// The commit log of all lists that follow the same tables. The writer appends a commit once for all of them.
///
/// A list drains the log when it needs to (`CommitCursor.catchUp`), or an evaluator drains it for the lists that sleep,
/// and wakes them. So a writer's time doesn't depend on the number of lists, nor on what they are doing.
package final class CommitLog: Sendable {
  private let pool: EvaluationPool
  let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) var state = State()

  /// Up to this many cursors, notifying inline is as fast as scheduling a job.
  private static let few = 4
  /// A cursor that has this many commits, or 48 times as many rows, to drain is drained by the job that wakes cursors,
  /// so that its commits are merged.
  static let mostCommits = 4096
  private static let most = 16 * mostCommits
  /// For how many commits the lists are not screened, after a screening that left out few of them.
  static let pause = 16

  struct State {
    /// The newest commit. Cursors that have not drained the log yet keep the earlier ones alive.
    var last = Link(number: 0, commit: nil)
    /// The cursors by number. Don't load these weak references under `lock`: releasing the last one would run `deinit`
    /// there.
    var cursors: [Int: Weak] = [:]
    var nextCursor = 0
    /// The newest commit when a job that notifies the cursors was queued; nil if none is queued.
    var called: Int?
    /// Whether that job was queued before all others.
    var isUrgent = false
    var observation: (any AnyObject & Sendable)?
    /// The questions that cursors ask about the state before a commit, each with the number of cursors that ask it.
    var questions: [OldStateQuestion: Int] = [:]
    /// What was found before the commit that is under way.
    var announced: OldState?
    /// Finds the lists that a commit concerns; nil until it is composed for the current cursors.
    var screen: RowScreening.Screen?
    /// The last commit that the lists were screened for.
    var screened = 0
    /// How many more commits are not screened, because the last ones concerned most lists.
    var unscreened = 0
  }

  struct Weak {
    weak var cursor: CommitCursor?
  }

  /// A commit in the log, linked to the next one.
  final class Link: Sendable {
    /// Rises by one with each commit, and by one more for each 48 rows.
    let number: Int
    let commit: EngineCommit?
    // because it is written once and under the lock of `CommitLog`, before anybody can reach the next link
    nonisolated(unsafe) var next: Link?

    init(number: Int, commit: EngineCommit?) {
      self.number = number
      self.commit = commit
    }
  }

  private let screening: RowScreening?
  /// Held while the lists are screened.
  let screeningLock = Lock()

  package init(_ pool: EvaluationPool, _ screening: RowScreening? = nil) {
    self.pool = pool
    self.screening = screening
  }

  /// Keeps the observation that feeds the log, as long as this object lives.
  package func hold(_ observation: any AnyObject & Sendable) { lock.withLock { state.observation = observation } }

  /// Appends a commit. The engine calls it as soon as the commit can be read, in order and on one thread at a time.
  package func committed(_ commit: EngineCommit) {
    var commit = commit
    // Release these outside the lock: an old state may be the last owner of a query, and so of the user's objects.
    let former = lock.withLock { () -> (OldState?, Link) in
      let former = (state.announced, state.last)
      // What was announced belongs to a write of ours, perhaps one that was rolled back. A commit of another program
      // must not get it.
      commit.before = commit.hadOldState ? state.announced : nil
      state.announced = nil
      let weight = 1 + (commit.rows + (commit.before?.count ?? 0)) / 48
      let link = Link(number: state.last.number + weight, commit: commit)
      state.last.next = link
      state.last = link
      return former
    }
    withExtendedLifetime(former) {}
  }

  /// The questions that cursors ask about the state before a commit, each once.
  package var questions: [OldStateQuestion] { lock.withLock { Array(state.questions.keys) } }

  /// Records what was found before the commit that comes next.
  package func announce(_ state: OldState) {
    // Release the old state of a write that was rolled back outside the lock.
    let former = lock.withLock { () -> OldState? in
      let former = self.state.announced
      self.state.announced = state
      return former
    }
    withExtendedLifetime(former) {}
  }

  /// Wakes the cursors. The engine calls it when the writer waits for nothing any more.
  package func wake() {
    let (isForUs, isNews, isUrgent) = lock.withLock { () -> (Bool, Bool, Bool) in
      let last = state.last.number
      if state.cursors.count <= Self.few { return (true, false, false) }
      guard let called = state.called else {
        state.called = last
        return (false, true, false)
      }
      // The job is already in the queue. If the pool has not run it for many commits, queue it again, before all
      // others. If the pool still doesn't run it, this thread drains the log itself.
      if last - called > Self.most { return (true, false, false) }
      if state.isUrgent || last - called <= Self.mostCommits { return (false, false, false) }
      state.isUrgent = true
      return (false, true, true)
    }
    if isForUs { tell() } else if isNews { pool.submit(Telling(cursors: self), first: isUrgent) }
  }

  private final class Telling: EvaluationPool.Job {
    private let cursors: CommitLog
    init(cursors: CommitLog) { self.cursors = cursors }
    func run(on pool: EvaluationPool) {
      cursors.screen()
      cursors.tell()
    }
  }

  /// Drains the log for the cursors that sleep, and wakes them.
  private func tell() {
    let (cursors, last) = lock.withLock {
      state.called = nil
      state.isUrgent = false
      return (state.cursors, state.last.number)
    }
    for (_, cursor) in cursors {
      guard let cursor = cursor.cursor, cursor.wants(upTo: last) else { continue }
      cursor.catchUp()
      cursor.wake()
    }
  }

  var last: Link { lock.withLock { state.last } }

  /// Leaves out the lists that the last commits don't concern: those that have none of the changed rows, and whose
  /// condition holds for none of them. It takes one read for all lists. Any other list reads for itself afterwards.
  ///
  /// The engine calls it on a thread that no writer waits for. If another call is running, this one waits for it, and
  /// may then find nothing to do.
  package func screen() {
    guard let screening else { return }
    // Release the lists, cursors and commits outside the lock: releasing the last reference to one runs its `deinit`.
    var used = Used()
    let lists = screeningLock.withLock { screenLists(screening, &used) }
    for list in lists where list.isPassed { list.list.passed() }
    // The cursors may have moved on, so that only `used` keeps the links alive. Release them one after another:
    // otherwise each would release the next one recursively.
    let newest = last
    while let link = used.first, link !== newest, let next = link.next { used.first = next }
    withExtendedLifetime(used) {}
  }

  /// What a screening has used, to be released later.
  private struct Used {
    var cursors: [CommitCursor] = []
    /// The first link.
    var first: Link?
  }

  /// Screens the lists. Returns the lists that it looked at, each with whether it passed over the commits.
  private func screenLists(
    _ screening: RowScreening, _ used: inout Used
  ) -> [(list: any ScreenedList, isPassed: Bool)] {
    let (all, isPaused) = lock.withLock { () -> ([Int: Weak], Bool) in
      if state.screened == state.last.number { return ([:], true) }
      state.screened = state.last.number
      state.unscreened = max(0, state.unscreened - 1)
      return (state.cursors, state.unscreened > 0)
    }
    if isPaused { return [] }
    used.cursors = all.values.compactMap(\.cursor)
    let cursors = used.cursors.filter(\.canBeScreened)
    guard cursors.count >= RowScreening.fewestLists,
      let first = cursors.map(\.position).min(by: { $0.number < $1.number })
    else { return [] }
    used.first = first
    var lists: [(list: any ScreenedList, isPassed: Bool)] = []
    do {
      var end = first
      try screening.read({ end = last }) { view in
        guard first !== end, let table = cursors.first?.query?.condition?.table,
          let rows = Self.rows(of: table, from: first, to: end)
        else { return }
        let matching = try screen(screening, &used)(rows, view)
        if rows.count <= RowScreening.fewRows, matching.count > cursors.count / 4 * 3 {
          lock.withLock { state.unscreened = Self.pause }
        }
        for cursor in cursors where !matching.contains(cursor.number) {
          guard let list = cursor.list else { continue }
          lists.append((list, cursor.pass(list, to: end, rows, view)))
        }
      }
    } catch {
      // Each list then reads for itself, and reports the error if it lasts.
    }
    return lists
  }

  /// The rows of a table that commits have changed, each once; nil if they are not known, or too many.
  private static func rows(of table: String, from first: Link, to end: Link) -> [RowKey]? {
    var rows: Set<RowKey> = []
    var link = first
    while link !== end, let next = link.next {
      link = next
      guard let change = link.commit?.changes[table] else { continue }
      guard case .rows(let keys) = change, keys.count <= RowScreening.mostRows else { return nil }
      rows.formUnion(keys)
      if rows.count > RowScreening.mostRows { return nil }
    }
    return Array(rows)
  }

  private func screen(_ screening: RowScreening, _ used: inout Used) -> RowScreening.Screen {
    let (known, cursors, next) = lock.withLock { (state.screen, state.cursors, state.nextCursor) }
    if let known { return known }
    let all = cursors.values.compactMap(\.cursor)
    used.cursors += all
    let lists = all.compactMap { cursor in
      cursor.query?.condition.map { (number: cursor.number, condition: $0) }
    }
    let screen = screening.screen(lists)
    lock.withLock {
      if state.nextCursor == next, state.cursors.count == cursors.count { state.screen = screen }
    }
    return screen
  }

  /// Adds a cursor, which receives what is committed from now on.
  package func add(
    asking questions: [OldStateQuestion] = [], screening list: (any ScreenedList, any ResultQuery)? = nil,
    committed: @escaping @Sendable (EngineCommit) -> Void,
    wake: @escaping @Sendable () -> Void
  ) -> CommitCursor {
    lock.withLock {
      let number = state.nextCursor
      state.nextCursor += 1
      let cursor = CommitCursor(number, questions, list, self, state.last, committed, wake)
      state.screen = nil
      state.cursors[number] = Weak(cursor: cursor)
      for question in questions { state.questions[question, default: 0] += 1 }
      return cursor
    }
  }

  func remove(_ number: Int, _ questions: [OldStateQuestion]) {
    // Release the query of a question that no cursor asks any more outside the lock.
    var unasked: [OldStateQuestion] = []
    lock.withLock {
      state.cursors[number] = nil
      state.screen = nil
      for question in questions {
        guard let place = state.questions.index(forKey: question) else { continue }
        state.questions.values[place] -= 1
        if state.questions.values[place] == 0 { unasked.append(state.questions.remove(at: place).key) }
      }
    }
    withExtendedLifetime(unasked) {}
  }
}
