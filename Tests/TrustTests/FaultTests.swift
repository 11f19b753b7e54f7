import FetchedResults
import FixtureSupport
import Foundation
import Testing
import TodoCore

/// The file system fails at every point of a session in turn, and nothing is lost.
@Suite(.serialized, .timeLimit(.minutes(360))) struct FaultTests {
  typealias Journal = Database.Options.Journal

  /// The content of the database after each step of a session without faults, and the number of calls it makes.
  private struct Course {
    var contents: [[[String]]] = []
    var calls: [Fault: Int64] = [:]

    init(_ journal: Journal) async throws {
      for fault in Fault.allCases {
        let session = try Session(journal)
        session.files.count(fault.calls)
        for step in Session.steps {
          try step.run(session)
          if contents.count < Session.steps.count { contents.append(try session.content()) }
        }
        await session.waitForLists()
        calls[fault] = session.files.calls
        try await session.checkLists()
        try session.close()
      }
    }
  }

  /// How one call fails, and how many after it.
  private struct Point: CustomStringConvertible {
    var fault: Fault
    var nth: Int64
    var isLasting: Bool
    var description: String { "\(fault) at call \(nth)\(isLasting ? " and after" : "")" }
  }

  private static func points(_ course: Course, _ journal: Journal) -> [Point] {
    var all: [Point] = []
    for fault in Fault.allCases {
      for nth in 1...(course.calls[fault] ?? 1) {
        all.append(Point(fault: fault, nth: nth, isLasting: false))
        // A lock that stays with somebody else is waited for until the timeout, which is another test's business.
        if fault != .busy, fault != .torn { all.append(Point(fault: fault, nth: nth, isLasting: true)) }
      }
    }
    let wanted = min(all.count, Trials.rounds(sample: 6, short: 120, full: .max))
    return (0..<wanted).map { all[($0 * all.count / wanted + Trials.offset) % all.count] }
  }

  @Test(arguments: [Journal.wal, .delete]) func `no fault loses anything`(journal: Journal) async throws {
    let course = try await Course(journal)
    var tried = 0
    var wrong = 0
    let part = Trials.part
    for (number, point) in Self.points(course, journal).enumerated() where wrong < 5 && number % part.of == part.number
    {
      do {
        if try await Self.run(point, journal, course, looksClosely: number % 8 == 0) { tried += 1 }
        // All of them take an hour: what is done by then counts when somebody ends it.
        if tried == 500 {
          Trials.report("trust.fault_points", tried)
          tried = 0
        }
      } catch {
        wrong += 1
        Issue.record("\(journal), \(point): \(error)")
      }
    }
    Trials.report("trust.fault_points", tried)
  }

  /// Runs a session with a fault; false when the fault never came.
  private static func run(_ point: Point, _ journal: Journal, _ course: Course, looksClosely: Bool) async throws -> Bool
  {
    let session = try Session(journal)
    session.files.arm(
      point.fault, at: point.nth, lasting: point.isLasting ? .max : 1, seed: UInt64(point.nth))
    var errors: [any Error] = []
    for (number, step) in Session.steps.enumerated() {
      do {
        try step.run(session)
        continue
      } catch {
        try demand(session.files.fired > 0, "\(step.name) fails without a cause: \(error)")
        errors.append(error)
      }
      // The cause is gone. The step has happened completely or not at all, and can be done now.
      session.files.disarm()
      let before = number == 0 ? [] : course.contents[number - 1]
      let after = course.contents[number]
      let found = try session.content()
      try demand(found == before || found == after, "\(step.name) was done by half: \(difference(found, after))")
      if found == before {
        do { try step.run(session) } catch { throw Broken("\(step.name) fails again, without a cause: \(error)") }
      }
    }
    await session.waitForLists()
    session.files.disarm()
    let hasFired = session.files.fired > 0
    try await session.checkLists()
    errors += session.follows.flatMap(\.errors)
    for error in errors { try demand(namesCause(error, point.fault), "an error does not name its cause: \(error)") }
    if looksClosely {
      let unwell = try session.findings().filter { !$0.isWell && $0.subject != "permissions" }
      try demand(unwell.isEmpty, "\(unwell)")
    }
    try session.close()
    let content = try session.content()
    try demand(content == course.contents.last, "at the end: \(difference(content, course.contents.last ?? []))")
    _ = try RawDatabase.whole(session.backup)
    let names = try FileManager.default.contentsOfDirectory(atPath: session.folder)
    let rest = names.filter { $0.contains(".partial-") || $0.contains(".new-") }
    try demand(rest.isEmpty, "left behind: \(rest)")
    return hasFired
  }

  private static func difference(_ found: [[String]], _ expected: [[String]]) -> String {
    let more = Set(found).subtracting(expected)
    let less = Set(expected).subtracting(found)
    return "\(found.count) rows for \(expected.count), too many \(more.prefix(3)), missing \(less.prefix(3))"
  }

  private static func namesCause(_ error: any Error, _ fault: Fault) -> Bool {
    switch error {
    case let error as TodoError:
      switch error {
      case .inputOutput(let text): ["disk", "open", "written"].contains { text.contains($0) }
      case .busy: fault == .busy
      default: false
      }
    case let error as DatabaseError:
      // To map shared memory is never busy, and fails.
      (fault == .busy ? [.busy, .ioError] : [.ioError, .full, .cantOpen]).contains(error.code)
    default: false
    }
  }
}
