import FetchedResults
import FixtureSupport
import Foundation
import Testing

/// Observers and delegates may do anything when they are called.
@Suite(.timeLimit(.minutes(10))) struct ControllerCallbackTests {
  enum Caller: CaseIterable, Sendable {
    case closure, delegate, willChange
  }

  /// Calls a closure at the chosen call of the delegate.
  private final class CallingDelegate: FetchedResultsControllerDelegate {
    typealias E = Todo
    let isAtBegin: Bool
    let call: @Sendable () -> Void

    init(isAtBegin: Bool, _ call: @escaping @Sendable () -> Void) {
      self.isAtBegin = isAtBegin
      self.call = call
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Todo>) { if isAtBegin { call() } }
    func controller(_: FetchedResultsController<Todo>, didChangeContentWith update: Update<Todo>) {
      if !isAtBegin { call() }
    }
  }

  /// A controller and its callbacks, as long as the box lives.
  private final class World: Sendable {
    let database: Database
    let controller: SharedValue<FetchedResultsController<Todo>?>
    let observation = SharedValue<ObservationToken?>(nil)
    let delegate = SharedValue<CallingDelegate?>(nil)
    let calls = SharedValue(0)
    let failure = SharedValue<(any Error)?>(nil)

    init(_ caller: Caller, isFile: Bool, _ action: @escaping @Sendable (World, Int) throws -> Void) throws {
      let (database, controller) = try TodoWorld.following(isFile: isFile)
      self.database = database
      self.controller = SharedValue(controller)
      let call: @Sendable () -> Void = { [weak self] in
        guard let self else { return }
        let number = calls.change { number in
          number += 1
          return number
        }
        do { try action(self, number) } catch { failure.change { $0 = error } }
      }
      switch caller {
      case .closure:
        let observing = controller.observeOnAnyThread { _ in call() }
        observation.change { $0 = observing }
      case .delegate, .willChange:
        let telling = CallingDelegate(isAtBegin: caller == .willChange, call)
        delegate.change { $0 = telling }
        controller.delegate = telling
      }
    }
  }

  private func follow(
    _ caller: Caller, isFile: Bool = true, _ action: @escaping @Sendable (World, Int) throws -> Void
  ) async throws -> World {
    let world = try World(caller, isFile: isFile, action)
    let database = world.database
    try await onThread("the write returns") { try database.run("UPDATE item SET title = 'Apples' WHERE id = 1") }
    return world
  }

  private func settled(_ world: World) async throws {
    try await world.controller.value?.settled()
    #expect(world.failure.value == nil)
  }

  @Test(arguments: Caller.allCases, [true, false])
  func `a callback may write to the database`(_ caller: Caller, isFile: Bool) async throws {
    let world = try await follow(caller, isFile: isFile) { world, number in
      if number == 1 { try world.database.run("INSERT INTO item VALUES (9, 1, 'Pears', 3, 0)") }
    }
    try await eventually("what it wrote is told") { world.calls.value == 2 }
    try await settled(world)
    #expect(
      world.controller.value?.snapshot.titles == [
        "Apples", "Multiple Selections", "Pears", "Post Office", "Presentation",
      ])
  }

  @Test(arguments: Caller.allCases) func `a callback may read the database and the list`(_ caller: Caller) async throws
  {
    let seen = SharedValue<[Int]>([])
    let world = try await follow(caller) { world, _ in
      let count: Int? = try world.database.read { try $0.value("SELECT count(*) FROM item") }
      let shown = world.controller.value?.snapshot.numberOfItems
      seen.change { $0 += [count ?? 0, shown ?? 0] }
    }
    try await eventually("it is called") { world.calls.value == 1 }
    try await settled(world)
    #expect(seen.value == [4, 4])
  }

  @Test(arguments: Caller.allCases) func `a callback may set another request`(_ caller: Caller) async throws {
    let world = try await follow(caller) { world, number in
      if number == 1 { world.controller.value?.fetchRequest = TodoWorld.sectioned }
    }
    try await eventually("the other request is told") { world.calls.value == 2 }
    try await settled(world)
    #expect(world.controller.value?.snapshot.map(\.name) == ["Career", "Errands"])
  }

  @Test(arguments: Caller.allCases) func `a callback may fetch`(_ caller: Caller) async throws {
    let world = try await follow(caller) { world, number in
      guard number == 1 else { return }
      world.controller.value?.fetchRequest = TodoWorld.sectioned
      try world.controller.value?.fetchHere()
      try world.controller.value?.fetchHere()
    }
    try await eventually("the list is the other one") { world.controller.value?.snapshot.count == 2 }
    try await settled(world)
    try world.database.run("DELETE FROM item WHERE id = 1")
    try await settled(world)
    #expect(world.controller.value?.snapshot.numberOfItems == 3)
  }

  @Test(arguments: Caller.allCases) func `a callback may stop the controller`(_ caller: Caller) async throws {
    let world = try await follow(caller) { world, _ in world.controller.value?.stop() }
    try await eventually("it is called") { world.calls.value == 1 }
    try await settled(world)
    try world.database.run("DELETE FROM item")
    try await settled(world)
    #expect(world.controller.value?.snapshot.numberOfItems == 4)
    #expect(world.calls.value == 1)
  }

  @Test(arguments: Caller.allCases) func `a callback may release the controller`(_ caller: Caller) async throws {
    let world = try await follow(caller) { world, _ in _ = world.controller.take(leaving: nil) }
    try await eventually("it is called") { world.calls.value == 1 }
    try world.database.run("DELETE FROM item")
    let database = world.database
    // A later controller is not delayed by the released one.
    let other = FetchedResultsController(fetchRequest: TodoWorld.open, database: database)
    try await onThread("another one fetches") { try other.fetchHere() }
    try await other.settled()
    #expect(other.snapshot.numberOfItems == 0)
    #expect(world.calls.value == 1)
    #expect(world.failure.value == nil)
  }

  @Test(arguments: Caller.allCases) func `an observer may end its own observation`(_ caller: Caller) async throws {
    let world = try await follow(caller) { world, _ in
      world.observation.value?.cancel()
      _ = world.observation.take(leaving: nil)
      world.controller.value?.delegate = nil
      _ = world.delegate.take(leaving: nil)
    }
    try await eventually("it is called") { world.calls.value == 1 }
    try world.database.run("DELETE FROM item WHERE id = 1")
    try await settled(world)
    #expect(world.calls.value == 1)
    #expect(world.controller.value?.snapshot.numberOfItems == 3)
  }

  @Test func `observers may join and leave while others are called`() async throws {
    let (database, controller) = try TodoWorld.following()
    let told = SharedValue<[String]>([])
    let kept = SharedValue<[ObservationToken]>([])
    let second = SharedValue<ObservationToken?>(nil)
    let first = controller.observeOnAnyThread { [weak controller] _ in
      told.change { $0.append("first") }
      second.value?.cancel()
      guard let controller, kept.value.isEmpty else { return }
      let third = controller.observeOnAnyThread { _ in told.change { $0.append("third") } }
      kept.change { $0.append(third) }
    }
    let observation = controller.observeOnAnyThread { _ in told.change { $0.append("second") } }
    second.change { $0 = observation }
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    // An observer that is cancelled before its turn is not called any more; one that is added meanwhile receives the
    // next update.
    #expect(told.value == ["first"])
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    #expect(told.value == ["first", "first", "third"])
    withExtendedLifetime(first) {}
  }

  @Test func `an observation ends when it is released`() async throws {
    let (database, controller) = try TodoWorld.following()
    let calls = SharedValue(0)
    var observation: ObservationToken? = controller.observeOnAnyThread { _ in calls.change { $0 += 1 } }
    try database.run("DELETE FROM item WHERE id = 1")
    try await controller.settled()
    #expect(calls.value == 1)
    withExtendedLifetime(observation) {}
    observation = nil
    try database.run("DELETE FROM item WHERE id = 2")
    try await controller.settled()
    #expect(calls.value == 1)
  }

  @Test func `updates reach an observer one at a time and in order, whatever it does`() async throws {
    let (database, controller) = try TodoWorld.following()
    let told = SharedValue<[Update<Todo>]>([])
    let inside = SharedValue(0)
    let observation = controller.observeOnAnyThread { update in
      let others = inside.change { count in
        count += 1
        return count
      }
      #expect(others == 1)
      told.change { $0.append(update) }
      if update.new.numberOfItems < 12 {
        do { try database.run("INSERT INTO item(list, title, position) VALUES (1, 'x', 1)") } catch {
          Issue.record(error)
        }
      }
      inside.change { $0 -= 1 }
    }
    try database.run("INSERT INTO item(list, title, position) VALUES (1, 'x', 1)")
    try await eventually("the list has grown") { controller.snapshot.numberOfItems == 12 }
    try await controller.settled()
    let updates = told.value
    for (update, next) in zip(updates, updates.dropFirst()) { #expect(update.new == next.old) }
    #expect(updates.last?.new == controller.snapshot)
    observation.cancel()
  }
}
