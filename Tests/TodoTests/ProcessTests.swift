import FixtureSupport
import Foundation
import Testing

@Suite(.serialized) struct ProcessTests {
  @Test func `four processes at once lose nothing`() throws {
    let todo = try Todo()
    try todo.ok("add", "first")
    // Shells are the processes: each runs its share of commands one after another.
    let writer = """
      for i in $(seq 1 200); do "$PROGRAM" add "item $1 $i" >/dev/null || echo "add $?" ; done
      """
    let mixed = """
      for i in $(seq 1 60); do
        "$PROGRAM" list --limit 5 >/dev/null || echo "list $?"
        "$PROGRAM" done 1-$((i + 1)) >/dev/null || echo "done $?"
      done
      """
    var running: [(pid_t, Int32)] = []
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    for (index, script) in [writer, writer, writer, writer, mixed].enumerated() {
      let output = open(todo.folder + "/out\(index)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      let environment = ["PROGRAM": Program.path, "TODO_DB": todo.path]
      running.append(
        (
          try Program.spawn(
            ["-c", script, "sh", "\(index)"], environment, input: null, output: output, errors: output,
            program: "/bin/sh"), output
        ))
    }
    for (index, (id, output)) in running.enumerated() {
      #expect(Program.wait(id) == 0)
      close(output)
      #expect(try String(contentsOfFile: todo.folder + "/out\(index)", encoding: .utf8) == "")
    }
    let titles = try todo.titles("--all")
    #expect(Set(titles).count == 801 && titles.count == 801)
    #expect(try todo.ok("list", "--done", "--plain").lines.count >= 61)
    try todo.ok("doctor")
  }

  @Test(arguments: [false, true]) func `programs can bring a database up to date at the same time`(
    isNew: Bool
  ) throws {
    for _ in 0..<4 {
      let todo = try Todo()
      if !isNew { try FileManager.default.copyItem(atPath: Fixture.copy(.todoOlder), toPath: todo.path) }
      let before = isNew ? 0 : 2
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      defer { close(null) }
      let commands = [["add", "one"], ["list"], ["add", "two"], ["list"]]
      let running = try commands.map {
        try Program.spawn($0, ["TODO_DB": todo.path], input: null, output: null, errors: null)
      }
      for id in running { #expect(Program.wait(id) == 0) }
      #expect(try todo.titles("--all").count == before + 2)
      try todo.ok("undo")
      try todo.ok("undo")
      #expect(try todo.titles("--all").count == before)
    }
  }

  @Test func `a killed import happens completely or not at all`() throws {
    let lines = (0..<8000).map { "Item \($0) +List\($0 % 7) @tag\($0 % 5)" }.joined(separator: "\n")
    for delay in [30_000, 120_000, 300_000, 600_000] as [UInt32] {
      let todo = try Todo()
      try todo.ok("add", "first")
      let file = todo.folder + "/items.txt"
      try lines.write(toFile: file, atomically: true, encoding: .utf8)
      try killed(["import", file], on: todo, after: delay)
      let count = try todo.ok("list", "--plain").lines.count
      #expect(count == 1 || count == 8001, "\(count) items")
      try todo.ok("doctor")
      if count == 1 { try todo.ok("import", file) }
      try killed(["done", "--yes", "--all", "+List3"], on: todo, after: delay / 4)
      let done = try todo.ok("list", "--done", "--plain").lines.count
      #expect(done == 0 || done == 1143, "\(done) items")
      try todo.ok("doctor")
    }
  }

  private func killed(_ arguments: [String], on todo: Todo, after delay: UInt32) throws {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let id = try Program.spawn(arguments, ["TODO_DB": todo.path], input: null, output: null, errors: null)
    usleep(delay)
    kill(id, SIGKILL)
    let code = Program.wait(id)
    #expect(code == 0 || code == 1000 + SIGKILL)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal ends a command with its code`(signal: Int32, code: Int32) throws {
    let todo = try Todo()
    // It waits for its standard input, so that there is time.
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let id = try Program.spawn(
      ["import", "-", "--format", "json"], ["TODO_DB": todo.path], input: ends[0], output: null, errors: null)
    usleep(300_000)
    kill(id, signal)
    #expect(Program.wait(id) == code)
    close(ends[1])
    #expect(!FileManager.default.fileExists(atPath: todo.path))
  }

  @Test func `a backup that is interrupted leaves nothing behind`() throws {
    let todo = try Todo()
    try todo.ok("add", "first")
    // Large enough that copying it takes a moment.
    let raw = try RawDatabase(path: todo.path)
    try raw.execute("CREATE TABLE large(x); INSERT INTO large VALUES (zeroblob(60000000))")
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    var interrupted = 0
    for delay in [4, 8, 12, 16, 20, 24, 28, 32, 40, 50, 60, 80] as [UInt32] {
      let signal = delay % 8 == 0 ? SIGINT : delay % 16 == 4 ? SIGHUP : SIGTERM
      let id = try Program.spawn(
        ["backup", todo.folder + "/copy.db"], ["TODO_DB": todo.path], input: null, output: null, errors: null)
      usleep(delay * 1000)
      kill(id, signal)
      let code = Program.wait(id)
      let isThere = FileManager.default.fileExists(atPath: todo.folder + "/copy.db")
      // A signal that comes after the copy got its name ends the program, and leaves a whole copy.
      let isWhole =
        try isThere && RawDatabase(path: todo.folder + "/copy.db").strings("PRAGMA integrity_check") == [["ok"]]
      #expect(code == 0 && isWhole || code == 128 + signal && isThere == isWhole, "\(code) after \(delay) ms")
      if code != 0 { interrupted += 1 }
      if isThere { try FileManager.default.removeItem(atPath: todo.folder + "/copy.db") }
      let rest = try FileManager.default.contentsOfDirectory(atPath: todo.folder).filter { $0.contains("copy.db") }
      #expect(rest.isEmpty)
    }
    #expect(interrupted > 0)
  }

  @Test func `a database that is held too long is busy`() throws {
    let todo = try Todo()
    try todo.ok("add", "first")
    let other = try RawDatabase(path: todo.path)
    try other.execute("BEGIN IMMEDIATE")
    try todo.ok("list")
    let outcome = try todo.run(["add", "second"])
    #expect(outcome.code == 75, "\(outcome.errors)")
    #expect(!outcome.errors.contains("database is locked"))
  }

  @Test func `progress of an import is shown on a terminal and removed again`() throws {
    let todo = try Todo()
    let file = todo.folder + "/items.txt"
    try (0..<3000).map { "Item \($0)" }.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let (code, text) = try onTerminal(["import", file], path: todo.path)
    #expect(code == 0 && text.contains("importing 1000 of 3000") && text.contains("3000 new items"))
  }
}
