import DataSources
import Testing

@Suite struct DataProviderTests {
  let path = { ItemPath(section: $0, item: $1) }

  @Test func `an array is one section`() {
    let provider = DataProvider<[String], String>.singleSection
    let store = ["Milk", "Bread"]
    #expect(provider.numberOfSections(store) == 1)
    #expect(provider.numberOfItems(store, 0) == 2)
    #expect(provider.item(store, path(0, 1)) == "Bread")
    #expect(provider.path(store, "Bread") == path(0, 1))
    #expect(provider.path(store, "Eggs") == nil)
    #expect(provider.numberOfItems([], 0) == 0)
  }

  @Test func `an array of arrays is a section each`() {
    let provider = DataProvider<[[String]], String>.multiSection
    let store = [["Milk", "Bread"], [], ["Call Ann"]]
    #expect(provider.numberOfSections(store) == 3)
    #expect((0..<3).map { provider.numberOfItems(store, $0) } == [2, 0, 1])
    #expect(provider.item(store, path(2, 0)) == "Call Ann")
    #expect(provider.path(store, "Call Ann") == path(2, 0))
    #expect(provider.path(store, "Eggs") == nil)
    #expect(provider.numberOfSections([]) == 0)
  }

  /// The law of round trips, for every path of every small store.
  @Test func `the item at a path leads back to the path`() {
    let provider = DataProvider<[[Row]], Row>.multiSection
    for shape in [[3], [0, 2], [2, 0, 1], []] {
      var id = 0
      let store = shape.map { count in
        (0..<count).map { _ in
          id += 1
          return Row(id)
        }
      }
      for (section, rows) in store.enumerated() {
        for item in rows.indices {
          #expect(provider.path(store, provider.item(store, path(section, item))) == path(section, item))
        }
      }
    }
  }

  @Test func `an item is found by its id also when it changed`() {
    let provider = DataProvider<[Row], Row>.singleSection
    #expect(provider.path([Row(1), Row(2)], Row(2, 5)) == path(0, 1))
  }

  @Test func `an item that can't be compared is not found`() {
    struct Opaque: Sendable {}
    #expect(DataProvider<[Opaque], Opaque>.singleSection.path([Opaque()], Opaque()) == nil)
  }

  @Test func `any store will do`() {
    struct RowStorage { var name: String, books: [String] }
    let provider = DataProvider<[RowStorage], String>(
      numberOfSections: { $0.count },
      numberOfItems: { $0[$1].books.count },
      item: { $0[$1.section].books[$1.item] },
      path: { shelves, book in
        for (section, shelf) in shelves.enumerated() {
          if let item = shelf.books.firstIndex(of: book) { return ItemPath(section: section, item: item) }
        }
        return nil
      })
    let shelves = [RowStorage(name: "Old", books: ["Emma"]), RowStorage(name: "New", books: ["Solar", "Wool"])]
    let snapshot = provider.snapshot(of: shelves) { shelves, section in shelves[section].name }
    #expect(snapshot.map(\.name) == ["Old", "New"])
    #expect(snapshot.map(\.id) == [0, 1])
    #expect(snapshot[path(1, 1)] == "Wool")
  }
}
