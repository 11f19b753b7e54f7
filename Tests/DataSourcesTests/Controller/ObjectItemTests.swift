import DataSources
import Testing

/// Objects as items: their earlier state is lost when they change, so a change counts if it is made through the list.
@Suite struct ObjectItemTests {
  final class Task: Identifiable, Equatable, @unchecked Sendable {  // because tests use it on one thread
    let id: Int
    var title: String
    init(_ id: Int, _ title: String = "") { (self.id, self.title) = (id, title) }
    static func == (lhs: Task, rhs: Task) -> Bool { lhs.id == rhs.id && lhs.title == rhs.title }
  }

  private let path = ItemPath(section: 0, item: 1)

  @Test func `an object that is changed in place is an update`() async {
    let list = SectionController([Task(1), Task(2)])
    var updates = list.updates().makeAsyncIterator()
    list.update(at: path) { $0.title = "other" }
    #expect(await updates.next()?.changes == Changes(updatedItems: [ItemMove(from: path, to: path)]))
  }

  @Test func `an object that changes during an edit is an update`() async {
    let list = SectionController([Task(1), Task(2)])
    var updates = list.updates().makeAsyncIterator()
    list.edit { draft in
      draft.append(Task(3), toSection: 0)
      draft.update(at: path) { $0.title = "other" }
    }
    let changes = await updates.next()?.changes
    #expect(changes?.updatedItems == [ItemMove(from: path, to: path)])
    #expect(changes?.insertedItems == [ItemPath(section: 0, item: 2)])
  }

  class Animal: Identifiable, @unchecked Sendable {  // because nobody changes it
    let id: Int
    init(_ id: Int) { self.id = id }
  }
  final class Dog: Animal, @unchecked Sendable {}
  final class Cat: Animal, @unchecked Sendable {}

  @Test func `an object of another subclass with the same id is an update`() async {
    let list = SectionController<Animal>([Dog(1), Dog(2)])
    var updates = list.updates().makeAsyncIterator()
    list.update(Cat(2), at: path)
    #expect(await updates.next()?.changes == Changes(updatedItems: [ItemMove(from: path, to: path)]))
    list.update(Cat(3), at: path)
    #expect(await updates.next()?.changes == Changes(deletedItems: [path], insertedItems: [path]))
  }

  @Test func `a slow reader receives the change of an object`() async {
    let list = SectionController([Task(1), Task(2)])
    var updates = list.updates().makeAsyncIterator()
    list.update(at: path) { $0.title = "other" }
    list.append(Task(3), toSection: 0)
    #expect(await updates.next()?.changes.updatedItems == [ItemMove(from: path, to: path)])
  }

  @Test func `replacing an object with an equal one changes nothing`() async {
    let list = SectionController([Task(1), Task(2)])
    var updates = list.updates().makeAsyncIterator()
    list.update(Task(2), at: path)
    list.update(Task(2, "other"), at: path)
    list.append(Task(3), toSection: 0)
    let changes = await updates.next()?.changes
    #expect(changes?.updatedItems.count == 1 && changes?.insertedItems.count == 1)
  }
}
