import DataSourcesTestSupport
import FetchedResultsSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

/// One thread holds the writer lock at a time, and waiters get it in the order of asking.
@Suite(.timeLimit(.minutes(2))) struct WriterLockTests {
  @Test func `threads that act in turn are served like a queue`() {
    for seed in Seeds.range(25) {
      let model = WriterLockModel(seed)
      for step in 0..<60 {
        let what = model.step()
        guard let broken = model.problem() else { continue }
        Issue.record("\(broken), after step \(step) (\(what)), \(Seeds.hint(seed))")
        return
      }
      #expect(model.end() == nil, "\(Seeds.hint(seed))")
    }
  }

  @Test func `concurrent callers exclude each other, and all end when the lock closes`() {
    for seed in Seeds.range(6) {
      let lock = WriterLock()
      let inside = Atomic<Int>(0)
      let outcomes = Box<[String: Int]>([:])
      let problems = Box<[String]>([])
      let ended = Atomic<Int>(0)
      var dice = SeededGenerator(seed: seed)
      let count = 2 + dice.below(6)
      let isEager = dice.once(in: 2)
      for thread in 0..<count {
        let own = dice.next()
        Worker().start {
          var dice = SeededGenerator(seed: own)
          var isClosed = false
          while !isClosed {
            var outcome = "taken"
            var looks = dice.once(in: 5) ? dice.below(3) : .max
            do throws(WriterLock.Refusal) {
              try lock.acquire(timeout: dice.once(in: 3) ? 50_000 : 3_000_000_000) {
                looks -= 1
                return looks <= 0
              }
              if inside.add(1, ordering: .relaxed).newValue != 1 { problems.change { $0.append("two hold the lock") } }
              if !lock.isHeldByCurrentThread { problems.change { $0.append("thread \(thread) does not hold it") } }
              if let broken = lock.firstBrokenInvariant() { problems.change { $0.append(broken) } }
              if !isEager || dice.once(in: 50) { MonotonicClock.sleep(microseconds: dice.below(100)) }
              _ = inside.subtract(1, ordering: .relaxed)
              lock.release()
            } catch {
              outcome = "\(error)"
              isClosed = error == .closed
            }
            outcomes.change { $0[outcome, default: 0] += 1 }
          }
          _ = ended.add(1, ordering: .releasing)
        }
      }
      let end = MonotonicClock.now() + 150_000_000
      while MonotonicClock.now() < end {
        lock.nudge()
        MonotonicClock.sleep(microseconds: 300)
      }
      lock.close()
      #expect(lock.heldSince == nil, "\(Seeds.hint(seed))")
      #expect(waitsBriefly { ended.load(ordering: .acquiring) == count }, "\(outcomes.value), \(Seeds.hint(seed))")
      #expect(problems.value == [], "\(Seeds.hint(seed))")
      #expect(lock.firstBrokenInvariant() == nil && lock.waiterCount == 0, "\(Seeds.hint(seed))")
      #expect(outcomes.value["taken", default: 0] > 0 && outcomes.value["closed"] == count, "\(outcomes.value)")
      #expect(outcomes.value["reentrant"] == nil, "\(Seeds.hint(seed))")
    }
  }

  @Test func `a queue that moves may take longer than the timeout`() {
    let lock = WriterLock()
    let outcomes = Box<[String]>([])
    for _ in 0..<16 {
      Worker().start {
        var outcome = "taken"
        do throws(WriterLock.Refusal) {
          try lock.acquire(timeout: 500_000_000)
          MonotonicClock.sleep(microseconds: 50_000)
          lock.release()
        } catch {
          outcome = "\(error)"
        }
        outcomes.change { $0.append(outcome) }
      }
    }
    #expect(waitsBriefly { outcomes.value.count == 16 })
    #expect(outcomes.value.allSatisfy { $0 == "taken" }, "\(outcomes.value)")
  }
}

/// A lock, the threads that use it, and which of them should hold it or wait for it.
private final class WriterLockModel {
  private struct Asker {
    let worker = Worker()
    let outcome = Box<String?>(nil)
    let isCancelled = Box(false)
  }

  private let lock = WriterLock()
  private let askers = (0..<6).map { _ in Asker() }
  private var dice: SeededGenerator
  private var holder: Int?
  private var queue: [Int] = []
  private var isClosed = false
  private let hasClosed = Box(false)
  private var failure: String?

  init(_ seed: UInt64) { dice = SeededGenerator(seed: seed) }

  private var idle: [Int] { askers.indices.filter { $0 != holder && !queue.contains($0) } }

  private func ask(_ asker: Int, timeout: UInt64 = 60_000_000_000) {
    let (lock, outcome, isCancelled) = (lock, askers[asker].outcome, askers[asker].isCancelled)
    outcome.change { $0 = nil }
    askers[asker].worker.start {
      var result = "taken"
      do throws(WriterLock.Refusal) {
        try lock.acquire(timeout: timeout) { isCancelled.value }
      } catch {
        result = "\(error)"
      }
      outcome.change { $0 = result }
    }
  }

  /// Waits for the outcome of an asker's call.
  private func expect(_ asker: Int, _ expected: String) {
    let outcome = askers[asker].outcome
    if waitsBriefly(for: { outcome.value != nil }), outcome.value == expected { return }
    failure = failure ?? "thread \(asker) gets \(outcome.value ?? "nothing"), and not \(expected)"
  }

  private func release() {
    guard let before = holder else { return }
    let lock = lock
    holder = nil
    if askers[before].worker.run({ lock.release() }) == nil { failure = "release() does not return" }
    while let first = queue.first {
      queue.removeFirst()
      if askers[first].isCancelled.value {
        expect(first, "cancelled")
        askers[first].isCancelled.change { $0 = false }
      } else {
        expect(first, "taken")
        holder = first
        return
      }
    }
    if isClosed, !waitsBriefly(for: { hasClosed.value }) { failure = "close() does not return" }
  }

  /// Takes a random step, and returns what it was.
  func step() -> String {
    switch dice.below(16) {
    // More ask than release, so that several wait.
    case 0, 1, 2, 3, 12, 13:
      guard let asker = idle.randomElement(using: &dice) else { return "nothing" }
      ask(asker)
      if isClosed {
        expect(asker, "closed")
      } else if holder == nil {
        expect(asker, "taken")
        holder = asker
      } else {
        queue.append(asker)
      }
      return "thread \(asker) asks"
    case 4:
      guard let asker = idle.randomElement(using: &dice), holder != nil, !isClosed else { return "nothing" }
      ask(asker, timeout: 3_000_000)
      expect(asker, "timedOut")
      return "thread \(asker) asks with a short timeout"
    case 5:
      guard let asker = idle.randomElement(using: &dice), holder != nil, !isClosed else { return "nothing" }
      askers[asker].isCancelled.change { $0 = true }
      ask(asker)
      expect(asker, "cancelled")
      askers[asker].isCancelled.change { $0 = false }
      return "thread \(asker) is cancelled before it asks"
    case 6:
      guard let holder else { return "nothing" }
      ask(holder)
      expect(holder, "reentrant")
      return "the holder asks"
    case 7:
      guard let asker = idle.randomElement(using: &dice) else { return "nothing" }
      let lock = lock
      let isFree = holder == nil && !isClosed
      if askers[asker].worker.run({ lock.tryAcquire() }) != isFree { failure = "tryAcquire() is not \(isFree)" }
      if isFree { holder = asker }
      return "thread \(asker) tries"
    case 8:
      guard let asker = queue.randomElement(using: &dice) else { return "nothing" }
      askers[asker].isCancelled.change { $0 = true }
      lock.nudge()
      expect(asker, "cancelled")
      queue.removeAll { $0 == asker }
      askers[asker].isCancelled.change { $0 = false }
      return "thread \(asker) is cancelled"
    case 9:
      // The first waiters see that they are cancelled only when it is their turn, and must pass it on.
      for asker in queue.prefix(1 + dice.below(2)) { askers[asker].isCancelled.change { $0 = true } }
      release()
      return "the first waiters are cancelled, and the holder releases"
    case 10:
      lock.nudge()
      return "nudged"
    case 11 where dice.once(in: 6) && !isClosed:
      isClosed = true
      let (lock, hasClosed) = (lock, hasClosed)
      Worker().start {
        lock.close()
        hasClosed.change { $0 = true }
      }
      for asker in queue { expect(asker, "closed") }
      queue = []
      if holder == nil, !waitsBriefly(for: { hasClosed.value }) { failure = "close() does not return" }
      if !waitsBriefly(for: { lock.isClosed }) { failure = "the lock does not close" }
      return "closed"
    default:
      release()
      return "released"
    }
  }

  /// What is wrong; nil if nothing is.
  func problem() -> String? {
    if let failure { return failure }
    let (lock, count) = (lock, queue.count)
    if !waitsBriefly(for: { lock.waiterCount == count }) { return "\(lock.waiterCount) wait, and not \(count)" }
    if let broken = lock.firstBrokenInvariant() { return broken }
    for asker in queue where askers[asker].outcome.value != nil { return "thread \(asker) does not wait" }
    if (lock.heldSince != nil) != (holder != nil) { return "heldSince is \(String(describing: lock.heldSince))" }
    var isCalled = false
    lock.whileHeld { isCalled = true }
    if isCalled != (holder != nil) { return "whileHeld runs its body: \(isCalled)" }
    if lock.isClosed != isClosed || hasClosed.value != (isClosed && holder == nil) { return "closing is another" }
    let asker = dice.below(askers.count)
    if queue.contains(asker) { return nil }
    let isHolder = askers[asker].worker.run { lock.isHeldByCurrentThread }
    return isHolder == (holder == asker) ? nil : "thread \(asker) holds the lock: \(String(describing: isHolder))"
  }

  /// Ends what goes on, and returns what is wrong.
  func end() -> String? {
    while holder != nil, failure == nil { release() }
    return problem()
  }
}
