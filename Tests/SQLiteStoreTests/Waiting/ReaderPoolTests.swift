import CFetchedResultsSQLite
import DataSourcesTestSupport
import FetchedResultsSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

/// A pool lends at most as many connections as are allowed, in the order of asking, and closes all of them in the end.
@Suite(.timeLimit(.minutes(2))) struct ReaderPoolTests {
  fileprivate static func pool(_ scratch: Scratch, limit: Int, timeout: Duration = .seconds(60)) throws -> ReaderPool {
    try scratch.database().close()
    let options = Database.Options.fast.with { $0.busyTimeout = timeout }
    return ReaderPool(opener: ConnectionOpener(path: scratch.path(), options: options), limit: limit, isOfUsers: true)
  }

  @Test func `threads that act in turn are served like a queue`() throws {
    for seed in Seeds.range(12) {
      let model = try ReaderPoolModel(seed)
      for step in 0..<60 {
        let what = model.step()
        guard let broken = model.problem() else { continue }
        Issue.record("\(broken), after step \(step) (\(what)), \(Seeds.hint(seed))")
        return
      }
      #expect(model.end() == nil, "\(Seeds.hint(seed))")
    }
  }

  @Test func `concurrent callers share few connections, and all are closed in the end`() throws {
    for seed in Seeds.range(5) {
      var dice = SeededGenerator(seed: seed)
      let scratch = try Scratch(inMemory: true)
      let limit = 1 + dice.below(3)
      let pool = try Self.pool(scratch, limit: limit)
      let lent = Lent()
      let inside = Atomic<Int>(0)
      let ended = Atomic<Int>(0)
      let outcomes = Box<[String: Int]>([:])
      let problems = Box<[String]>([])
      let count = limit + 1 + dice.below(4)
      for _ in 0..<count {
        let own = dice.next()
        Worker().start {
          var dice = SeededGenerator(seed: own)
          var isClosed = false
          while !isClosed {
            let access = Connection.Access()
            if dice.once(in: 6) { access.cancel() }
            do {
              let connection = try pool.acquire(access)
              lent.note(connection)
              let held = inside.add(1, ordering: .relaxed).newValue
              if held > limit { problems.change { $0.append("\(held) of \(limit) are lent") } }
              if connection.isClosed { problems.change { $0.append("a closed connection is lent") } }
              if pool.heldByCurrentThread !== connection { problems.change { $0.append("another one is held") } }
              if let broken = pool.firstBrokenInvariant() { problems.change { $0.append(broken) } }
              MonotonicClock.sleep(microseconds: dice.below(150))
              _ = inside.subtract(1, ordering: .relaxed)
              pool.release(connection, isSound: dice.below(4) > 0)
              outcomes.change { $0["lent", default: 0] += 1 }
            } catch {
              isClosed = (error as? DatabaseError)?.code == .misuse
              if !isClosed, !(error is CancellationError) { problems.change { $0.append("\(error)") } }
              outcomes.change { $0[isClosed ? "closed" : "cancelled", default: 0] += 1 }
            }
          }
          _ = ended.add(1, ordering: .releasing)
        }
      }
      let end = MonotonicClock.now() + 150_000_000
      while MonotonicClock.now() < end {
        pool.nudge()
        pool.interruptAll()
        MonotonicClock.sleep(microseconds: 300)
      }
      pool.close()
      #expect(waitsBriefly { ended.load(ordering: .acquiring) == count }, "\(outcomes.value), \(Seeds.hint(seed))")
      #expect(problems.value == [], "\(Seeds.hint(seed))")
      #expect(pool.firstBrokenInvariant() == nil, "\(Seeds.hint(seed))")
      #expect(pool.counts == .init(idle: 0, held: 0, waiting: 0), "\(Seeds.hint(seed))")
      #expect(lent.areClosed, "\(Seeds.hint(seed))")
      #expect(outcomes.value["lent", default: 0] > 0 && outcomes.value["closed"] == count, "\(outcomes.value)")
    }
  }

  @Test func `waiters give up when no connection is returned for longer than the timeout`() throws {
    let scratch = try Scratch(inMemory: true)
    let pool = try Self.pool(scratch, limit: 1, timeout: .milliseconds(20))
    let connection = try pool.acquire(Connection.uncancellable)
    let codes = Box<[ResultCode]>([])
    for _ in 0..<3 {
      Worker().start {
        do {
          pool.release(try pool.acquire(Connection.uncancellable), isSound: true)
        } catch {
          codes.change { $0.append((error as? DatabaseError)?.code ?? .misuse) }
        }
      }
    }
    #expect(waitsBriefly { codes.value.count == 3 })
    #expect(codes.value.allSatisfy { $0 == .busy } && pool.counts == .init(idle: 0, held: 1, waiting: 0))
    pool.release(connection, isSound: true)
    #expect(try pool.acquire(Connection.uncancellable) === connection)
    pool.release(connection, isSound: true)
    pool.close()
    #expect(connection.isClosed && pool.firstBrokenInvariant() == nil)
  }

  @Test func `a connection that can't be opened leaves its place to the next caller`() throws {
    let scratch = try Scratch(inMemory: true)
    let options = Database.Options.fast.with { $0.createsFile = false }
    let pool = ReaderPool(
      opener: ConnectionOpener(path: scratch.path("missing.db"), options: options), limit: 1, isOfUsers: true)
    for _ in 0..<3 {
      #expect(throws: DatabaseError.self) { _ = try pool.acquire(Connection.uncancellable) }
      #expect(pool.firstBrokenInvariant() == nil && pool.counts == .init(idle: 0, held: 0, waiting: 0))
    }
    pool.close()
  }
}

/// The connections that a pool has lent.
private final class Lent: @unchecked Sendable {  // because every access is under `lock`
  private let lock = Lock()
  private var connections: [ObjectIdentifier: Connection] = [:]

  func note(_ connection: Connection) { lock.withLock { connections[ObjectIdentifier(connection)] = connection } }

  var areClosed: Bool { lock.withLock { connections.values.allSatisfy(\.isClosed) } }
}

/// A pool, the threads that use it, and which of them should have a connection or wait for one.
private final class ReaderPoolModel {
  private final class Asker: @unchecked Sendable {  // because only its thread uses `connection` until it has an outcome
    let worker = Worker()
    let outcome = Box<String?>(nil)
    var access = Connection.Access()
    var connection: Connection?
  }

  private let scratch: Scratch
  private let pool: ReaderPool
  private let limit: Int
  private let lent = Lent()
  private let askers = (0..<7).map { _ in Asker() }
  private var dice: SeededGenerator
  private var holders: [Int] = []
  private var queue: [Int] = []
  private var idleCount = 0
  private var isClosed = false
  private let hasClosed = Box(false)
  private var failure: String?

  init(_ seed: UInt64) throws {
    dice = SeededGenerator(seed: seed)
    limit = 1 + dice.below(4)
    scratch = try Scratch(inMemory: true)
    pool = try ReaderPoolTests.pool(scratch, limit: limit)
  }

  private var idle: [Int] { askers.indices.filter { !holders.contains($0) && !queue.contains($0) } }

  private func ask(_ asker: Int) {
    let (pool, lent, asker) = (pool, lent, askers[asker])
    asker.outcome.change { $0 = nil }
    asker.worker.start {
      var result = "lent"
      do {
        let connection = try pool.acquire(asker.access)
        lent.note(connection)
        asker.connection = connection
      } catch {
        let isClosed = (error as? DatabaseError)?.code == .misuse
        result = error is CancellationError ? "cancelled" : isClosed ? "closed" : "\(error)"
      }
      asker.outcome.change { $0 = result }
    }
  }

  private func expect(_ asker: Int, _ expected: String) {
    let outcome = askers[asker].outcome
    if !waitsBriefly(for: { outcome.value != nil }) || outcome.value != expected {
      failure = failure ?? "thread \(asker) gets \(outcome.value ?? "nothing"), and not \(expected)"
    }
    if expected == "cancelled" { askers[asker].access = Connection.Access() }
  }

  private func lend(to asker: Int) {
    expect(asker, "lent")
    holders.append(asker)
    if idleCount > 0 { idleCount -= 1 }
  }

  private func release(_ holder: Int, isSound: Bool) {
    let (pool, asker) = (pool, askers[holder])
    holders.removeAll { $0 == holder }
    let isReleased: Bool? = asker.worker.run {
      guard let connection = asker.connection else { return false }
      asker.connection = nil
      pool.release(connection, isSound: isSound)
      return connection.isClosed || isSound
    }
    // A closed pool closes what is returned.
    if isSound, !isClosed { idleCount += 1 }
    if isReleased != true { failure = failure ?? "an unsound connection is not closed" }
    while let first = queue.first {
      queue.removeFirst()
      guard askers[first].access.isCancelled else { return lend(to: first) }
      expect(first, "cancelled")
    }
    if isClosed, holders.isEmpty { awaitClosing() }
  }

  private func awaitClosing() {
    if !waitsBriefly(for: { hasClosed.value }) { failure = failure ?? "close() does not return" }
    idleCount = 0
  }

  /// Takes a random step, and returns what it was.
  func step() -> String {
    switch dice.below(16) {
    case 0, 1, 2, 3, 4:
      guard let asker = idle.randomElement(using: &dice) else { return "nothing" }
      ask(asker)
      if isClosed {
        expect(asker, "closed")
      } else if holders.count < limit {
        lend(to: asker)
      } else {
        queue.append(asker)
      }
      return "thread \(asker) asks"
    case 5:
      guard let asker = queue.randomElement(using: &dice) else { return "nothing" }
      askers[asker].access.cancel()
      pool.nudge()
      expect(asker, "cancelled")
      queue.removeAll { $0 == asker }
      return "thread \(asker) is cancelled"
    case 6:
      guard let holder = holders.randomElement(using: &dice) else { return "nothing" }
      // The first waiters see that they are cancelled only when it is their turn, and must pass it on.
      for asker in queue.prefix(1 + dice.below(2)) { askers[asker].access.cancel() }
      release(holder, isSound: dice.once(in: 2))
      return "the first waiters are cancelled, and thread \(holder) releases"
    case 7:
      pool.nudge()
      return "nudged"
    case 8:
      interrupt()
      return "interrupted"
    case 9:
      let awaited = pool.awaitReads(begunBefore: MonotonicClock.now(), for: 200_000)
      if awaited != holders.isEmpty { failure = "awaitReads() returns \(awaited) with \(holders.count) readers" }
      if !pool.awaitReads(begunBefore: 1, for: 1_000_000_000) { failure = "awaitReads() waits for later reads" }
      return "reads are awaited"
    case 10 where dice.once(in: 6) && !isClosed:
      isClosed = true
      let (pool, hasClosed) = (pool, hasClosed)
      Worker().start {
        pool.close()
        hasClosed.change { $0 = true }
      }
      for asker in queue { expect(asker, "closed") }
      queue = []
      if holders.isEmpty { awaitClosing() }
      if !waitsBriefly(for: { pool.lock.withLock { pool.state.isClosed } }) { failure = "the pool does not close" }
      return "closed"
    default:
      guard let holder = holders.randomElement(using: &dice) else { return "nothing" }
      release(holder, isSound: dice.below(4) > 0)
      return "thread \(holder) releases"
    }
  }

  /// Has a holder run a query without an end, and interrupts it.
  private func interrupt() {
    guard let holder = holders.randomElement(using: &dice) else { return pool.interruptAll() }
    let asker = askers[holder]
    let code = Box<Int32?>(nil)
    asker.worker.start {
      let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n WHERE x < 0"
      let result = asker.connection.map { sqlite3_exec($0.handle, endless, nil, nil, nil) } ?? SQLITE_MISUSE
      code.change { $0 = result }
    }
    let pool = pool
    let isOver = waitsBriefly {
      pool.interruptAll()
      return code.value != nil
    }
    if !isOver || code.value != SQLITE_INTERRUPT { failure = "a query is not interrupted" }
  }

  /// What is wrong; nil if nothing is.
  func problem() -> String? {
    if let failure { return failure }
    let (pool, expected) = (pool, ReaderPool.Counts(idle: idleCount, held: holders.count, waiting: queue.count))
    if !waitsBriefly(for: { pool.counts == expected }) { return "there are \(pool.counts), and not \(expected)" }
    if let broken = pool.firstBrokenInvariant() { return broken }
    for asker in queue where askers[asker].outcome.value != nil { return "thread \(asker) does not wait" }
    if (pool.busySince == nil) != (holders.count < limit) { return "busySince is wrong with \(holders.count) readers" }
    if isClosed, hasClosed.value != holders.isEmpty { return "close() has returned: \(hasClosed.value)" }
    let number = dice.below(askers.count)
    if queue.contains(number) { return nil }
    let asker = askers[number]
    let isHeld = asker.worker.run { pool.heldByCurrentThread === asker.connection }
    return isHeld == true ? nil : "thread \(number) holds another connection"
  }

  /// Ends what goes on, and returns what is wrong.
  func end() -> String? {
    while let holder = holders.first, failure == nil { release(holder, isSound: true) }
    if let problem = problem() { return problem }
    if !isClosed { pool.close() }
    return lent.areClosed ? pool.firstBrokenInvariant() : "a connection is not closed"
  }
}
