import DataSourcesTestSupport
import FetchedResults
import TestSupport
import Testing

@testable import FetchedResultsCore

/// The index of partners finds what a search through all slots finds.
@Suite struct PartnerIndexTests {
  private static func slots(_ index: PartnerIndex, _ key: RowKey) -> [UInt32] {
    var slots: [UInt32] = []
    index.forEachSlot(of: key) { slots.append($0) }
    return slots.sorted()
  }

  @Test func `edits change the index as they change an array of keys`() {
    for seed in Seeds.range(60) { if !isIntact(seed) { return } }
  }

  private func isIntact(_ seed: UInt64) -> Bool {
    var dice = SeededGenerator(seed: seed)
    // Few keys, so that many slots share one.
    let keys: [RowKey] =
      (0..<Int64(dice.pick(1, 3, 20))).map { .number($0) } + [.values([.text("a")]), .values([.text("A"), .null])]
    var model = (0..<dice.pick(0, 1, 5, 100)).map { _ in dice.maybe(keys) }
    var index = PartnerIndex(ContiguousArray(model))
    for step in 0..<500 {
      let slot = dice.below(min(model.count, 120) + 1)
      let key = dice.maybe(keys)
      index.set(UInt32(slot), key)
      if slot == model.count { model.append(key) } else { model[slot] = key }
      var broken = index.firstBrokenInvariant()
      for key in keys where broken == nil {
        let expected = model.indices.filter { model[$0] == key }.map { UInt32($0) }
        let found = Self.slots(index, key)
        if found != expected { broken = "\(key) has the slots \(found), and not \(expected)" }
      }
      #expect(broken == nil, "after step \(step), \(Seeds.hint(seed))")
      if broken != nil { return false }
    }
    return true
  }
}
