import DataSourcesTestSupport
import TestSupport
import Testing

@testable import FetchedResults

/// The order of slots is what an array would be.
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
    #expect(order.slots(0..<array.count) == array, "SEED=\(seed)")
    #expect(array.indices.allSatisfy { order[$0] == array[$0] }, "SEED=\(seed)")
    #expect(array.indices.allSatisfy { order.place(of: array[$0]) == $0 }, "SEED=\(seed)")
    let middle = array.count / 3..<array.count / 2
    #expect(order.slots(middle) == Array(array[middle]), "SEED=\(seed)")
  }

  @Test(arguments: [0, 1, 95, 96, 97, 10_000, 40_000]) func itIsWhatAnArrayWouldBe(_ count: Int) {
    for seed in UInt64(1)...4 {
      let order = SlotOrder()
      order.reset(count: count)
      compare(order, (0..<UInt32(count)).map { $0 }, edits: 4000, growth: 50, seed: seed)
      compare(order, order.slots(0..<order.count), edits: 0, growth: 100, seed: seed)
    }
  }

  @Test func itGrowsFromNothingAndShrinksToNothing() {
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

  @Test func aPlaceIsFoundByWhatStandsBeforeIt() {
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
