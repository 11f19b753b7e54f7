import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct PathOfIDTests {
  private func long() -> Snapshot<Row> {
    Snapshot(
      (0..<5).map { s in Section(id: .integer(Int64(s)), name: "", items: (0..<400).map { Row(s * 1000 + $0) }) })
  }

  /// The first path of each id, by walking.
  private func paths(_ list: Snapshot<Row>) -> [Int: ItemPath] {
    Dictionary(list.paths.map { (list[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `every row is found after every edit in every version`() {
    for seed in Seeds.range(6) {
      var random = SeededGenerator(seed: seed)
      var nextID = 100_000
      var list = long()
      var versions: [(list: Snapshot<Row>, paths: [Int: ItemPath])] = []
      for _ in 0..<12 {
        for _ in 0...random.below(20) { random.edit(&list, nextID: &nextID) }
        versions.append((list, paths(list)))
        // Back and forth between the versions, as readers of different ages ask.
        for version in versions.shuffled(using: &random).prefix(4) {
          for (id, path) in version.paths where random.once(in: 40) {
            #expect(version.list.path(of: id) == path, "\(Seeds.hint(seed))")
          }
        }
        for id in [-1, 5_000_000] { #expect(list.path(of: id) == nil) }
      }
      #expect(versions.allSatisfy { Laws.roundTrip($0.list) == [] }, "\(Seeds.hint(seed))")
    }
  }

  @Test func `the first of several rows with one id is found, also after a deletion`() {
    var list = long()
    list.insert(Row(3_200), at: ItemPath(section: 1, item: 50))
    list.insert(Row(3_200), at: ItemPath(section: 1, item: 51))
    #expect(list.path(of: 3_200) == ItemPath(section: 1, item: 50))
    let twice = list
    list.remove(at: ItemPath(section: 1, item: 50))
    #expect(list.path(of: 3_200) == ItemPath(section: 1, item: 50))
    list.remove(at: ItemPath(section: 1, item: 50))
    #expect(list.path(of: 3_200) == ItemPath(section: 3, item: 200))
    #expect(twice.path(of: 3_200) == ItemPath(section: 1, item: 50))
    list.insert(Row(3_200), at: ItemPath(section: 0, item: 0))
    #expect(list.path(of: 3_200) == ItemPath(section: 0, item: 0))
    list.remove(at: ItemPath(section: 3, item: 200))
    #expect(list.path(of: 3_200) == ItemPath(section: 0, item: 0))
  }

  @Test func `sections that share their rows are distinguished`() {
    var list = long()
    let rows = list[4].items
    list.insertSection(Section(id: "all", name: "all", items: rows), at: 1)
    #expect(list.path(of: 4_100) == ItemPath(section: 1, item: 100))
    list.remove(at: ItemPath(section: 1, item: 0))
    #expect(list.path(of: 4_100) == ItemPath(section: 1, item: 99))
    #expect(list.path(of: 4_000) == ItemPath(section: 5, item: 0))
    list.removeSection(at: 1)
    #expect(list.path(of: 4_100) == ItemPath(section: 4, item: 100))
    #expect(Laws.roundTrip(list) == [])
  }
}
