import FetchedResultsSupport
import SQLiteStore

/// The `todo` program as a whole process, from its start to its end. `Scripts/bench` builds it beside this program.
func todoBenchmarks() -> [Benchmark] {
  [
    Benchmark("todo.add_ms_100k", "add one item to 100,000") { try change($0, ["add", "Buy milk", "+List 3"]) },
    Benchmark("todo.fsync_ms", "one sync of the disk that todo.add_ms_100k waits for three times") { try sync($0) },
    Benchmark("todo.list_ms_10k", "list 10,000 items into a pipe") { try list($0, 10_000) },
    Benchmark("todo.list_ms_100k", "list 100,000 items into a pipe") { try list($0, 100_000) },
    Benchmark("todo.page_ms_100k", "list the first 20 of 100,000 items") { try page($0) },
    Benchmark("todo.today_ms_100k", "show what is due today of 100,000 items, or what matters next: the slower") {
      try today($0)
    },
    Benchmark("todo.done_ms_100k", "complete one of 100,000 items") { try complete($0) },
    Benchmark("todo.import_ms_10k", "import 10,000 items from JSON into a new database") { try importing($0) },
    Benchmark(
      "todo.import_growth", "import 8 times as much of what is odd, against 8 imports, for the worst of seven files"
    ) {
      try growth($0)
    },
    Benchmark("todo.list_rss_mb_100k", "the most memory that the list of 100,000 takes") { try memory($0) },
    Benchmark("todo.start_ms", "print the version") { try start($0) },
    Benchmark("todo.watch_latency_ms_p50", "another process commits, until watch has written its line") {
      try watch($0)
    },
    Benchmark("todo.watch_rss_mb_100k", "the most memory that watch takes to show 100,000 items in two views") {
      try watchMemory($0)
    },
  ]
}

// MARK: The program

/// A process, its output, and its costs.
struct Run {
  var output: [UInt8]
  var lines: Int
  var milliseconds: Double
  var peakMegabytes: Double

  var text: String { String(decoding: output, as: UTF8.self) }
}

enum Todo {
  /// The program beside this one.
  static var path: String { get throws { try sibling("todo") } }

  /// A program beside this one.
  static func sibling(_ name: String) throws -> String {
    let own = CommandLine.arguments[0]
    let folder = own.contains("/") ? String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)]) : "."
    let path = "\(folder)/\(name)"
    guard access(path, X_OK) == 0 else { throw WrongResult("there is no \(path); Scripts/bench builds it") }
    return path
  }

  /// Starts it with its output in a pipe.
  static func spawn(_ arguments: [String], program: String? = nil) throws -> (id: pid_t, output: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw WrongResult("no pipe can be made") }
    let path = try program ?? path
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, nil, words, environ)
    close(ends[1])
    guard code == 0 else { throw WrongResult("\(path) can't be started") }
    return (id, ends[0])
  }

  /// Runs it to its end.
  static func run(_ arguments: [String], program: String? = nil, keepsOutput: Bool = true) throws -> Run {
    let clock = ContinuousClock()
    let begin = clock.now
    let (id, descriptor) = try spawn(arguments, program: program)
    var lines = 0
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { break }
      lines += buffer[..<count].count { $0 == 0x0A }
      if keepsOutput { output.append(contentsOf: buffer[..<count]) }
    }
    close(descriptor)
    var status: Int32 = 0
    var usage = rusage()
    wait4(id, &status, 0, &usage)
    let duration = begin.duration(to: clock.now).components
    guard status == 0 else { throw WrongResult("todo \(arguments.joined(separator: " ")) has failed: \(status)") }
    return Run(
      output: output, lines: lines, milliseconds: Double(duration.seconds) * 1e3 + Double(duration.attoseconds) * 1e-15,
      peakMegabytes: Double(usage.ru_maxrss) / 1024)
  }
}

// MARK: Data

/// A database with `count` open items in ten lists, imported by the program itself.
private func database(_ count: Int, in folder: TemporaryFolder) throws -> String {
  let path = folder.path("todo.db")
  _ = try Todo.run(["import", "--db", path, try json(count, in: folder)])
  return path
}

private func json(_ count: Int, in folder: TemporaryFolder) throws -> String {
  let path = folder.path("items.json")
  var text = "{\"schema\":1,\"sections\":["
  for list in 0..<10 {
    text += "\(list == 0 ? "" : ",")\n{\"name\":\"List \(list)\",\"items\":["
    for (index, id) in stride(from: list + 1, through: count, by: 10).enumerated() {
      text += index == 0 ? "\n" : ",\n"
      let tail = String(1_000_000_000_000 + id).dropFirst()
      let tags = id % 3 == 0 ? "[\"tag\(id % 50)\"]" : "[]"
      let due = id % 4 == 0 ? "\"2031-01-\(10 + id % 20)\"" : "null"
      text += """
        {"id":\(id),"uuid":"00000000-0000-4000-8000-\(tail)","title":"Item number \(id) that is to be done soon",\
        "list":"List \(list)","tags":\(tags),"priority":\(id % 5 == 0 ? "\"high\"" : "null"),"due":\(due),"every":null,\
        "done":false,"created":"2026-01-02T10:00:00Z","completed":null,"started":null,"notes":[],"archived":false}
        """
    }
    text += "\n]}"
  }
  text += "]}\n"
  try writeFile(text, to: path)
  return path
}

// MARK: The measurements

private func change(_ context: BenchContext, _ arguments: [String]) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(100_000, in: folder)
  var id = 100_000
  let median = try context.median {
    let run = try Todo.run(arguments + ["--db", path])
    id += 1
    try context.check(run.text.contains("\(id)"), "the new item has not the number \(id): \(run.text)")
    try context.check(access(path + "-wal", F_OK) != 0, "the file alone is not the whole list")
    return run.milliseconds
  }
  return .milliseconds(median)
}

/// The time in which the disk syncs a page that was just written.
private func sync(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let descriptor = open(folder.path("sync"), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard descriptor >= 0 else { throw WrongResult("no file can be made in \(folder.path(""))") }
  defer { close(descriptor) }
  let page = [UInt8](repeating: 1, count: 4096)
  let median = try context.median {
    var times: [Double] = []
    for _ in 0..<20 {
      guard write(descriptor, page, page.count) == page.count else { throw WrongResult("a page can't be written") }
      let begin = monotonicNanoseconds()
      guard fsync(descriptor) == 0 else { throw WrongResult("a page can't be synced") }
      times.append(Double(monotonicNanoseconds() - begin) / 1e6)
    }
    return BenchContext.median(times)
  }
  return .milliseconds(median)
}

private func complete(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(100_000, in: folder)
  var id = 500
  let median = try context.median {
    id += 1
    let run = try Todo.run(["done", String(id), "--db", path])
    try context.check(run.text.contains("Item number \(id) "), "another item was completed: \(run.text)")
    return run.milliseconds
  }
  let done = try Todo.run(["list", "--done", "--plain", "--db", path])
  try context.check(done.lines == id - 500, "\(done.lines) items are done, and not \(id - 500)")
  return .milliseconds(median)
}

private func list(_ context: BenchContext, _ count: Int) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(count, in: folder)
  let median = try context.median {
    let run = try Todo.run(["list", "--db", path])
    // Ten headings, with an empty line between them.
    try context.check(run.lines == count + 19, "\(run.lines) lines, and not \(count + 19)")
    return run.milliseconds
  }
  return .milliseconds(median)
}

private func page(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(100_000, in: folder)
  let median = try context.median {
    let run = try Todo.run(["list", "--limit", "20", "--db", path])
    try context.check(run.lines == 21 && run.text.contains("Item number 191 "), "not the first twenty: \(run.text)")
    return run.milliseconds
  }
  return .milliseconds(median)
}

private func today(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(100_000, in: folder)
  for (count, due) in [(90, "yesterday"), (110, "today"), (100, "tomorrow")] {
    _ = try Todo.run(["edit", "\(count * 100)-\(count * 100 + count - 1)", "due:\(due)", "--db", path])
  }
  let medians = try [("today", 203), ("next", 10)].map { command, lines in
    try context.median {
      let run = try Todo.run([command, "--db", path])
      // Two headings, with an empty line between them.
      try context.check(run.lines == lines, "\(run.lines) lines: \(run.text)")
      return run.milliseconds
    }
  }
  return .milliseconds(max(medians[0], medians[1]))
}

private func importing(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let file = try json(10_000, in: folder)
  var round = 0
  let median = try context.median {
    round += 1
    let path = folder.path("import\(round).db")
    let run = try Todo.run(["import", file, "--db", path])
    try context.check(run.text.contains("10000 new items"), "not all was imported: \(run.text)")
    return run.milliseconds
  }
  let items = try Todo.run(["list", "--plain", "--db", folder.path("import1.db")])
  try context.check(items.lines == 10_000, "\(items.lines) items are there after the import")
  return .milliseconds(median)
}

/// Files that have much of what other files have little of, by format.
private func oddFiles(_ count: Int) -> [(format: String, text: String)] {
  let numbers = 0..<count
  func joined(_ separator: String = "", _ text: (Int) -> String) -> String {
    numbers.map(text).joined(separator: separator)
  }
  return [
    ("todotxt", "a \(joined(" ") { "due:2031-01-01 +w\($0)" })\n"),
    ("todotxt", "a \(joined(" ") { "@t\($0)" })\n"),
    ("markdown", joined { "# h\($0)\n\n- [ ] a\($0)\n" }),
    ("markdown", "- [ ] a\n" + joined { "  > n\($0)\n" }),
    ("json", "{\"lists\":[\(joined(",") { "{\"name\":\"l\($0)\",\"c\":1}" })],\"sections\":[]}"),
    ("json", "[{\"title\":\"a\",\(joined(",") { "\"f\($0)\":1" })}]"),
    ("csv", "title,\(joined(",") { "c\($0)" })\na,\(joined(",") { "\($0)" })\n"),
  ]
}

/// Imports what is usual in small numbers only: a quadratic step would show here.
private func growth(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  var round = 0
  func time(_ file: (format: String, text: String)) throws -> Double {
    round += 1
    let path = folder.path("odd\(round)")
    try writeFile(file.text, to: path)
    let run = try Todo.run(["import", path, "--format", file.format, "--db", path + ".db"])
    try context.check(run.text.contains("new "), "\(file.format) was not imported: \(run.text)")
    return run.milliseconds
  }
  let (few, many) = (oddFiles(2_000), oddFiles(16_000))
  var worst = 0.0
  for (small, large) in zip(few, many) {
    worst = max(worst, try context.median { try time(large) / (8 * time(small)) })
  }
  return .ratio(worst)
}

private func memory(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(100_000, in: folder)
  let median = try context.median {
    // Started by a small process: the reported memory of a child begins with that of the process that started it.
    let run = try Todo.run(["--peak-memory", try Todo.path, "list", "--db", path], program: CommandLine.arguments[0])
    let numbers = run.text.split(separator: " ").compactMap { Double($0.filter { $0 != "\n" }) }
    try context.check(numbers.count == 2 && numbers[0] == 100_019, "not the list: \(run.text)")
    return numbers[1]
  }
  return Figure(value: median, unit: "MB")
}

private func watchMemory(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(100_000, in: folder)
  let median = try context.median {
    // On a terminal, where v shows the next view and q ends it.
    let script = """
      (sleep 2; printf v; sleep 2; printf q) | TERM=xterm script -qec "'$0' watch --db '$1'" /dev/null \
        | grep -a -o 'by due  100000 items' | head -n 1
      """
    let run = try Todo.run(
      ["--peak-memory", "/bin/sh", "-c", script, try Todo.path, path], program: CommandLine.arguments[0])
    let numbers = run.text.split(separator: " ").compactMap { Double($0.filter { $0 != "\n" }) }
    try context.check(numbers.count == 2 && numbers[0] == 1, "the second view was not shown: \(run.text)")
    return numbers[1]
  }
  return Figure(value: median, unit: "MB")
}

/// Runs a program and prints the number of its lines and its peak memory in megabytes.
func printPeakMemory(of program: String, _ arguments: [String]) throws {
  let run = try Todo.run(arguments, program: program, keepsOutput: false)
  Output.standardOutput("\(run.lines) \(Output.number(run.peakMegabytes))\n")
}

private func start(_ context: BenchContext) throws -> Figure {
  let median = try context.median {
    // One start is too short to be measured alone.
    var best = Double.infinity
    for _ in 0..<10 {
      let run = try Todo.run(["version"])
      try context.check(run.text.hasPrefix("todo "), "no version: \(run.text)")
      best = min(best, run.milliseconds)
    }
    return best
  }
  return .milliseconds(median)
}

private func watch(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  let path = try database(1000, in: folder)
  let (id, descriptor) = try Todo.spawn(["watch", "--json", "--db", path])
  defer {
    kill(id, SIGTERM)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    close(descriptor)
  }
  var reader = LineReader(descriptor)
  let first = try reader.line()
  try context.check(first.contains("\"sections\""), "watch does not begin with the list: \(first.prefix(80))")
  let other = try Database(path: path)
  var latencies: [Double] = []
  for round in 0..<max(20, context.rounds * 4) {
    let title = "Round \(round)"
    try other.write { try $0.execute("UPDATE item SET title = \(title) WHERE id = \(round + 1)") }
    let committed = monotonicNanoseconds()
    let line = try reader.line()
    let arrived = monotonicNanoseconds()
    try context.check(line.contains("\"\(title)\""), "not the line of the commit: \(line.prefix(200))")
    latencies.append(arrived > committed ? Double(arrived - committed) / 1e6 : 0)
    usleep(20_000)
  }
  return .milliseconds(BenchContext.median(latencies))
}

/// Reads lines from a descriptor, and waits at most ten seconds for one.
private struct LineReader {
  private let descriptor: Int32
  private var rest: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  mutating func line() throws -> String {
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        defer { rest.removeSubrange(...end) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&event, 1, 10_000) == 1 else { throw WrongResult("watch has written nothing for ten seconds") }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { throw WrongResult("watch has ended") }
      rest += buffer[..<count]
    }
  }
}
