import FetchedResultsSupport
import FixtureSupport
import Foundation
import Testing

@testable import SQLiteStore

/// Reported commits and the data that is read belong together, however closely commits follow each other; and no commit
/// waits for readers.
@Suite(.timeLimit(.minutes(10))) struct ExactReadTests {
  /// A number that each commit raises, and the last one that an observer received.
  private final class Counter: Sendable {
    let scratch: Scratch
    let database: Database
    let told = Box(0)
    private let observation: ObservationToken

    init(_ options: Database.Options = .fast) throws {
      scratch = try Scratch()
      database = try scratch.database(options: options)
      try database.write { c in
        try c.execute("CREATE TABLE counter(value INTEGER NOT NULL)")
        try c.execute("INSERT INTO counter VALUES (0)")
      }
      observation = database.observe(
        ["counter"], willCommit: nil, didCommit: { [told] _ in told.change { $0 += 1 } }, { _ in })
    }

    func raise() throws { try database.write { _ = try $0.execute("UPDATE counter SET value = value + 1") } }
    static func value(_ connection: Connection) throws -> Int {
      try #require(try connection.value("SELECT value FROM counter", as: Int.self))
    }
  }

  /// Runs `body` on a thread of its own, and gives what it throws.
  private static func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws {
    let result = Box<Result<Void, any Error>?>(nil)
    let thread = Thread { result.change { $0 = Result { try body() } } }
    thread.start()
    while result.value == nil { MonotonicClock.sleep(microseconds: 100) }
    try result.value?.get()
  }

  @Test func `a read with a commit before every look knows of all that it sees`() throws {
    let counter = try Counter(.fast.with { $0.busyTimeout = .milliseconds(300) })
    var taken = 0
    var considered = 0
    let value = try counter.database.readExactly(
      taking: {
        taken = counter.told.value
        // It would wait here for the reader, if that kept writers out.
        do { try Self.elsewhere { try counter.raise() } } catch { Issue.record(error) }
      }, considering: { considered = counter.told.value }
    ) { try Counter.value($0) }
    #expect(taken == 0 && value == 1 && considered == 1)
  }

  @Test func `a read of the state before a commit does not wait for the writer that asks for it`() throws {
    let options = Database.Options.fast.with {
      $0.journal = .delete
      $0.pageCacheBytes = 8192
      $0.busyTimeout = .seconds(30)
    }
    let scratch = try Scratch()
    let database = try scratch.database(options: options)
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    try database.write { c in
      // More than the cache holds, so that the file is locked before the commit.
      try c.execute(
        "INSERT INTO t SELECT zeroblob(1000) FROM json_each('[\(raw: String(repeating: "1,", count: 999))1]')")
      let start = MonotonicClock.now()
      let error = #expect(throws: DatabaseError.self) {
        try database.readOldState { try $0.value("SELECT count(*) FROM t", as: Int.self) }
      }
      #expect(error?.code == .busy)
      #expect(MonotonicClock.now() - start < 15_000_000_000, "it waited for the writer")
    }
  }

  @Test(arguments: [true, false])
  func `a read that could not look for other programs' commits says so`(isWriterBusy: Bool) throws {
    let counter = try Counter()
    let writerLock = counter.database.writerLock
    // As a write does that waits for another program. The database itself may have it for a moment, to look for others.
    if isWriterBusy {
      try Self.elsewhere { while !writerLock.tryAcquire() { MonotonicClock.sleep(microseconds: 100) } }
    }
    defer { if isWriterBusy { writerLock.release() } }
    var hasLooked = true
    let value = try counter.database.readExactly(
      isLooking: true, taking: {}, considering: {}, notLooked: { hasLooked = false }
    ) { try Counter.value($0) }
    #expect(value == 0)
    #expect(hasLooked == !isWriterBusy)
  }

  @Test func `no commit is handed out before all have noted it`() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.write { try $0.execute("CREATE TABLE item(id INTEGER PRIMARY KEY)") }
    let order = Box<[String]>([])
    let observation = database.observe(
      ["item"], willCommit: nil,
      didCommit: { _ in
        // Another thread that hands out what there is, as one that looks for others' commits does.
        do { try Self.elsewhere { database.feed.drain() } } catch { Issue.record(error) }
        order.change { $0.append("noted") }
      },
      { _ in order.change { $0.append("handed out") } })
    try database.write { try $0.execute("INSERT INTO item VALUES (1)") }
    #expect(order.value == ["noted", "handed out"])
    withExtendedLifetime(observation) {}
  }

  @Test func `a read that nobody disturbs has nothing to consider`() throws {
    let counter = try Counter()
    try counter.raise()
    var taken = 0
    let value = try counter.database.readExactly(
      taking: { taken = counter.told.value }, considering: { Issue.record("there is nothing") }
    ) { connection in
      try Self.elsewhere { try counter.raise() }
      return try Counter.value(connection)
    }
    #expect(taken == 1 && value == 1)
  }

  @Test(arguments: [false, true]) func `all files are read as they were in one moment`(isExact: Bool) throws {
    let counter = try Counter()
    let other = try counter.scratch.database("other.db")
    try other.write {
      try $0.executeScript("CREATE TABLE further(value INTEGER NOT NULL); INSERT INTO further VALUES (0)")
    }
    try other.close()
    try counter.database.attach(counter.scratch.path("other.db"), as: "other")
    let database = counter.database
    let raiseBoth: @Sendable () throws -> Void = {
      try database.write { c in
        try c.execute("UPDATE counter SET value = value + 1")
        try c.execute("UPDATE other.further SET value = value + 1")
      }
    }
    var looks = 0
    // It comes in between once, and once the state is fixed.
    let taking = {
      looks += 1
      if looks == 1 { do { try Self.elsewhere(raiseBoth) } catch { Issue.record(error) } }
    }
    let body = { (connection: Connection) in
      try Self.elsewhere(raiseBoth)
      return (
        try Counter.value(connection), try connection.value("SELECT value FROM other.further", as: Int.self)
      )
    }
    let values =
      isExact
      ? try database.readExactly(taking: taking, considering: {}, body) : try database.read(taking: taking, body)
    #expect(values == (1, 1) && looks == 2)
  }

  @Test func `a file that this connection has not or no more is not read from`() throws {
    let counter = try Counter()
    let other = try counter.scratch.database("other.db")
    try other.write { try $0.execute("CREATE TABLE further(value INTEGER NOT NULL)") }
    try other.close()
    // As between the moment at which a file is detached and the one at which that is known.
    counter.database.registrations.attached(Registrations.Attachment(path: "gone.db", number: 9), as: "gone")
    for _ in 0..<2 {
      let value = try counter.database.readExactly(taking: {}, considering: {}) { try Counter.value($0) }
      #expect(value == 0)
    }
    try counter.database.attach(counter.scratch.path("other.db"), as: "Other")
    let names = try counter.database.readExactly(taking: {}, considering: {}) { $0.attachedNames }
    #expect(names == ["Other"])
    try counter.database.detach("other")
    let left = try counter.database.readExactly(taking: {}, considering: {}) { $0.attachedNames }
    #expect(left == [])
  }

  @Test(arguments: [Database.Options.Journal.wal, .delete], [1, 3])
  func `a read sees exactly the commits reported until then`(journal: Database.Options.Journal, readers: Int)
    async throws
  {
    let counter = try Counter(.fast.with { $0.journal = journal })
    let rounds = journal == .wal ? 2000 : 300
    let isWriting = Box(true)
    let left = Box(readers + 1)
    func begin(_ body: @escaping @Sendable () throws -> Void) {
      Thread {
        do { try body() } catch { Issue.record(error) }
        left.change { $0 -= 1 }
      }.start()
    }
    for _ in 0..<readers {
      begin {
        var last = 0
        while isWriting.value {
          var taken = 0
          var considered: Int?
          let value = try counter.database.readExactly(
            taking: { taken = counter.told.value }, considering: { considered = counter.told.value }
          ) { try Counter.value($0) }
          if let considered {
            #expect(taken <= value && value <= considered)
          } else {
            #expect(value == taken)
          }
          #expect(last <= value)
          last = value
        }
      }
    }
    begin {
      defer { isWriting.change { $0 = false } }
      for _ in 0..<rounds { try counter.raise() }
    }
    while left.value > 0 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(counter.told.value == rounds)
  }
}
