import DataSourcesTestSupport
import FetchedResults
import TestSupport
import Testing

/// Every pair of small lists, up to renaming of rows and sections: the old list's are in their order.
@Suite struct DelegateExhaustiveTests {
  @Test func `every pair of lists of three sections is reported in a form a table accepts`() {
    // In the new list, odd rows have changed.
    let rows = Seeds.soak != nil ? 3 : 2
    let olds = lists(of: ["A", "B", "C"], rows: rows)
    let news = arrangements(["A", "B", "C"]).flatMap { ids in
      arrangements((0..<rows).map { Card($0, $0 % 2) }).flatMap { placements($0, in: ids) }
    }
    #expect(tryPairs(of: olds, and: news) > 1000)
  }

  @Test func `every pair of smaller lists is reported whichever sections are renamed`() {
    for (sections, rows) in Seeds.soak != nil ? [(2, 3), (3, 2)] : [(2, 2)] {
      let ids = Array(["A", "B", "C"].prefix(sections))
      let names = arrangements(ids).flatMap { ids in
        ids.reduce([[]]) { begun, id in begun.flatMap { [$0 + [id], $0 + ["\(id)=Other"]] } }
      }
      let news = names.flatMap { names in
        arrangements((0..<rows).map { Card($0, $0 % 2) }).flatMap { placements($0, in: names) }
      }
      #expect(tryPairs(of: lists(of: ids, rows: rows), and: news) > 300)
    }
  }

  @Test func `every order of five rows is reported in a form a table accepts`() {
    let old = placements((0..<5).map { Card($0) }, in: ["A"])
    #expect(tryPairs(of: old, and: arrangements((0..<5).map { Card($0) }).flatMap { placements($0, in: ["A"]) }) == 326)
  }

  /// The number of pairs that were tried.
  private func tryPairs(of olds: [Snapshot<Card>], and news: [Snapshot<Card>]) -> Int {
    var pairs = 0
    for old in olds {
      for new in news {
        pairs += 1
        let update = Update(old: old, new: new)
        let events = update.delegateEvents()
        let violations = TableSimulator.violations(of: events, in: update)
        if violations.isEmpty { continue }
        Issue.record("\(old.text) to \(new.text): \(events.map(\.text)): \(violations)")
        return pairs
      }
    }
    return pairs
  }

  /// All lists of the first few of some sections with a maximum number of rows, in order.
  private func lists(of ids: [String], rows: Int) -> [Snapshot<Card>] {
    (0...ids.count).flatMap { sections in
      (0...rows).flatMap { placements((0..<$0).map { Card($0) }, in: Array(ids.prefix(sections))) }
    }
  }

  /// Every way to put rows, in this order, into sections with these ids or `id=name`.
  private func placements(_ rows: [Card], in ids: [String]) -> [Snapshot<Card>] {
    func split(_ rest: ArraySlice<Card>, into ids: ArraySlice<String>) -> [[Section<Card>]] {
      guard let text = ids.first else { return rest.isEmpty ? [[]] : [] }
      let titles = text.split(separator: "=").map(String.init)
      return (0...rest.count).flatMap { count in
        let section = Section(id: .text(titles[0]), name: titles[titles.count - 1], items: rest.prefix(count))
        return split(rest.dropFirst(count), into: ids.dropFirst()).map { [section] + $0 }
      }
    }
    return split(rows[...], into: ids[...]).map { Snapshot($0) }
  }

  /// Every order of every choice of some values.
  private func arrangements<Value>(_ values: [Value]) -> [[Value]] {
    [[]]
      + values.indices.flatMap { index in
        var rest = values
        let value = rest.remove(at: index)
        return arrangements(rest).map { [value] + $0 }
      }
  }
}
