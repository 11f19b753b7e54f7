import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import TestSupport
import Testing

/// Tests of the suite itself: for every rule, it finds a source that breaks the rule.
@Suite(.timeLimit(.minutes(10))) struct ConformanceFaultTests {
  /// A source with one fault.
  final class Faulty: DataSourceProtocol {
    enum Fault: CaseIterable, Sendable {
      case none, tellsTheList, tellsNothing, losesSome, tellsTwice, tellsEmpty, keepsAll, beginsLate, endsTogether
      case staysAlive, showsAnother, showsNothing, failsAloud, changesWhenFailing, wrongChanges, wrongOld
      case keepsNothing, ignoresCancelling, lags

      /// The rule that the suite reports for it.
      var rule: String? {
        switch self {
        case .none: nil
        case .tellsTheList: "the first update does not start at the call"
        case .tellsNothing: "a reader is not told the last change"
        case .losesSome: "the old list is not the last new one"
        case .tellsTwice: "more updates than changes"
        case .tellsEmpty: "an empty update is told"
        case .keepsAll: "more than one update waits for a reader"
        case .beginsLate: "the first update does not start at the call"
        case .keepsNothing: "a reader that stalled is told nothing"
        case .ignoresCancelling: "a reader that is cancelled does not end"
        case .endsTogether: "a reader ends with another"
        case .staysAlive: "a reader outlives its source"
        case .showsAnother: "the list is not the one it was changed to"
        case .showsNothing: "the list is not the one it was changed to"
        case .failsAloud: "what fails is told"
        case .changesWhenFailing: "what fails changes the list"
        case .lags: "a reader receives an update and finds an older list"
        case .wrongChanges: "the counts do not add up"
        case .wrongOld: "the old list is not the last new one"
        }
      }
    }

    let list: SectionController<Errand>
    let fault: Fault
    private let shown: Locked<Snapshot<Errand>>
    private let others = Locked<[AsyncStream<Update<Errand>>.Continuation]>([])
    private static let alive = Locked<[Faulty]>([])

    init(_ list: Snapshot<Errand>, _ fault: Fault) {
      self.list = SectionController(list)
      shown = Locked(list)
      self.fault = fault
      if fault == .staysAlive { Self.alive.withLock { $0.append(self) } }
    }

    var snapshot: Snapshot<Errand> {
      switch fault {
      case .showsNothing: Snapshot()
      case .lags: shown.withLock { $0 }
      default: list.snapshot
      }
    }
    func reload() async throws {}

    func change(_ new: Snapshot<Errand>) {
      if fault == .showsAnother, new.numberOfItems > 5 { return }
      let before = list.snapshot
      list.replace(with: new)
      shown.withLock { $0 = before }
    }

    func fail() {
      switch fault {
      case .changesWhenFailing: list.clear()
      case .failsAloud: tell(Update(old: list.snapshot, new: list.snapshot, changes: Changes()))
      default: break
      }
    }

    private func tell(_ update: Update<Errand>) {
      for continuation in others.withLock({ $0 }) { continuation.yield(update) }
    }

    func updates() -> AsyncStream<Update<Errand>> {
      let base = fault == .beginsLate ? nil : list.updates()
      let fault = fault
      let first = list.snapshot
      let list = fault == .beginsLate ? list : nil
      if fault == .none || fault == .staysAlive || fault == .showsAnother || fault == .changesWhenFailing
        || fault == .lags,
        let base
      {
        return base
      }
      if fault == .ignoresCancelling { return AsyncStream { await withUnsafeContinuation { _ in } } }
      return AsyncStream(bufferingPolicy: fault == .keepsNothing ? .bufferingNewest(0) : .unbounded) { continuation in
        others.withLock { $0.append(continuation) }
        let others = others
        if fault == .tellsTheList {
          continuation.yield(
            Update(old: Snapshot(), new: first))
        }
        let task = Task {
          var number = 0
          // Always late, whichever task runs first: not before the first change.
          while let list, list.snapshot == first, !Task.isCancelled { try? await Task.sleep(for: .microseconds(100)) }
          guard let updates = base ?? list?.updates() else { return }
          for await update in updates {
            number += 1
            switch fault {
            case .tellsNothing: continue
            case .losesSome where number == 3: continue
            case .tellsTwice: continuation.yield(update)
            case .tellsEmpty where number == 2:
              continuation.yield(Update(old: update.old, new: update.old, changes: Changes()))
            case .wrongChanges:
              continuation.yield(
                Update(
                  old: update.old, new: update.new,
                  changes: Changes(insertedItems: update.changes.insertedItems + [ItemPath(section: 0, item: 0)])))
              continue
            case .wrongOld:
              continuation.yield(Update(old: first, new: update.new))
              continue
            default: break
            }
            continuation.yield(update)
          }
          continuation.finish()
        }
        continuation.onTermination = { _ in
          task.cancel()
          if fault == .endsTogether { for other in others.withLock({ $0 }) { other.finish() } }
        }
      }
    }
  }

  @Test(arguments: Faulty.Fault.allCases) func `a fault is found`(fault: Faulty.Fault) async throws {
    let suite = DataSourceConformance(
      making: { Faulty($0, fault) },
      changing: { source, list in
        source.change(list)
        // Until a stream of its own has received it, one by one.
        try await Task.sleep(for: .milliseconds(2))
      },
      reading: { $0 },
      failing: { source in source.fail() },
      patience: .milliseconds(fault == .none ? 10_000 : 300))
    let rules = Set(try await suite.violations(seed: 2, steps: 12).map(\.rule))
    if let rule = fault.rule {
      #expect(rules.contains(rule), "\(rules)")
    } else {
      #expect(rules.isEmpty)
    }
  }

  @Test func `an item that changes inside a snapshot is found`() async throws {
    let reads = Locked(0)
    let suite = DataSourceConformance(
      making: { SectionController($0) },
      changing: { source, list in source.replace(with: list) },
      reading: { errand in
        let count = reads.withLock { count in
          count += 1
          return count
        }
        return count < 300 ? errand : Errand(id: errand.id, title: "another")
      },
      patience: .milliseconds(100))
    let rules = Set(try await suite.violations(seed: 2, steps: 6).map(\.rule))
    #expect(rules.contains("a snapshot changed"))
  }

  @Test func `the sample is errands and career`() {
    #expect(ErrandsAndCareer.list.map(\.name) == ["Errands", "Career"])
    #expect(ErrandsAndCareer.list.map(\.items.count) == [3, 2])
  }

  @Test(arguments: Seeds.range(20)) func `random lists keep to the requested shapes`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var list = ErrandsAndCareer.list
    var one = Snapshot([ErrandsAndCareer.list[0]])
    for _ in 0..<50 {
      list = ErrandsAndCareer.changed(list, within: [.anyNumberOfSections], using: &random)
      #expect(list.allSatisfy { !$0.items.isEmpty })
      #expect(Set(list.items.map(\.id)).count == list.numberOfItems)
      one = ErrandsAndCareer.changed(one, within: .emptySections, using: &random)
      #expect(one.map(\.name) == ["Errands"])
    }
  }
}
