import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct ExhaustiveTests {
  /// Every way to put `rows`, in this order, into sections with these ids.
  private func placements(_ rows: [Row], in ids: [String]) -> [Snapshot<Row>] {
    if ids.isEmpty { return rows.isEmpty ? [Snapshot()] : [] }
    func split(_ rest: ArraySlice<Row>, into ids: ArraySlice<String>) -> [[Section<Row>]] {
      guard let id = ids.first else { return rest.isEmpty ? [[]] : [] }
      if ids.count == 1 { return [[Section(id: .text(id), name: id, items: rest)]] }
      return (0...rest.count).flatMap { count in
        let section = Section(id: .text(id), name: id, items: rest.prefix(count))
        return split(rest.dropFirst(count), into: ids.dropFirst()).map { [section] + $0 }
      }
    }
    return split(rows[...], into: ids[...]).map { Snapshot($0) }
  }

  private func arrangements<Value>(_ values: [Value]) -> [[Value]] {
    [[]]
      + values.indices.flatMap { index in
        var rest = values
        let value = rest.remove(at: index)
        return arrangements(rest).map { [value] + $0 }
      }
  }

  /// Every pair of lists with a given number of sections and rows, up to renaming: the old list's rows and sections are
  /// numbered in their order. In the new one, odd rows have changed.
  @Test func `every pair of small lists keeps the laws`() {
    let size = Seeds.soak != nil ? 4 : 2
    let names = ["A", "B", "C"]
    let olds = (0...names.count).flatMap { sections in
      (0...size).flatMap { rows in placements((0..<rows).map { Row($0) }, in: Array(names.prefix(sections))) }
    }
    let news = arrangements(names).flatMap { ids in
      arrangements(Array(0..<size)).flatMap { rows in placements(rows.map { Row($0, $0 % 2) }, in: ids) }
    }
    var pairs = 0
    for old in olds {
      for new in news {
        pairs += 1
        let update = Update(old: old, new: new)
        if update.changes.isEmpty {
          #expect(old == new)
          continue
        }
        let violations = Laws.replay(update) + Laws.frugal(update) + Laws.acceptable(update)
        if violations.isEmpty { continue }
        Issue.record("\(old.text) to \(new.text): \(update.changes): \(violations)")
        return
      }
    }
    #expect(pairs > 1000)
  }

  @Test func `every order of one section is reached with the fewest moves`() {
    let old = Snapshot([Section("A", Array(0..<5))])
    for order in arrangements(Array(0..<5)) {
      let update = Update(old: old, new: Snapshot([Section("A", order)]))
      // The longest ascent by trying all subsets.
      let longest = (0..<1 << order.count).map { subset -> Int in
        let chosen = order.indices.filter { subset & 1 << $0 != 0 }.map { order[$0] }
        return zip(chosen, chosen.dropFirst()).allSatisfy(<) ? chosen.count : 0
      }.max()
      #expect(update.changes.movedItems.count == order.count - (longest ?? 0), "\(order)")
      #expect(Laws.replay(update) == [], "\(order)")
    }
  }
}
