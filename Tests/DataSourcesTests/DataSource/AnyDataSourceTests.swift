import DataSources
import Testing

@Suite(.timeLimit(.minutes(10))) struct AnyDataSourceTests {
  struct Offline: Error {}

  @Test func `it forwards everything`() async {
    let list = SectionController<String>()
    let any = AnyDataSource(list)
    var updates = any.updates().makeAsyncIterator()
    list.createSection(name: "Errands", items: ["Milk"])
    #expect(any.numberOfItems == 1)
    #expect(any.title(ofSection: 0) == "Errands")
    #expect(await updates.next()?.changes.insertedSections == [0])
    #expect(any.follow().snapshot.numberOfItems == 1)
  }

  @Test func `a view model holds nothing else`() {
    struct ViewModel {
      let items: AnyDataSource<String>
      var summary: String { "\(items.numberOfItems) items" }
    }
    #expect(ViewModel(items: AnyDataSource(SectionController(["a"]))).summary == "1 items")
    let provided = DataProvider<[String], String>.singleSection.dataSource(of: ["a", "b"])
    #expect(ViewModel(items: AnyDataSource(provided)).summary == "2 items")
  }

  @Test func `the wrapped type is hidden`() {
    let any = AnyDataSource(AnyDataSource(SectionController(["a"])))
    #expect(String(describing: any) == "AnyDataSource<String>(1 items in 1 sections)")
    var dumped = ""
    dump(any, to: &dumped)
    #expect(!dumped.contains("SectionController"))
  }

  @Test func `it is made of closures`() async throws {
    let list = SectionController([1])
    let source = AnyDataSource(
      snapshot: { list.snapshot }, updates: { list.updates() }, reload: { throw Offline() })
    var updates = source.follow().updates.makeAsyncIterator()
    list.append(2, toSection: 0)
    #expect(source.numberOfItems == 2)
    #expect(await updates.next()?.new.numberOfItems == 2)
    await #expect(throws: Offline.self) { try await source.reload() }
  }

  @Test func `a constant never changes`() async throws {
    let source = AnyDataSource(snapshot: { Snapshot([Section(id: 1, name: "One", items: [1, 2])]) })
    try await source.reload()
    #expect(source.numberOfItems(inSection: 0) == 2)
    #expect(await source.updates().reduce(0) { count, _ in count + 1 } == 0)
  }
}
