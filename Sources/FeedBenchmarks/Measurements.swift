import FeedServer
import FetchedResults
import FetchedResultsSupport
import Foundation
import LiveFeeds

struct Item: MappedEntity, Codable, Equatable {
  static let table = "item"
  static let mapping = Mapping(Item.init, ("id", \.id), ("title", \.title), ("done", \.done), ("list", \.list))
  var id: Int64
  var title: String
  var done: Bool
  var list: String
}

/// A database with a list, its feed and a server.
final class Service: Sendable {
  let path: String
  let database: Database
  let feed: LiveFeed<Item>
  let server: FeedServer

  static var options: Database.Options {
    var options = Database.Options()
    options.recordsHistory = true
    return options
  }

  init(rows: Int) async throws {
    path = FileManager.default.temporaryDirectory.appending(path: "feedbench-\(getpid()).db").path
    database = try Database(path: path, options: Self.options)
    try await database.migrate([
      Migration("0001_item", sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, done INTEGER, list TEXT)")
    ])
    let items = (1...rows).map { Item(id: Int64($0), title: "item number \($0)", done: false, list: "List \($0 % 10)") }
    try await database.write { c in try c.insert(contentsOf: items) }
    let list = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(sectionBy: "list", orderBy: ["id"]), database: database)
    try await list.performFetch()
    feed = LiveFeed(FRCDataSource(fetchedResultsController: list))
    var options = FeedServerOptions()
    // A keep-alive would count as an event.
    (options.port, options.keepAlive) = (0, .seconds(600))
    server = FeedServer(options)
    server.feed("/list", feed)
    try server.start()
  }

  func stop() async throws {
    await server.stop()
    try database.close()
    for end in ["", "-wal", "-shm"] { unlink(path + end) }
  }

  /// Waits until as many readers are connected.
  func wait(forReaders count: Int) async throws {
    for _ in 0..<2000 where server.counts.readers != count { try await Task.sleep(for: .milliseconds(10)) }
    guard server.counts.readers == count else { throw Failure("\(server.counts.readers) readers, not \(count)") }
  }
}

/// Starts this program again.
private func other(_ arguments: String...) throws -> (process: Process, output: FileHandle) {
  let process = Process()
  process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  return (process, pipe.fileHandleForReading)
}

/// The numbers that another process prints.
private func numbers(_ output: FileHandle) throws -> [Double] {
  let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
  let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  guard numbers.count == 2 else { throw Failure("the other process has printed '\(text)'") }
  return numbers
}

func latency(readers: Int) async throws -> [Double] {
  let service = try await Service(rows: 1000)
  let found = try numbers(other("--latency", service.path, String(service.server.port), String(readers)).output)
  try await service.stop()
  return found
}

func kilobytesPerReader() async throws -> Double {
  func resident() throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
    return Double(line.filter(\.isNumber)) ?? 0
  }
  let service = try await Service(rows: 100)
  func change(_ round: Int) async throws {
    for number in 1...100 {
      try await service.database.write { c in
        try c.execute("UPDATE item SET title = \("title \(round) \(number)") WHERE id = \(number)")
      }
    }
  }
  let first = try other("--readers", String(service.server.port), "50", "stalled")
  _ = first.output.availableData
  try await change(1)
  let before = try resident()
  let readers = 5000
  let crowd = try other("--readers", String(service.server.port), String(readers), "stalled")
  _ = crowd.output.availableData
  try await service.wait(forReaders: readers + 50)
  for round in 2..<12 { try await change(round) }
  try await Task.sleep(for: .seconds(1))
  try await service.wait(forReaders: readers + 50)
  let after = try resident()
  for process in [crowd.process, first.process] { kill(process.processIdentifier, SIGKILL) }
  try await service.stop()
  return (after - before) / Double(readers)
}

/// The processor time of the thread that writes, with 1,000 readers and without.
func writeRatio() async throws -> Double {
  let service = try await Service(rows: 1000)
  let database = service.database
  /// The seconds that 1,000 writes take of a thread.
  @Sendable func write() throws -> Double {
    func used() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = used()
    for number in 1...1000 {
      try database.write { c in try c.execute("UPDATE item SET done = NOT done WHERE id = \(number)") }
    }
    return used() - start
  }
  func writeOnAThread() async throws -> Double {
    let result = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try write() }) }
    }
    return try result.get()
  }
  _ = try await writeOnAThread()
  var ratios: [Double] = []
  for _ in 0..<3 {
    let alone = try await writeOnAThread()
    let crowd = try other("--readers", String(service.server.port), "1000", "reading")
    _ = crowd.output.availableData
    try await service.wait(forReaders: 1000)
    ratios.append(try await writeOnAThread() / alone)
    kill(crowd.process.processIdentifier, SIGKILL)  // threads of tasks, and what they start, block other signals
    // Readers that have gone are found when something is sent.
    while service.server.counts.readers > 0 {
      try await database.write { c in try c.execute("UPDATE item SET done = NOT done WHERE id = 1") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
  try await service.stop()
  return ratios.sorted()[1]
}

/// The first and the second reader of a snapshot of 100,000 rows, against encoding the rows.
func snapshotRatio() async throws -> [Double] {
  let service = try await Service(rows: 100_000)
  let items = try await service.database.fetch(FetchRequest<Item>())
  var encoding: [Double] = []
  for _ in 0..<3 {
    let start = MonotonicClock.now()
    let size = try JSONEncoder().encode(items).count
    guard size > 0 else { throw Failure("nothing was encoded") }
    encoding.append(Double(MonotonicClock.now() - start) / 1e6)
  }
  let first = try numbers(other("--snapshot", String(service.server.port)).output)
  let second = try numbers(other("--snapshot", String(service.server.port)).output)
  guard first[1] == second[1], first[1] > 5_000_000 else { throw Failure("the snapshots differ: \(first) \(second)") }
  try await service.stop()
  return [first[0] / encoding.sorted()[1], second[0] / encoding.sorted()[1]]
}
