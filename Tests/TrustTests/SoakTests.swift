import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import TestSupport
import Testing
import TodoCore

/// Mixed work in one process for as long as SOAK_MINUTES says, or a moment: what it takes up stays the same.
@Suite(.serialized, .timeLimit(.minutes(600))) struct SoakTests {
  private static let minutes = ProcessInfo.processInfo.environment["SOAK_MINUTES"].flatMap { Double($0) }
  /// A part of the time in which everything grows to its size.
  private static let warmUp = 0.4

  /// One database of the to-do program, and what is done with it over and over.
  private struct Work {
    let folder: String
    let store: TodoStore
    let foreign: RawDatabase
    let kept: [Follow<Item>]
    var chance = SeededGenerator(seed: UInt64.random(in: 1...1_000_000))

    init() throws {
      folder = try TemporaryFolder.make()
      let store = try TodoStore.open(DatabaseLocation(path: folder + "/soak.db"))
      self.store = store
      for number in 1...50 {
        _ = try store.add(ItemDraft(title: "Item \(number)", list: "List \(number % 4)", tags: ["tag \(number % 3)"]))
      }
      try store.database.recordHistory(of: ["item", "list", "item_tag"])
      foreign = try RawDatabase(path: folder + "/soak.db")
      let views: [ItemView] = [.list, .due, .priority]
      kept = try views.map { Follow(try store.controller(ListQuery($0)), keepsUpdates: false) }
      for follow in kept { try follow.fetch() }
    }

    /// Does a little of everything. The number of items stays as it is.
    mutating func round(_ number: Int) async throws {
      let added = try store.add(ItemDraft(title: "New \(number)", list: "List \(number % 4)", tags: ["tag"]))
      _ = try store.done(Selection(added.items[0].id))
      _ = try store.undo()
      _ = try store.remove(Selection(added.items[0].id))
      try foreign.execute("UPDATE item SET title = 'Foreign \(number)' WHERE id = (SELECT min(id) FROM item)")
      try await swap(number)
      if number % 10 == 0 {
        try store.backup(to: folder + "/copy.db")
        try FileManager.default.removeItem(atPath: folder + "/copy.db")
      }
      if number % 10 == 5 { try importAndRemove(number) }
      if number % 20 == 0 {
        // The log of changes grows by design; so that memory does not follow it, it is cut.
        try await store.database.write {
          try $0.execute("DELETE FROM change WHERE id < (SELECT max(id) FROM change) - 50")
        }
        try await store.database.checkpoint()
        for follow in kept {
          try await follow.settle()
          try follow.check(against: store.database)
        }
      }
    }

    /// A controller that is created, changes its request, has readers that read, stall or leave, and is released.
    private mutating func swap(_ number: Int) async throws {
      let controller = try store.controller(ListQuery(.list))
      try await controller.performFetch()
      let stalled = controller.updates()
      let reading = Task { for await _ in controller.updates() {} }
      let observation = controller.observeOnAnyThread { _ in }
      controller.fetchRequest = ListQuery(.priority, limit: chance.below(40) + 1).request()
      try await controller.settled()
      try foreign.execute("UPDATE item SET notes = json_array('n\(number)') WHERE id % 7 = \(number % 7)")
      controller.fetchRequest = ListQuery(.list, limit: 10).request()
      try await controller.settled()
      observation.cancel()
      reading.cancel()
      withExtendedLifetime(stalled) {}
    }

    private func importAndRemove(_ number: Int) throws {
      var batch = ImportBatch()
      for part in 0..<30 { batch.items.append(ImportedItem(title: "Imported \(number) \(part)")) }
      _ = try store.importItems(batch)
      _ = try store.undo()
    }
  }

  @Test func `mixed work uses no more memory at the end than after a while`() async throws {
    if Self.minutes == nil { print("soak: some seconds of it; SOAK_MINUTES=60 says how long") }
    let clock = ContinuousClock()
    let duration = Duration.seconds((Self.minutes ?? 0.05) * 60)
    var work = try Work()
    let start = clock.now
    var rounds = 0
    var warm: (memory: Int?, files: Int)?
    repeat {
      rounds += 1
      try await work.round(rounds)
      // After a round in which everything has been put in order, so that like is compared with like.
      if rounds % 20 == 0, warm == nil, clock.now - start > duration * Self.warmUp {
        warm = (Resources.residentKilobytes, Resources.openFiles)
      }
    } while clock.now - start < duration || rounds % 20 != 0 || warm == nil || rounds < 40
    let before = try #require(warm)
    // Readers close a moment after their holders.
    if Trials.isAlone { try await Self.eventually { Resources.openFiles <= before.files } }
    if Trials.isAlone, let memory = before.memory, let now = Resources.residentKilobytes {
      // However long it has run: a tenth, and the noise of the allocator.
      #expect(now < memory + memory / 10 + 24_576, "\(now - memory) KB more after \(rounds) rounds")
      Trials.report("trust.soak_growth_kb", max(0, now - memory))
    }
    Trials.report("trust.soak_rounds", rounds)
    try work.store.close()
  }

  private static func eventually(_ condition: () -> Bool) async throws {
    for _ in 0..<3000 {
      if condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("\(Resources.openFiles) files are open")
  }
}
