import DataSourcesTestSupport
import TestSupport
import Testing

@testable import DataSources

/// The broadcast's state machine alone: no task, no lock, no time.
@Suite struct BroadcastStateTests {
  typealias State = BroadcastState<Int, String>

  static let lists = [[], [1], [1, 2], [1, 2, 3], []].map { Snapshot([Section(id: .none, name: "", items: $0)]) }

  static func update(_ from: Int, _ to: Int) -> Update<Int> { update(lists[from], lists[to]) }

  static func update(_ old: Snapshot<Int>, _ new: Snapshot<Int>) -> Update<Int> {
    Update(old: old, new: new, changes: AutomaticDifference.changes(from: old, to: new))
  }

  /// The reader that is woken, and the update it receives.
  static func told(_ action: State.Action?) -> String? {
    guard case .resume(let waiter, let pending)? = action else { return nil }
    guard let pending else { return "\(waiter) ended" }
    guard let update = pending.resolved(.comparing { AutomaticDifference.changes(from: $0, to: $1) }) else {
      return "\(waiter) nothing"
    }
    return "\(waiter) \(Array(update.old[0].items)) -> \(Array(update.new[0].items))"
  }

  var state = State(lists[0], keepsChanges: false)

  @Test mutating func `an empty change wakes nobody`() {
    let reader = state.join().reader
    let empty = Update(old: Self.lists[0], new: Self.lists[4], changes: Changes())
    #expect(state.publish(empty).isEmpty)
    #expect(Self.told(state.ask(reader, "a")) == nil)
    #expect(state.publish(empty).isEmpty)
    #expect(state.publish(Self.update(4, 1)).map(Self.told) == ["a [] -> [1]"])
  }

  @Test mutating func `updates that wait at the end are still delivered`() {
    let reader = state.join().reader
    _ = state.publish(Self.update(0, 1))
    #expect(state.finish().isEmpty)
    #expect(Self.told(state.ask(reader, "a")) == "a [] -> [1]")
    #expect(Self.told(state.ask(reader, "a")) == "a ended")
  }

  @Test mutating func `a reader that joins after the end ends at once`() {
    _ = state.finish()
    let late = state.join().reader
    #expect(Self.told(state.ask(late, "late")) == "late ended")
  }

  /// Any number of readers, coming, asking, stalling and leaving at random, each checked against a model of its own:
  /// the list that it saw last.
  @Test(arguments: Seeds.range(40)) func `every reader sees a chain, whatever the others do`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let merging: UpdateMerging<Int> =
      seed.isMultiple(of: 2) ? .composing : .comparing { AutomaticDifference.changes(from: $0, to: $1) }
    var state = BroadcastState<Int, Int>(Self.lists[0], keepsChanges: merging.keepsChanges)
    var seen: [Int: [Int]] = [:]
    var waiting: Set<Int> = []
    var nextNumber = 0

    func receive(_ action: BroadcastState<Int, Int>.Action) {
      guard case .resume(let reader, let pending) = action else { return }
      waiting.remove(reader)
      guard let pending else { return }
      let changes = pending.resolved(merging)?.changes ?? Changes()
      // Numbers are never repeated, so places alone must turn the old list into the new one.
      var rows = seen[reader] ?? []
      #expect(rows == Array(pending.old[0].items))
      for path in changes.deletedItems.reversed() { rows.remove(at: path.item) }
      for path in changes.insertedItems { rows.insert(pending.new[path], at: path.item) }
      #expect(rows == Array(pending.new[0].items))
      seen[reader] = rows
    }

    for _ in 0..<400 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        let (reader, snapshot) = state.join()
        seen[reader] = Array(snapshot[0].items)
      case 1:
        guard let reader = seen.keys.sorted().randomElement(using: &random) else { continue }
        _ = state.leave(reader)
        seen[reader] = nil
        waiting.remove(reader)
      case 2...4:
        guard let reader = seen.keys.sorted().randomElement(using: &random), !waiting.contains(reader) else { continue }
        waiting.insert(reader)
        if let action = state.ask(reader, reader) { receive(action) }
      default:
        var draft = Draft(state.snapshot)
        let count = draft.snapshot[0].items.count
        if count > 0, Bool.random(using: &random) {
          draft.remove(at: ItemPath(section: 0, item: Int.random(in: 0..<count, using: &random)))
        } else {
          nextNumber += 1
          draft.insert(nextNumber, at: ItemPath(section: 0, item: Int.random(in: 0...count, using: &random)))
        }
        if let update = draft.update { state.publish(update).forEach(receive) }
      }
    }
    #expect(state.numberOfReaders == seen.count)
    for reader in seen.keys where !waiting.contains(reader) {
      if let action = state.ask(reader, reader) { receive(action) }
    }
    let last = Array(state.snapshot[0].items)
    #expect(seen.values.allSatisfy { $0 == last })
  }
}
