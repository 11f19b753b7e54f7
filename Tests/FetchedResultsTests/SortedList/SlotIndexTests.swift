import DataSourcesTestSupport
import FetchedResults
import SQLiteStore
import TestSupport
import Testing

@testable import FetchedResultsCore

/// The index of slots finds what a dictionary finds.
@Suite struct SlotIndexTests {
  /// Keys that begin their search in few places, in many, or are not numbers.
  enum Kind: CaseIterable { case dense, spread, extreme, values }

  private static func key(_ kind: Kind, _ dice: inout SeededGenerator) -> RowKey {
    switch kind {
    case .dense: return .number(Int64(dice.below(300)))
    case .spread: return .number(Int64(dice.below(60)) &* 0x1000_0001)
    case .extreme: return .number(dice.pick(.min, .max, 0, -1) &+ Int64(dice.below(40)))
    case .values:
      return .values([
        dice.pick(.text("a"), .text("A"), .blob([97]), .null), dice.pick(.integer(1), .real(1)),
        .integer(Int64(dice.below(30))),
      ])
    }
  }

  @Test(arguments: Kind.allCases) func `edits change the index as they change a dictionary`(kind: Kind) throws {
    for seed in Seeds.range(40) { if try !isIntact(kind, seed) { return } }
  }

  private func isIntact(_ kind: Kind, _ seed: UInt64) throws -> Bool {
    var dice = SeededGenerator(seed: seed)
    var model: [RowKey: UInt32] = [:]
    var keys = RowKeys()
    for _ in 0..<dice.pick(0, 0, 1, 8, 9, 200) {
      let key = Self.key(kind, &dice)
      guard model[key] == nil else { continue }
      model[key] = UInt32(model.count)
      switch key {
      case .number(let number): keys.numbers.append(number)
      case .values(let values): keys.values.append(values)
      }
    }
    var index = try SlotIndex(keys, count: model.count)
    var next = UInt32(model.count)
    var free: [UInt32] = []
    var live = (0..<next).map { index.key($0) }
    let growth = dice.pick(30, 50, 70)
    for step in 0..<600 {
      let key = Self.key(kind, &dice)
      let found = index.slot(of: key)
      var broken = found == model[key] ? nil : "\(key) has slot \(String(describing: found))"
      if dice.below(100) < growth, found == nil {
        let slot = free.popLast() ?? next
        if slot == next { next += 1 }
        index.insert(key, at: slot)
        model[key] = slot
        live.append(key)
        if index.key(slot) != key { broken = "slot \(slot) of \(key) has the key \(index.key(slot))" }
      } else if !live.isEmpty {
        let victim = live.remove(at: dice.below(live.count))
        index.remove(victim)
        if let slot = model.removeValue(forKey: victim) { free.append(slot) }
      }
      broken = broken ?? index.firstBrokenInvariant()
      if index.indexedCount != model.count { broken = "\(index.indexedCount) of \(model.count) keys are indexed" }
      #expect(broken == nil, "after step \(step), \(Seeds.hint(seed))")
      if broken != nil { return false }
    }
    let areFound = model.allSatisfy { index.slot(of: $0) == $1 && index.key($1) == $0 }
    #expect(areFound, "\(Seeds.hint(seed))")
    return areFound
  }

  @Test(arguments: [2, 3, 17, 500]) func `a key that occurs twice is refused with its second slot`(count: Int) throws {
    for seed in Seeds.range(10) {
      var dice = SeededGenerator(seed: seed)
      let second = 1 + dice.below(count - 1)
      let first = dice.below(second)
      var numbers = (0..<Int64(count)).map { $0 * 7 }
      numbers[second] = numbers[first]
      for isNumbered in [true, false] {
        var keys = RowKeys()
        if isNumbered { keys.numbers += numbers } else { keys.values += numbers.map { [.integer($0)] } }
        let error = #expect(throws: SlotIndex.Repeated.self, "\(Seeds.hint(seed))") {
          _ = try SlotIndex(keys, count: count)
        }
        #expect(error?.slot == second, "\(Seeds.hint(seed))")
      }
    }
  }

  @Test func `a table in which keys are added and removed stays small and keeps a free place`() throws {
    var index = try SlotIndex(RowKeys(), count: 0)
    for number in 0..<20_000 as Range<Int64> {
      index.insert(.number(number), at: UInt32(number % 10))
      if number >= 9 { index.remove(.number(number - 9)) }
      if number.isMultiple(of: 500) { #expect(index.firstBrokenInvariant() == nil, "after \(number)") }
    }
    #expect(index.places.count <= 64 && index.indexedCount == 9)
  }
}
