import FetchedResults
import FixtureSupport
import Foundation
import Testing
import TodoCore

/// A list keeps what it has while its database can't be read, says why, and comes right by itself.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RecoveryTests {
  @Test(arguments: [Database.Options.Journal.wal, .delete])
  func `lists keep their last good state and recover with one update`(journal: Database.Options.Journal) async throws {
    for fault in [Fault.inputOutput, .short] {
      let files = try FaultyFiles()
      let path = try TemporaryFolder.make() + "/todo.db"
      let store = try TodoStore.open(DatabaseLocation(path: path), files.options(journal))
      try await Self.add("Milk", to: store)
      let follow = Follow(try store.controller(ListQuery(.list)))
      try follow.fetch()
      try await follow.settle()
      // Other connections than the writer's can't read any more.
      files.arm(
        fault, at: 1, lasting: .max, of: [.read, .lock, .sharedMemory], suffix: "todo.db", readersOnly: true)
      for title in ["Rent", "Shoes", "Bread"] { try await Self.add(title, to: store) }
      await #expect { try await follow.settle() } throws: { error in
        (error as? DatabaseError).map { $0.code == .ioError || $0.code == .cantOpen } ?? false
      }
      #expect(follow.itemCount == 1)
      #expect(follow.updateCount == 0)
      #expect(follow.lastError is DatabaseError)
      // The delegate is called after the waiters.
      while follow.errors.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      #expect(follow.errors.count == 1, "\(follow.errors)")
      files.disarm()
      try await follow.settle()
      #expect(follow.itemCount == 4)
      #expect(follow.updateCount == 1)
      try follow.check(against: store.database)
      try store.close()
    }
  }

  @Test func `a first start that is cut off anywhere leaves what the next one opens`() throws {
    for nth in 1...90 {
      let files = try FaultyFiles()
      let path = try TemporaryFolder.make() + "/todo.db"
      // Nothing can be tidied up either, as when the program is killed.
      files.arm(.inputOutput, at: Int64(nth), lasting: .max)
      _ = try? TodoStore.open(DatabaseLocation(path: path), files.options(.wal))
      do {
        try TodoStore.openToRead(DatabaseLocation(path: path))?.close()
        try TodoStore.open(DatabaseLocation(path: path)).close()
      } catch {
        Issue.record("cut off at call \(nth): \(error)")
      }
      _ = try RawDatabase.whole(path)
    }
  }

  private static func add(_ title: String, to store: TodoStore) async throws {
    _ = try store.add(ItemDraft(title: title))
  }
}
