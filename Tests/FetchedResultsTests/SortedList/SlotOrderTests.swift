import DataSourcesTestSupport
import FetchedResults
import TestSupport
import Testing

@testable import FetchedResultsCore

/// The order of slots answers as an array does.
@Suite struct SlotOrderTests {
  /// Goes through random edits beside an array, and looks at everything now and then.
  private func compare(_ order: SlotOrder, _ start: [UInt32], edits: Int, growth: Int, seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var array = start
    var free: [UInt32] = []
    var next = UInt32(start.count)
    for edit in 0..<edits {
      if array.isEmpty || dice.below(100) < growth {
        let slot = free.popLast() ?? next
        if slot == next { next += 1 }
        // Often at the same end, so that leaves split one after the other.
        let place = dice.below(10) < 3 ? array.count : dice.below(array.count + 1)
        array.insert(slot, at: place)
        order.insert(slot, at: place)
      } else {
        let place = dice.below(10) < 3 ? 0 : dice.below(array.count)
        free.append(array.remove(at: place))
        order.remove(at: place)
        #expect(order.place(of: free[free.count - 1]) == nil, "SEED=\(seed)")
      }
      guard edit % 97 == 0 || edit == edits - 1 else { continue }
      #expect(order.count == array.count, "SEED=\(seed)")
      guard !array.isEmpty else { continue }
      let place = dice.below(array.count)
      #expect(order[place] == array[place], "SEED=\(seed)")
      #expect(order.place(of: array[place]) == place, "SEED=\(seed)")
    }
    #expect(order.firstBrokenInvariant() == nil, "SEED=\(seed)")
    #expect(order.slots(0..<array.count) == array, "SEED=\(seed)")
    #expect(array.indices.allSatisfy { order[$0] == array[$0] }, "SEED=\(seed)")
    #expect(array.indices.allSatisfy { order.place(of: array[$0]) == $0 }, "SEED=\(seed)")
    let middle = array.count / 3..<array.count / 2
    #expect(order.slots(middle) == Array(array[middle]), "SEED=\(seed)")
  }

  @Test(arguments: [0, 1, 95, 96, 97, 10_000, 40_000])
  func `edits change the order as they change an array`(count: Int) {
    for seed in UInt64(1)...4 {
      let order = SlotOrder()
      order.reset(count: count)
      compare(order, (0..<UInt32(count)).map { $0 }, edits: 4000, growth: 50, seed: seed)
      compare(order, order.slots(0..<order.count), edits: 0, growth: 100, seed: seed)
    }
  }

  /// Edits come in runs that grow or shrink the order at one place, so that leaves and blocks split and merge.
  @Test func `the order stays intact while runs of edits split and merge its leaves and blocks`() {
    for seed in Seeds.range(12) { if isBrokenByRuns(seed) { return } }
  }

  /// Whether a seed breaks the order; it records what is broken.
  private func isBrokenByRuns(_ seed: UInt64) -> Bool {
    var dice = SeededGenerator(seed: seed)
    let order = SlotOrder()
    let start = dice.pick(0, 500, 9000, 12_288)
    order.reset(count: start)
    var array = (0..<UInt32(start)).map { $0 }
    var free: [UInt32] = []
    for run in 0..<12 {
      let place = dice.below(array.count + 1)
      let length = dice.pick(1, 40, 300, 2500)
      let kind = dice.below(3)
      for edit in 0..<length {
        if edit % 100 == 99, order.firstBrokenInvariant() != nil { break }
        // A run inserts or removes at one place, or does either anywhere.
        let isInsertion = kind == 2 ? dice.once(in: 2) : kind == 0
        let edited = kind == 2 ? dice.below(array.count + 1) : min(place, array.count)
        if isInsertion {
          let slot = free.popLast() ?? UInt32(array.count)
          order.insert(slot, at: edited)
          array.insert(slot, at: edited)
        } else if !array.isEmpty {
          order.remove(at: min(edited, array.count - 1))
          free.append(array.remove(at: min(edited, array.count - 1)))
        }
      }
      let broken = order.firstBrokenInvariant() ?? difference(order, array, free, &dice)
      #expect(broken == nil, "after run \(run), \(Seeds.hint(seed))")
      if broken != nil { return true }
    }
    return false
  }

  /// How the order answers differently than an array; nil if it doesn't.
  private func difference(
    _ order: SlotOrder, _ array: [UInt32], _ free: [UInt32], _ dice: inout SeededGenerator
  ) -> String? {
    if order.count != array.count || order.slots(0..<array.count) != array { return "the order is another" }
    if let slot = free.last, order.place(of: slot) != nil { return "removed slot \(slot) has a position" }
    guard !array.isEmpty else { return nil }
    var ranks = Array(repeating: 0, count: array.count + free.count)
    for (rank, slot) in array.enumerated() { ranks[Int(slot)] = rank }
    for _ in 0..<50 {
      let place = dice.below(array.count)
      if order[place] != array[place] { return "another slot is at \(place)" }
      if order.place(of: array[place]) != place { return "slot \(array[place]) is not at \(place)" }
      if order.partition({ ranks[Int($0)] < place }) != place { return "\(place) slots are not at the beginning" }
      let places = (0..<dice.below(5)).map { _ in dice.below(array.count + 1) }
      let found = order.partitions(places.count, prefetching: { _, _ in }, { ranks[Int($0)] < places[$1] })
      if found != places { return "several searches find \(found) and not \(places)" }
      let range = dice.below(place + 1)..<place
      if order.slots(range) != Array(array[range]) { return "the slots at \(range) are others" }
    }
    return nil
  }

  @Test func `an order grows from nothing and shrinks to nothing`() {
    let order = SlotOrder()
    var array: [UInt32] = []
    for slot in 0..<UInt32(40_000) {
      order.insert(slot, at: Int(slot) / 2)
      array.insert(slot, at: Int(slot) / 2)
    }
    #expect(order.slots(0..<order.count) == array)
    var dice = SeededGenerator(seed: 7)
    while !array.isEmpty {
      let place = dice.below(array.count)
      #expect(order[place] == array.remove(at: place))
      order.remove(at: place)
    }
    #expect(order.count == 0)
    order.insert(3, at: 0)
    #expect(order.slots(0..<1) == [3])
    #expect(order.place(of: 3) == 0)
    #expect(order.place(of: 4) == nil)
    #expect(order.place(of: 1_000_000) == nil)
  }

  @Test func `a position is found by what comes before it`() {
    let order = SlotOrder()
    #expect(order.partition { _ in true } == 0)
    for count in [1, 96, 97, 12_288, 12_289, 30_000] {
      order.reset(count: count)
      for place in [0, 1, 95, 96, 97, count / 2, count - 1, count] where place <= count {
        #expect(order.partition { $0 < UInt32(place) } == place)
      }
    }
  }
}
