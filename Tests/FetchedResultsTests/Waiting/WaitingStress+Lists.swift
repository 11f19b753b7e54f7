import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import FixtureSupport
import Foundation
import TestSupport

extension StressWorld {
  static func request(_ dice: inout SeededGenerator) -> FetchRequest<Thing> {
    switch dice.below(5) {
    case 0: FetchRequest(orderBy: ["id"])
    // Only the connection that reads this has temporary objects then.
    case 3: FetchRequest(where: "(SELECT count(*) FROM sqlite_temp_schema) >= 0", orderBy: ["id"])
    case 1: FetchRequest(orderBy: ["title", .descending("id")])
    case 2: FetchRequest(where: "id > \(dice.below(20))", orderBy: ["id"], limit: 10)
    default: FetchRequest(where: "title IN (SELECT title FROM thing WHERE id < 20)", orderBy: [.descending("id")])
    }
  }

  func anyList(_ dice: inout SeededGenerator) -> List? {
    let all = lists.value
    return all.isEmpty ? nil : dice.pick(all)
  }

  func makeList(_ dice: inout SeededGenerator) {
    let list = List(fetchRequest: Self.request(&dice), database: database)
    let number = dice.below(6)
    let next = Self.request(&dice)
    let calls = SharedValue(0)
    let observation = list.observeOnAnyThread { [weak self, weak list] _ in
      guard let self, let list, !isEnding.value,
        calls.change({
          $0 += 1; return $0
        }) < 4
      else { return }
      switch number {
      case 0: lists.change { _ = $0.popLast() }
      case 1: list.fetchRequest = next
      case 2: usleep(30_000)
      case 3: _ = try? database.write { try $0.execute("INSERT INTO other VALUES (2)") }
      case 4: _ = try? list.performFetch()
      default: break
      }
    }
    kept.change { $0.append(observation) }
    // A list whose first fetch failed because the database was busy for too long follows nothing.
    do {
      try watchdog.watch("a first fetch", long) { try list.performFetch() }
      lists.change { $0.append(list) }
    } catch {
      look(at: error)
    }
  }

  func dropList(_ dice: inout SeededGenerator) {
    let number = dice.next()
    watchdog.watch("letting go of a list", Self.atOnce) {
      let list: List? = lists.change { all in
        all.count > 1 ? all.remove(at: Int(number % UInt64(all.count))) : nil
      }
      withExtendedLifetime(list) {}
    }
  }

  func ending(_ dice: inout SeededGenerator) {
    let list = FetchedResultsController<Ending>(fetchRequest: FetchRequest(orderBy: ["id"]), database: database)
    let calls = SharedValue(0)
    Ending.action.change {
      $0 = { [weak list] in
        if calls.change({
          $0 += 1; return $0
        }) < 5 {
          _ = try? list?.performFetch()
        }
      }
    }
    watchdog.watch("a list whose rows fetch it as they go", long) {
      _ = try? list.performFetch()
      write(insertion(&dice))
      list.fetchRequest = FetchRequest(orderBy: ["id"], limit: 1)
      _ = try? list.performFetch()
    }
    Ending.action.change { $0 = nil }
  }

  // MARK: Lists that are no longer needed, or that fetch each other

  /// A request whose fetch never ends, until another one is set or the list is released.
  func endlessRequest(_ dice: inout SeededGenerator) {
    let list = List(fetchRequest: Self.request(&dice), database: database)
    guard (try? list.performFetch()) != nil else { return }
    list.fetchRequest = FetchRequest(
      where: "EXISTS (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 1 FROM n WHERE x < 0)")
    usleep(UInt32(dice.pick(0, 1000, 30_000)))
    switch dice.below(3) {
    case 0: list.stop()
    case 1: break  // it goes
    default:
      list.fetchRequest = Self.request(&dice)
      asynchronously("settled after an endless request", calledOffAfter: nil, long) { _ in try await list.settled() }
    }
  }

  /// Two lists whose rows fetch each other's lists, on two threads.
  func fetchCrosswise(_ dice: inout SeededGenerator) {
    let lists = (0..<2).map { _ in
      FetchedResultsController<Crossing>(fetchRequest: FetchRequest(orderBy: ["id"], limit: 2), database: database)
    }
    let done = DispatchSemaphore(value: 0)
    for number in 0..<2 {
      Thread.detachNewThread {
        Crossing.others.change { $0[.current] = lists[1 - number] }
        try? lists[number].performFetch()
        Crossing.others.change { $0[.current] = nil }
        done.signal()
      }
    }
    watchdog.watch("lists whose rows have each other fetched", long) {
      for _ in 0..<2 { done.wait() }
    }
  }

  /// Closes a database during fetches. Afterwards no connection has its file open.
  func closeBesideFetches(_ dice: inout SeededGenerator) {
    guard let path = try? TemporaryFolder.make() + "/other-stress.db",
      let other = try? Database(path: path, options: options)
    else { return }
    _ = try? other.write { try $0.execute("CREATE TABLE thing(id INTEGER PRIMARY KEY, title)") }
    let pause = UInt32(dice.pick(0, 100, 1000, 5000))
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      Thread.detachNewThread {
        let list = List(fetchRequest: FetchRequest(orderBy: ["id"]), database: other)
        for _ in 0..<3 { try? list.performFetch() }
        list.fetchRequest = FetchRequest(orderBy: ["title"])
        done.signal()
      }
    }
    usleep(pause)
    watchdog.watch("a close beside fetches", long) { try? other.close() }
    watchdog.watch("fetches of a closed database", long) { for _ in 0..<3 { done.wait() } }
    usleep(2000)
    let open = Watchdog.openFiles.filter { $0.hasPrefix(path) }
    if !open.isEmpty { watchdog.fail("a closed database has its files open: \(open)") }
  }

  /// A request whose closures hold objects that use the list in their deinit.
  func closuresThatEnd(_ dice: inout SeededGenerator) {
    let list = SharedValue<List?>(nil)
    let token = Token { _ = list.value?.lastError }
    let request = FetchRequest<Thing>(
      sectionBy: .by("title", through: { _ in withExtendedLifetime(token) { .text("s") } }), orderBy: ["title"])
    list.change { $0 = List(fetchRequest: request, database: database) }
    watchdog.watch("another request than one whose closures use the list", long) {
      list.value?.fetchRequest = FetchRequest(orderBy: ["id"])
      if let list = list.value { try? list.performFetch() }
    }
    let last = list.take(leaving: nil)
    withExtendedLifetime(last) {}
  }

  private final class Token: Sendable {
    let action: @Sendable () -> Void
    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    deinit { action() }
  }
}

/// A row that fetches another list in its initializer, once on each thread.
private final class Crossing: Entity, Sendable {
  static let table = "thing"
  static let others = SharedValue<[ThreadID: FetchedResultsController<Crossing>]>([:])
  let id: Int64
  init(row: Row) throws {
    id = try row["id"]
    guard let other = Self.others.change({ $0.removeValue(forKey: .current) }) else { return }
    usleep(2000)
    try? other.performFetch()
  }
}
