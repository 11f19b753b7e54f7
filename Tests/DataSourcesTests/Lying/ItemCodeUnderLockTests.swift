import DataSources
import FetchedResultsSupport
import Testing

/// No lock of the lists is held while an item's own code runs.
@Suite(.timeLimit(.minutes(10))) struct ItemCodeUnderLockTests {
  /// An item whose id does something first.
  final class Asking: Identifiable, @unchecked Sendable {  // because what it does is set before it is shared
    let number: Int
    let action: Locked<(@Sendable () -> Void)?> = Locked(nil)

    init(_ number: Int) { self.number = number }

    var id: Int {
      action.withLock { $0 }?()
      return number
    }
  }

  private func list(_ count: Int) -> (items: [Asking], list: Snapshot<Asking>) {
    let items = (0..<count).map { Asking($0) }
    return (items, Snapshot([Section(id: 0, name: "", items: items)]))
  }

  @Test func `an id may search for a path once`() {
    let (items, list) = list(100)
    let answers = Locked<[ItemPath?]>([])
    items[50].action.withLock {
      $0 = {
        let isFirst = answers.withLock { answers in
          defer { answers.append(nil) }
          return answers.isEmpty
        }
        guard isFirst else { return }
        let path = list.path(of: 7)
        answers.withLock { $0.append(path) }
      }
    }
    #expect(list.path(of: 70) == ItemPath(section: 0, item: 70))
    #expect(answers.withLock { $0 }.contains(ItemPath(section: 0, item: 7)))
  }

  @Test func `items that guard their ids with a lock don't wait for each other`() async {
    let (items, list) = list(2_000)
    let guardOfIDs = Locked(0)  // no Void: the thread sanitizer takes it for the whole object
    for item in items { item.action.withLock { $0 = { guardOfIDs.withLock { _ in } } } }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<2 {
        group.addTask {
          var version = list
          for step in 0..<60 {
            version.move(from: ItemPath(section: 0, item: step), to: ItemPath(section: 0, item: 1_999 - step))
            if worker == 0 {
              _ = version.path(of: step)
            } else {
              // The thread that holds the items' lock searches for a path: its own ids don't wait.
              _ = version.path(of: 1_999 - step)
            }
          }
        }
      }
      for _ in 0..<200 {
        group.addTask { guardOfIDs.withLock { _ in _ = list.count } }
      }
    }
  }

  @Test func `a thread that holds the items' lock finds a path while another waits for that lock`() async {
    let (items, list) = list(1_000)
    let owner = Locked<Bool>(false)
    // The id of one item waits until the other thread has had its answer: as an item's own lock would have it wait.
    let other = Locked<Bool>(false)
    items[500].action.withLock {
      $0 = {
        let isFirst = owner.withLock { owner in
          defer { owner = true }
          return !owner
        }
        guard isFirst else { return }
        var turns = 0
        while !other.withLock({ $0 }), turns < 20_000_000 { turns += 1 }
      }
    }
    async let first = Task.detached { list.path(of: 10) }.value
    while !owner.withLock({ $0 }) { await Task.yield() }
    let answer = await Task.detached {
      defer { other.withLock { $0 = true } }
      return list.path(of: 20)
    }.value
    #expect(answer == ItemPath(section: 0, item: 20))
    #expect(await first == ItemPath(section: 0, item: 10))
  }
}
