import CFetchedResultsSQLite
import FixtureSupport
import Foundation
import SQLiteStore
import Testing

/// Nothing waits for ever: each of these hung, spun or delayed somebody once.
///
/// The limits on time are many times what is needed, and a fraction of what was seen.
@Suite(.timeLimit(.minutes(10))) struct WaitingTests {
  private static func make(
    _ scratch: Scratch, _ change: (inout Database.Options) -> Void = { _ in }
  ) throws -> Database {
    let database = try scratch.database(options: .fast.with(change))
    try database.write { try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY, a)") }
    return database
  }

  /// Writes on this thread, also from a test that is asynchronous.
  private func writing<T>(_ database: Database, _ body: (Connection) throws -> T) throws {
    _ = try database.write(body)
  }
  private func reading<T>(_ database: Database, _ body: (Connection) throws -> T) throws -> T {
    try database.read(body)
  }
  private func count(_ database: Database) throws -> Int {
    try reading(database) { try $0.value("SELECT count(*) FROM t", as: Int.self) } ?? -1
  }

  /// Runs `body` on a thread of its own.
  private func thread(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }

  private func until(_ limit: Double = 20, _ condition: () -> Bool) async throws {
    let end = Date.now + limit
    while !condition() {
      if Date.now > end { throw TookTooLong() }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
  struct TookTooLong: Error {}

  private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let began = Date.now
    try await body()
    return Date.now.timeIntervalSince(began)
  }

  /// A query that takes some hours.
  static let endless: SQL =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n WHERE x < 0"

  // MARK: Observers

  @Test func `a slow observer keeps neither writers nor other observers waiting`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch)
    let isOver = Box(false)
    let quick = Box<[UInt64]>([])
    let told = Box<Set<Int64>>([])
    let slow = database.observe(["t"]) { commit in
      while !isOver.value { Thread.sleep(forTimeInterval: 0.001) }
      told.change { if case .rowIDs(let ids)? = commit.changes["t"] { $0.formUnion(ids) } }
    }
    let other = database.observe(["t"]) { commit in quick.change { $0.append(commit.sequence) } }
    for id in 1...3000 { try writing(database) { try $0.execute("INSERT INTO t(id) VALUES (\(id))") } }
    try await until { quick.value.last.map { $0 >= 3000 } ?? false }
    #expect(quick.value == quick.value.sorted())
    isOver.change { $0 = true }
    try database.catchUp()
    #expect(told.value == Set(1...3000))
    withExtendedLifetime((slow, other)) {}
  }

  @Test func `an observer that never returns blocks one thread, and catchUp reports it`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { $0.busyTimeout = .milliseconds(200) }
    let stuck = DispatchSemaphore(value: 0)
    let observation = database.observe(["t"]) { _ in stuck.wait() }
    try writing(database) { try $0.execute("INSERT INTO t(id) VALUES (1)") }
    let error = try databaseError { try database.catchUp() }
    #expect(error.code == .busy && error.message.contains("observer"))
    let count = Box(0)
    let other = database.observe(["t"]) { _ in count.change { $0 += 1 } }
    try writing(database) { try $0.execute("INSERT INTO t(id) VALUES (2)") }
    try await until { count.value == 1 }
    for _ in 0..<3 { stuck.signal() }
    withExtendedLifetime((observation, other)) {}
  }

  @Test func `catchUp does not wait for commits that an ended observer will not receive`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { $0.busyTimeout = .seconds(20) }
    let own = Box<ObservationToken?>(nil)
    let mayEnd = DispatchSemaphore(value: 0)
    let isCalled = Box(false)
    let observation = database.observe(["t"]) { _ in
      isCalled.change { $0 = true }
      mayEnd.wait()
      own.value?.cancel()
    }
    own.change { $0 = observation }
    try writing(database) { try $0.execute("INSERT INTO t(a) VALUES (1)") }
    try await until { isCalled.value }
    try writing(database) { try $0.execute("INSERT INTO t(a) VALUES (2)") }
    let failure = Box<(any Error)?>(nil)
    let isOver = Box(false)
    thread {
      do { try database.catchUp() } catch { failure.change { $0 = error } }
      isOver.change { $0 = true }
    }
    try await Task.sleep(for: .milliseconds(200))
    mayEnd.signal()
    try await until(30) { isOver.value }
    #expect(failure.value == nil)
  }

  @Test func `a writer delivers a limited number of others' commits`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch)
    let observation = database.observe(["t"]) { _ in usleep(1500) }
    let isOver = Box(false)
    thread {
      while !isOver.value { try? database.write { _ = try $0.execute("INSERT INTO t(a) VALUES (1)") } }
    }
    var longest = 0.0
    for _ in 0..<50 {
      let began = Date.now
      try writing(database) { try $0.execute("UPDATE t SET a = 2 WHERE id = 1") }
      longest = max(longest, Date.now.timeIntervalSince(began))
    }
    isOver.change { $0 = true }
    #expect(longest < 4)
    withExtendedLifetime(observation) {}
  }

  // MARK: Cancelling

  @Test func `a call that is cancelled in a queue ends at once`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { $0.maximumReaders = 2 }
    let isOver = Box(false)
    let busy = (0..<3).map { index in
      Task {
        if index < 2 {
          try await database.read { _ in while !isOver.value { usleep(500) } }
        } else {
          try await database.write { _ in while !isOver.value { usleep(500) } }
        }
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    let read = Task { try await database.read { try $0.value("SELECT 1", as: Int.self) } }
    let write = Task { _ = try await database.write { try $0.execute("INSERT INTO t(a) VALUES (1)") } }
    let vacuum = Task { try await database.vacuum() }
    try await Task.sleep(for: .milliseconds(50))
    let time = await seconds {
      read.cancel()
      write.cancel()
      vacuum.cancel()
      await #expect(throws: CancellationError.self) { _ = try await read.value }
      await #expect(throws: CancellationError.self) { try await write.value }
      await #expect(throws: CancellationError.self) { try await vacuum.value }
    }
    #expect(time < 2 && !isOver.value)
    isOver.change { $0 = true }
    for task in busy { try await task.value }
    #expect(try count(database) == 0)
  }

  @Test func `a cancellation between two statements is not lost`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch)
    for isWrite in [false, true] {
      let isThere = Box(false)
      let mayGoOn = Box(false)
      let body: @Sendable (Connection) throws -> Void = { c in
        isThere.change { $0 = true }
        while !mayGoOn.value { usleep(200) }
        _ = try c.value(Self.endless, as: Int.self)
      }
      let task = Task {
        if isWrite { try await database.write(body) } else { try await database.read(body) }
      }
      try await until { isThere.value }
      task.cancel()
      mayGoOn.change { $0 = true }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    // Also at random moments around the first step.
    for delay in 0..<40 {
      let task = Task { try await database.read { try $0.value(Self.endless, as: Int.self) } }
      try await Task.sleep(for: .microseconds(delay * 37))
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
  }

  @Test func `closing also interrupts a call that begins another statement`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch)
    let isThere = Box(0)
    for _ in 0..<2 {
      thread {
        try? database.read { c in
          isThere.change { $0 += 1 }
          for _ in 0..<50 { _ = try? c.value(Self.endless, as: Int.self) }
        }
      }
    }
    try await until { isThere.value == 2 }
    try database.close(interrupting: true)
  }

  /// The task that the writer's commit hook cancels.
  private static let committing = Box<Task<Void, any Error>?>(nil)

  @Test func `a write that is cancelled during its COMMIT says whether it was committed`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch)
    try writing(database) { c in
      try c.withUnsafeHandle { handle in
        _ = sqlite3_commit_hook(
          handle,
          { _ in
            WaitingTests.committing.value?.cancel()
            return 0
          }, nil)
      }
    }
    var differing = 0
    for number in 1...4000 {
      let mayBegin = DispatchSemaphore(value: 0)
      let task = Task.detached {
        mayBegin.wait()
        try await database.write { c in _ = try c.execute("INSERT INTO t(id) VALUES (\(number))") }
      }
      Self.committing.change { $0 = task }
      mayBegin.signal()
      let isReported = (try? await task.value) != nil
      let isStored =
        try reading(database) { try $0.value("SELECT count(*) FROM t WHERE id = \(number)", as: Int.self) } == 1
      if isReported != isStored { differing += 1 }
    }
    Self.committing.change { $0 = nil }
    #expect(differing == 0)
  }

  @Test func `closing cancels a backup between two of its steps`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch)
    try writing(database) { try $0.execute("INSERT INTO t(a) SELECT zeroblob(200000) FROM json_each('[1, 2, 3, 4]')") }
    let steps = Box(0)
    let error = #expect(throws: DatabaseError.self) {
      try database.backup(to: scratch.path("copy.db"), pagesPerStep: 1) { _, _ in
        steps.change { $0 += 1 }
        guard steps.value == 3 else { return }
        thread { try? database.close(interrupting: true) }
        while (try? database.write { _ in }) != nil { usleep(1000) }
      }
    }
    #expect(error?.code == .interrupt && error?.message.contains("is being closed") == true)
    #expect(steps.value == 3)
    #expect(try !scratch.files().contains { $0.contains("copy") })
  }

  // MARK: Waiting for each other

  @Test func `async writes behind a long one give up together`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { $0.busyTimeout = .milliseconds(500) }
    let isOver = Box(false)
    let holder = Task { try await database.write { _ in while !isOver.value { usleep(500) } } }
    try await Task.sleep(for: .milliseconds(50))
    let time = await seconds {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          group.addTask {
            let error = await #expect(throws: DatabaseError.self) {
              _ = try await database.write { try $0.execute("INSERT INTO t(a) VALUES (1)") }
            }
            #expect(error?.code == .busy)
          }
        }
      }
    }
    #expect(time < 2.5)
    isOver.change { $0 = true }
    try await holder.value
  }

  // MARK: Oneself

  @Test func `a checkpoint throws if it could not empty the log, and blocks no writer`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { $0.busyTimeout = .milliseconds(400) }
    try writing(database) { try $0.execute("INSERT INTO t(a) VALUES (1)") }
    let inside = try databaseError { try reading(database) { _ in try database.checkpoint() } }
    #expect(inside.code == .misuse && inside.message.contains("inside a read"))
    let isThere = Box(false)
    let isOver = Box(false)
    thread {
      try? database.read { c in
        _ = try c.value("SELECT count(*) FROM t", as: Int.self)
        isThere.change { $0 = true }
        while !isOver.value { usleep(500) }
      }
    }
    try await until { isThere.value }
    try writing(database) { try $0.execute("INSERT INTO t(a) VALUES (2)") }
    let writes = Box(0)
    thread {
      while !isOver.value {
        guard (try? database.write({ _ = try $0.execute("UPDATE t SET a = 3") })) != nil else { return }
        writes.change { $0 += 1 }
      }
    }
    let error = try databaseError { try database.checkpoint() }
    #expect(error.code == .busy && error.message.contains("log"))
    #expect(writes.value > 2)
    isOver.change { $0 = true }
    try await until { (try? database.checkpoint()) != nil }
  }

  @Test func `with a rollback journal, a call that would wait for itself is an error`() throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { options in
      options.journal = .delete
      options.pageCacheBytes = 5 * 4096
      options.busyTimeout = .seconds(20)
    }
    let inRead = try databaseError {
      try database.read { c in
        _ = try c.value("SELECT count(*) FROM t", as: Int.self)
        try writing(database) { try $0.execute("INSERT INTO t(a) VALUES (1)") }
      }
    }
    #expect(inRead.code == .misuse && inRead.message.contains("rollback journal"))
    try database.write { c in
      try c.execute("INSERT INTO t(a) VALUES (1)")
      // A small write is still in memory.
      #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 0)
      try c.execute(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000) INSERT INTO t(a) SELECT hex(zeroblob(200)) FROM n"
      )
      let inWrite = try databaseError { try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } }
      #expect(inWrite.code == .busy && inWrite.message.contains("outgrown"))
    }
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 3001)
  }

  @Test func `with a rollback journal, a first read inside a large write fails at once with the reason`()
    throws
  {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { options in
      options.journal = .delete
      options.pageCacheBytes = 5 * 4096
      options.busyTimeout = .seconds(20)
    }
    // No connection for reading has been opened yet.
    try database.write { c in
      try c.execute(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000) INSERT INTO t(a) SELECT hex(zeroblob(200)) FROM n"
      )
      let began = ContinuousClock.now
      let error = try databaseError { try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } }
      #expect(error.code == .busy && error.message.hasPrefix("read was called inside a write"), "\(error)")
      #expect(ContinuousClock.now - began < .seconds(10))
    }
    #expect(try database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 3000)
  }

  // MARK: Timeouts

  @Test func `catchUp waits for a slow observer as long as it makes progress`() throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { $0.busyTimeout = .milliseconds(400) }
    let told = Box(0)
    let observation = database.observe(["t"]) { _ in
      Thread.sleep(forTimeInterval: 0.05)
      told.change { $0 += 1 }
    }
    defer { observation.cancel() }
    for id in 1...30 { try writing(database) { try $0.execute("INSERT INTO t(id) VALUES (\(id))") } }
    try database.catchUp()
    #expect(told.value == 30)
  }

  @Test func `without a timeout, calls that follow one another are not refused`() async throws {
    let scratch = try Scratch()
    let database = try Self.make(scratch) { options in
      options.busyTimeout = .zero
      options.maximumReaders = 1
    }
    for id in 1...300 {
      _ = try await database.write { try $0.execute("INSERT INTO t(id) VALUES (\(id))") }
      #expect(try await database.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == id)
    }
    // Something that holds it is in the way all the same.
    let isOver = Box(false)
    let isHeld = Box(false)
    let holder = Task {
      try await database.write { _ in
        isHeld.change { $0 = true }
        while !isOver.value { Thread.sleep(forTimeInterval: 0.001) }
      }
    }
    try await until { isHeld.value }
    await #expect(throws: DatabaseError.self) { try await database.write { _ in } }
    isOver.change { $0 = true }
    try await holder.value
  }

  @Test(arguments: [true, false]) func `the error names the call that was made inside a read or write`(isFile: Bool)
    throws
  {
    let scratch = try Scratch()
    let database = try isFile ? Self.make(scratch) : Database.inMemory()
    let calls: [(String, () throws -> Void)] = [
      ("vacuum", { try database.vacuum() }), ("attach", { try database.attach(scratch.path("other.db"), as: "other") }),
      ("addFunction", { try database.addFunction("f", arguments: 0) { _ in .null } }),
      ("write", { try database.write { _ in } }),
    ]
    for (name, call) in calls {
      let inWrite = try databaseError { try database.write { _ in try call() } }
      #expect(inWrite.code == .misuse && inWrite.message.hasPrefix("\(name) was called inside a write"), "\(inWrite)")
      guard !isFile else { continue }
      let inRead = try databaseError { try database.read { _ in try call() } }
      #expect(inRead.code == .misuse && inRead.message.hasPrefix("\(name) was called inside a read"), "\(inRead)")
    }
    guard isFile else { return }
    let inWrite = try databaseError { try database.write { _ in try database.checkpoint() } }
    #expect(inWrite.message.hasPrefix("checkpoint was called inside a write"))
  }
}
