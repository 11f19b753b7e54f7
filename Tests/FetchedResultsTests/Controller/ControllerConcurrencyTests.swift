import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// All at once: for the thread sanitizer, and for what only shows when threads meet.
@Suite(.timeLimit(.minutes(10))) struct ControllerConcurrencyTests {
  @Test(arguments: [true, false]) func `concurrent writes, reads and requests lead to the right lists`(
    isFile: Bool
  ) async throws {
    let database = try TodoWorld.database(isFile: isFile)
    let requests = ControllerManyTests.requests
    let controllers = requests.prefix(3).map { FetchedResultsController(fetchRequest: $0, database: database) }
    let readers = controllers.map { Recorder($0.updates()) }
    let delegates = controllers.map { _ in DelegateRecorder<Todo>() }
    let told = SharedValue(0)
    let observations = controllers.map { $0.observeOnAnyThread { update in told.change { $0 += update.new.count } } }
    for (controller, delegate) in zip(controllers, delegates) {
      controller.delegate = delegate
      try await controller.performFetch()
    }
    let starts = controllers.map { _ in Snapshot<Todo>() }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for step in 0..<50 {
            let id = writer * 1000 + step % 17 + 10
            try await database.write { c in
              switch step % 4 {
              case 0:
                try c.execute("INSERT OR REPLACE INTO item VALUES (\(id), \(step % 3), \("T\(step % 5)"), \(step), 0)")
              case 1: try c.execute("UPDATE item SET done = NOT done, title = title || 'x' WHERE id % 7 = \(step % 7)")
              case 2:
                try c.execute("UPDATE list SET position = \(step), name = \("L\(step % 3)") WHERE id = \(step % 2 + 1)")
              default: try c.execute("DELETE FROM item WHERE id = \(id - 2)")
              }
            }
          }
        }
      }
      for reader in 0..<4 {
        group.addTask {
          for step in 0..<50 {
            let controller = controllers[(reader + step) % 3]
            switch (reader + step) % 5 {
            case 0: controller.fetchRequest = requests[(step + reader) % requests.count]
            case 1: try await controller.performFetch()
            case 2:
              // Another request may make what a commit did an error for a moment; these make none.
              try await controller.settled()
            case 3:
              let stream = controller.updates()
              controller.fetchRequest.limit = step % 6 + 1
              for await update in stream.prefix(1) where update.new.numberOfItems > 10_000 { Issue.record("too many") }
            default:
              let snapshot = controller.snapshot
              for path in snapshot.paths where snapshot.path(of: snapshot[path].id) != path { Issue.record("\(path)") }
              _ = (controller.statistics, controller.sectionIndexTitles, controller.lastError == nil)
            }
          }
        }
      }
      // So that a reader that waits for a first update always gets one, even for a list of done items. It reuses the
      // same rows, because each step costs more the more rows there are, and there would be more rows the longer it
      // takes: under a sanitizer this went on for a quarter of an hour.
      let isDone = SharedValue(false)
      let heart = Task {
        var beat = 0
        while !isDone.value {
          beat += 1
          let number = beat
          for controller in controllers { controller.fetchRequest.limit = (controller.fetchRequest.limit ?? 0) % 6 + 1 }
          do {
            try await database.write { c in
              _ = try c.execute(
                "INSERT OR REPLACE INTO item(id, list, title, position, done) VALUES (\(9000 + number % 20), 1, 'beat', \(number), \(number % 2))"
              )
            }
          } catch let error as DatabaseError where error.code == .busy {
            // The machine may stand still. If there were no more beats, readers would wait for ever.
          }
          try await Task.sleep(for: .milliseconds(2))
        }
      }
      try await group.waitForAll()
      isDone.change { $0 = true }
      try await heart.value
    }

    for (number, controller) in controllers.enumerated() {
      try await controller.settled()
      #expect(controller.lastError == nil)
      let fresh = FetchedResultsController(fetchRequest: controller.fetchRequest, database: database)
      try fresh.fetchHere()
      #expect(controller.snapshot == fresh.snapshot, "controller \(number)")
      try await eventually("the reader is told") { readers[number].elements.last?.new == controller.snapshot }
      #expect(Laws.chain(readers[number].elements, from: starts[number]) == [])
      #expect(delegates[number].failures.isEmpty)
      for update in delegates[number].updates.suffix(50) { #expect(Laws.replay(update) == []) }
    }
    for observation in observations { observation.cancel() }
    #expect(told.value > 0)
  }

  @Test func `controllers come and go while others write`() async throws {
    let database = try TodoWorld.database()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for step in 0..<60 {
            try await database.write { c in
              _ = try c.execute("INSERT INTO item(list, title, position) VALUES (\(writer + 1), 'x', \(step))")
            }
          }
        }
      }
      for follower in 0..<4 {
        group.addTask {
          for step in 0..<15 {
            let controller = FetchedResultsController(
              fetchRequest: ControllerManyTests.requests[(follower + step) % 6], database: database)
            let recorder = Recorder(controller.updates())
            try await controller.performFetch()
            if step.isMultiple(of: 2) { try await controller.settled() }
            if step.isMultiple(of: 3) { controller.stop() }
            withExtendedLifetime(recorder) {}
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
