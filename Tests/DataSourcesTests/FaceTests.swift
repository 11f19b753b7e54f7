import DataSources
import Testing

/// Every declaration of the module that DESIGN.md fixes, used from outside as it is spelled there. The main test is
/// that this compiles; the checks are additional.
@Suite struct FaceTests {
  private struct Task: Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
  }

  private let list = Snapshot([
    Section(id: .text("errands"), name: "errands", items: [Task(id: 1, title: "Milk"), Task(id: 2, title: "Bread")]),
    Section(id: "career", name: "Career", indexTitle: "C", items: AnySequence([Task(id: 3, title: "Call Ann")])),
    Section(id: 3, name: "Later", indexTitle: nil, items: EmptyCollection()),
  ])

  private func random<Base: RandomAccessCollection>(_ base: Base) -> Base where Base.Index == Int { base }
  private func values<Value: Hashable & Comparable & Sendable>(_ value: Value) -> Value { value }
  private func hashable<Value: Hashable & Sendable>(_ value: Value) -> Value { value }
  private func identity<Value: Identifiable & Sendable>(_ value: Value) -> Value.ID { value.id }

  @Test func `item paths`() {
    var path: ItemPath = values(ItemPath(section: 1, item: 2))
    path.section = 0
    path.item += 1
    #expect(path == ItemPath(section: 0, item: 3) && path < ItemPath(section: 1, item: 0))
  }

  @Test func `section ids`() {
    let ids: [SectionID] = [
      .none, .integer(Int64(1)), .real(Double(1)), .text("a"), .blob([UInt8(1)]), 1, 1.5, "a", [1],
    ].map(hashable)
    #expect(Set(ids).count == 6)
  }

  @Test func sections() {
    let section: Section<Task> = list[0]
    let id: SectionID = identity(section)
    let name: String = section.name
    let indexTitle: String? = section.indexTitle
    #expect(id == "errands" && name == "errands" && indexTitle == "E")
    #expect(random(section.items).startIndex == 0 && section.items[1].title == "Bread")
    #expect(list.map(\.indexTitle) == ["E", "C", nil])
  }

  @Test func snapshots() {
    #expect(random(list).indices == 0..<3)
    let number: Int = list.numberOfItems
    let item: Task = list[ItemPath(section: 1, item: 0)]
    let none: Task? = list.item(at: ItemPath(section: 2, item: 0))
    let paths: [ItemPath] = list.paths.map { $0 }
    let path: ItemPath? = list.path(of: 3)
    let changes: Changes = list.changes(from: Snapshot())
    #expect(number == 3 && item.id == 3 && none == nil && path == ItemPath(section: 1, item: 0))
    #expect(paths.count == 3 && changes.insertedSections == [0, 1, 2])
    #expect(Snapshot(list.lazy.map { $0 }) == list)
  }

  @Test func changes() {
    var changes: Changes = hashable(Changes())
    changes.deletedSections = [Int]()
    changes.insertedSections = [Int]()
    changes.movedSections = [SectionMove(from: 0, to: 1)]
    changes.updatedSections = [SectionMove]()
    changes.deletedItems = [ItemPath]()
    changes.insertedItems = [ItemPath]()
    changes.movedItems = [ItemMove(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 1, item: 1))]
    changes.updatedItems = [ItemMove]()
    let stages: [Changes] = changes.batches()
    #expect(!changes.isEmpty && stages.count == 2)
    let (from, to): (Int, Int) = (changes.movedSections[0].from, changes.movedSections[0].to)
    let (oldPath, newPath): (ItemPath, ItemPath) = (changes.movedItems[0].from, changes.movedItems[0].to)
    #expect(from < to && oldPath < newPath)
  }

  @Test func updates() {
    let update = Update(old: Snapshot(), new: list, changes: list.changes(from: Snapshot()))
    let sendable: any Sendable = update
    let (old, new): (Snapshot<Task>, Snapshot<Task>) = (update.old, update.new)
    #expect(sendable is Update<Task> && old.isEmpty && new == list && !update.changes.isEmpty)
  }

  private struct Source: DataSourceProtocol {
    typealias Item = Task
    let base: SectionController<Task>
    var snapshot: Snapshot<Task> { base.snapshot }
    func updates() -> AsyncStream<Update<Task>> { base.updates() }
    func reload() async throws {}
  }

  /// Three members make a data source; the rest is free.
  @MainActor @Test func `data sources`() async throws {
    let source: some DataSourceProtocol<Task> = Source(base: SectionController(sections: Array(list)))
    let numberOfSections: Int = source.numberOfSections
    let numberOfItems: Int? = source.numberOfItems(inSection: 0)
    let item: Task? = source.item(at: ItemPath(section: 0, item: 1))
    let path: ItemPath? = source.path(of: 2)
    let title: String? = source.title(ofSection: 1)
    let stream: AsyncStream<Update<Task>> = source.updates()
    let observation = source.observe { (_: Update<Task>) in }
    try await source.reload()
    #expect(numberOfSections == 3 && numberOfItems == 2 && item?.id == 2 && path == ItemPath(section: 0, item: 1))
    #expect(title == "Career" && source.numberOfItems(inSection: -1) == nil && source.title(ofSection: 3) == nil)
    observation.cancel()
    withExtendedLifetime(stream) {}
    let any: AnyDataSource<Task> = AnyDataSource(source)
    let boxed: any DataSourceProtocol<Task> = any
    #expect(AnyDataSource(boxed).snapshot == list && boxed.snapshot == list)
  }

  private func edit(_ source: some EditableDataSource<Task>) {
    source.createSection(name: "Garden", items: [Task(id: 7, title: "Roses")])
    source.createSection(name: "House")
    source.append(Task(id: 8, title: "Lawn"), toSection: 0)
    source.insert(Task(id: 9, title: "Hedge"), at: ItemPath(section: 0, item: 0))
    source.update(Task(id: 9, title: "The hedge"), at: ItemPath(section: 0, item: 0))
    source.move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 1, item: 0))
    source.moveSection(from: 1, to: 0)
    source.remove(at: ItemPath(section: 1, item: 1))
    source.clear(section: 0)
    let result: Int = source.edit { draft in
      draft.append(Task(id: 10, title: "Pond"), toSection: 0)
      return draft.snapshot.numberOfItems
    }
    #expect(result == 2 && source.snapshot.map(\.name) == ["House", "Garden"])
    source.clear()
    #expect(source.numberOfSections == 0)
  }

  @Test func controllers() {
    let empty = SectionController<Task>()
    let flat = SectionController([Task(id: 1, title: "Milk")])
    let sectioned = SectionController(sections: [Section(id: 1, name: "One", items: [Task(id: 1, title: "Milk")])])
    #expect(empty.snapshot.isEmpty && flat.snapshot.map(\.id) == [.none] && sectioned.numberOfSections == 1)
    edit(empty)
    #expect(SectionController<Int>([]).numberOfItems(inSection: 0) == 0)
  }

  @Test func providers() async throws {
    let single = DataProvider<[Task], Task>.singleSection
    let multi: DataProvider<[[Task]], Task> = .multiSection
    let tasks = Array(list.items)
    #expect(single.numberOfSections(tasks) == 1 && multi.numberOfItems([tasks, []], 1) == 0)
    #expect(single.item(tasks, ItemPath(section: 0, item: 2)).id == 3)
    #expect(multi.path([[], tasks], tasks[1]) == ItemPath(section: 1, item: 1))
    let fetchable: Fetchable<[Task]> = .value(tasks)
    let slow = Fetchable<[Task]> { () async throws -> [Task] in tasks }
    #expect(try await fetchable.load() == slow.load())
  }
}
