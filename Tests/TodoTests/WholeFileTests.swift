import FixtureSupport
import Foundation
import Testing

/// The database file alone is the whole list, and a command that only reads leaves it as it is.
@Suite(.timeLimit(.minutes(10))) struct WholeFileTests {
  /// The content of a folder: the names and the bytes.
  private func contents(_ folder: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      contents[name] = try Data(contentsOf: URL(filePath: folder + "/" + name))
    }
    return contents
  }

  private func expectWhole(_ todo: Todo, _ command: String, _ location: SourceLocation = #_sourceLocation) throws {
    let names = try contents(todo.folder).keys.filter { $0.hasPrefix("todo.db") }.sorted()
    #expect(names == ["todo.db"], "after \(command)", sourceLocation: location)
    let copy = try Todo()
    try FileManager.default.copyItem(atPath: todo.path, toPath: copy.path)
    let expected = try todo.ok("export").output
    #expect(try copy.ok("export").output == expected, "after \(command)", sourceLocation: location)
  }

  private static let readings: [[String]] = [
    ["list"], ["list", "--all", "--json"], ["list", "--by", "due"], ["search", "Milk"], ["show", "1"], ["stats"],
    ["lists"], ["log"], ["doctor"], ["export"], ["export", "--format", "csv"], [],
  ]

  @Test func `each command leaves the whole list in its file and nothing beside it`() throws {
    let todo = try Todo()
    let commands: [[String]] = [
      ["add", "Milk", "@shop"], ["add", "Rent", "+Home", "due:2031-01-01", "every:month"], ["note", "1", "two litres"],
      ["edit", "1", "Oat milk"], ["tag", "1", "@x"], ["start", "1"], ["stop", "1"], ["done", "2"], ["undone", "2"],
      ["move", "1", "--to", "Work"], ["lists", "add", "Empty"], ["archive", "2"], ["rm", "2"], ["undo"], ["redo"],
      ["undo"], ["add", "More"],
    ]
    for command in commands {
      #expect(try todo.run(command).code == 0, "\(command)")
      try expectWhole(todo, "\(command)")
    }
    try todo.ok("import", "-", "--format", "todotxt", input: String(repeating: "thing\n", count: 300))
    try expectWhole(todo, "import")
    try todo.fails(3, "done", "99999")
    try expectWhole(todo, "a command that fails")
  }

  @Test func `a command that only reads leaves folder and file byte-identical`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk", "@shop", "due:2031-01-02T10:00")
    try todo.ok("done", "1")
    try todo.ok("backup", todo.folder + "/backup.db")
    let before = try contents(todo.folder)
    for command in Self.readings {
      for file in ["todo.db", "backup.db"] {
        let outcome = try todo.run(command + ["--db", todo.folder + "/" + file])
        #expect(outcome.code == 0, "\(command) of \(file): \(outcome.errors)")
        #expect(try contents(todo.folder) == before, "\(command) of \(file)")
      }
    }
  }

  /// Whether the tests run as root, for which file permissions have no effect, and can run commands as another user.
  private static let canBeNobody = geteuid() != 0 || FileManager.default.fileExists(atPath: "/usr/bin/setpriv")

  /// Runs a command as a user who may write nothing in the folder.
  private func runAsReader(_ todo: Todo, _ command: [String]) throws -> Outcome {
    if geteuid() != 0 { return try todo.run(command) }
    let reader = ["--reuid=65534", "--regid=65534", "--clear-groups", Program.path]
    return try todo.run(reader + command, program: "/usr/bin/setpriv")
  }

  private func setModes(_ folder: String, file: Int, folder mode: Int) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: folder + "/" + name)
    }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
  }

  @Test(.enabled(if: canBeNobody)) func `watching a list that can only be read says that it does not change`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    try setModes(todo.folder, file: 0o444, folder: 0o555)
    defer { try? setModes(todo.folder, file: 0o666, folder: 0o777) }
    let user = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let outcome = try todo.run(
      ["--signal=INT", "5"] + user + [Program.path, "watch", "--json"], program: "/usr/bin/timeout")
    #expect(outcome.output.contains("\"Milk\"") && outcome.lines.count == 1, "\(outcome)")
    #expect(outcome.errors.contains("can only be read here, so changes by others don't appear"), "\(outcome)")
  }

  @Test(.enabled(if: canBeNobody), arguments: ["file", "folder", "both"])
  func `files that can't be written can be read`(what: String) throws {
    var todo = try Todo()
    try todo.ok("add", "Milk", "@shop", "due:2031-01-02T10:00")
    try todo.ok("backup", todo.folder + "/backup.db")
    try FileManager.default.copyItem(
      atPath: try Fixture.copy(.todoOlder), toPath: todo.folder + "/older.db")
    let temporary = try Scratch.folder()
    todo.environment = ["TODO_DB": todo.path, "TMPDIR": temporary]
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: temporary)
    try setModes(todo.folder, file: what == "folder" ? 0o666 : 0o444, folder: what == "file" ? 0o777 : 0o555)
    defer { try? setModes(todo.folder, file: 0o666, folder: 0o777) }
    let before = try contents(todo.folder)
    for command in Self.readings {
      for file in ["todo.db", "backup.db", "older.db"] {
        let outcome = try runAsReader(todo, command + ["--db", todo.folder + "/" + file])
        #expect(outcome.code == 0 || command == ["doctor"], "\(command) of \(file): \(outcome.errors)")
        #expect(try contents(todo.folder) == before, "\(command) of \(file)")
      }
    }
    let error = try runAsReader(todo, ["add", "x"])
    #expect(error.code == 74 && error.errors.contains("can't be"), "\(error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
  }

  /// A database whose last change is in its log only, as a copy of the file and the log.
  private func copyWithLog() throws -> Todo {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    let raw = try RawDatabase(path: todo.path)
    // A reader of the old state keeps the log from being moved.
    try raw.execute("BEGIN; SELECT count(*) FROM item")
    try todo.ok("add", "Only in the log")
    let copy = try Todo()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: todo.path + suffix, toPath: copy.path + suffix)
    }
    return copy
  }

  @Test func `a copy of a file with its log is read as it is`() throws {
    let todo = try copyWithLog()
    let before = try contents(todo.folder)
    #expect(before.count == 2)
    for command in Self.readings {
      #expect(try todo.run(command).code == 0, "\(command)")
      #expect(try contents(todo.folder) == before, "\(command)")
    }
    #expect(try todo.titles() == ["Milk", "Only in the log"])
    try todo.ok("add", "More")
    try expectWhole(todo, "add")
    #expect(try todo.titles().count == 3)
  }

  @Test func `a temporary copy that a killed process left behind is removed`() throws {
    var todo = try copyWithLog()
    let temporary = try Scratch.folder()
    todo.environment = ["TODO_DB": todo.path, "TMPDIR": temporary]
    let gone = try Program.spawn([], [:], input: 0, output: 1, errors: 2, program: "/bin/true")
    _ = Program.wait(gone)
    let names = [
      "todo-\(gone)-abcdef", "todo-\(gone)-ABCDEF", "todo-\(getpid())-abcdef", "todo-\(gone)-mine", "todo-x",
    ]
    for name in names {
      try FileManager.default.createDirectory(atPath: temporary + "/" + name, withIntermediateDirectories: false)
      for file in ["todo.db", "todo.db-wal"] {
        try "x".write(toFile: "\(temporary)/\(name)/\(file)", atomically: false, encoding: .utf8)
      }
      // One of them has just been made.
      if name.hasSuffix("ABCDEF") { continue }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -90)], ofItemAtPath: temporary + "/" + name)
    }
    try todo.ok("list")
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: temporary)) == Set(names.dropFirst()))
  }

  @Test(.enabled(if: canBeNobody)) func `a log that can't be moved is read in a temporary copy`() throws {
    var todo = try copyWithLog()
    let temporary = try Scratch.folder()
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: temporary)
    todo.environment = ["TODO_DB": todo.path, "TMPDIR": temporary]
    try setModes(todo.folder, file: 0o444, folder: 0o555)
    defer { try? setModes(todo.folder, file: 0o666, folder: 0o777) }
    let before = try contents(todo.folder)
    for command in Self.readings {
      let outcome = try runAsReader(todo, command)
      #expect(outcome.code == 0 || command == ["doctor"], "\(command): \(outcome.errors)")
      #expect(try contents(todo.folder) == before, "\(command)")
    }
    #expect(try runAsReader(todo, ["list"]).output.contains("Only in the log"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGPIPE]) func `watch leaves the whole list in its file`(signal: Int32)
    throws
  {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    let watch = try RunningProgram(piped: [Program.path, "watch", "--json", "--db", todo.path])
    _ = try #require(watch.read())
    try todo.ok("add", "Bread")
    // While others have it open, a copy of the file alone has the last change all the same.
    let copy = try Todo()
    try FileManager.default.copyItem(atPath: todo.path, toPath: copy.path)
    #expect(try copy.titles() == ["Milk", "Bread"])
    if signal == SIGPIPE { watch.hangUp() } else { watch.send(signal) }
    #expect(watch.wait() == .exit(signal == SIGPIPE ? 0 : 128 + signal))
    #expect(try contents(todo.folder).keys.sorted() == ["todo.db"])
  }

  @Test func `a hangup that nohup has ignored stays ignored`() throws {
    let todo = try Todo()
    try todo.ok(
      "import", "-", "--format", "todotxt", input: String(repeating: "thing that fills a pipe\n", count: 5000))
    let script = "trap '' HUP; exec \"$0\" --db \"$1\" export"
    let program = try RunningProgram(piped: ["/bin/sh", "-c", script, Program.path, todo.path])
    var text = String(decoding: try #require(program.read()), as: UTF8.self)
    program.send(SIGHUP)
    usleep(50_000)
    text += program.readAll()
    #expect(program.wait() == .exit(0))
    #expect(text.hasSuffix("]}\n") && text.contains("pipe"))
    #expect(try contents(todo.folder).keys.sorted() == ["todo.db"])
  }

  @Test func `a database in memory is refused`() throws {
    var todo = try Todo()
    for command in [["add", "x"], ["list"], ["undo"], ["watch"], ["backup", "x.db"]] {
      let outcome = try todo.run(command + ["--db", ":memory:"])
      #expect(outcome.code == 64 && outcome.errors.contains("memory"), "\(command): \(outcome)")
    }
    todo.environment = ["TODO_DB": ":memory:"]
    try todo.fails(64, "list")
  }

  @Test func `the doctor finds rows that a constraint should have refused`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    let raw = try RawDatabase(path: todo.path)
    try raw.execute("PRAGMA ignore_check_constraints = ON; UPDATE item SET due = 'soon', due_day = 'soon'")
    try raw.execute("PRAGMA wal_checkpoint")
    let outcome = try todo.run(["doctor"])
    #expect(outcome.code == 65 && outcome.output.contains("file: CHECK constraint failed in item"), "\(outcome)")
  }

  @Test(arguments: [
    ["add", "More"], ["done", "1"], ["edit", "1", "Other"], ["lists", "add", "New"], ["undo"], ["import", "more.txt"],
    ["restore", "backup.db"], ["rm", "1", "--json"], ["undo", "--plain"],
  ]) func `a command interrupted after its report leaves the whole list in its file`(
    command: [String]
  ) throws {
    for (round, signal) in [SIGINT, SIGTERM, SIGHUP, SIGTERM, SIGINT, SIGHUP].enumerated() {
      let todo = try Todo()
      try todo.ok("add", "Milk")
      try todo.ok("backup", "backup.db")
      try todo.ok("add", "Rent")
      try "More\n".write(toFile: todo.folder + "/more.txt", atomically: true, encoding: .utf8)
      let arguments = command.map { $0.contains(".") ? todo.folder + "/" + $0 : $0 }
      let program = try RunningProgram(piped: [Program.path, "--db", todo.path] + arguments)
      let said = try #require(program.read())
      #expect(!said.isEmpty)
      usleep(UInt32(round) * 100)
      program.send(signal)
      let ending = program.wait()
      #expect(ending == .exit(0) || ending == .exit(128 + signal), "\(command)")
      try expectWhole(todo, "\(command) after \(round)")
    }
  }

  @Test(
    arguments: [["list"], ["list", "--json"], ["export"], ["export", "--format", "csv"], ["search", "thing"]],
    [SIGINT, SIGTERM, SIGHUP])
  func `a reader that is interrupted leaves the folder as it was`(command: [String], signal: Int32) throws {
    let todo = try Todo()
    try todo.ok(
      "import", "-", "--format", "todotxt", input: String(repeating: "thing that fills a pipe\n", count: 5000))
    let before = try contents(todo.folder)
    for round in 0..<3 {
      let program = try RunningProgram(piped: [Program.path, "--db", todo.path] + command)
      // Before it prints, while it does, and while it waits for a reader.
      if round > 0 { _ = try #require(program.read()) }
      usleep(UInt32(round) * 15_000 + 5000)
      program.send(signal)
      let ending = program.wait()
      // At first it may not have come so far that it takes signals.
      #expect(ending == .exit(128 + signal) || (round == 0 && ending == .signal(signal)))
      #expect(try contents(todo.folder) == before, "\(round)")
    }
  }

  /// Where a log is beside the file, SQLite says no more than that it can't open it.
  @Test(.enabled(if: canBeNobody), arguments: [true, false])
  func `the error of a write says what to do if nothing can be written`(hasLog: Bool) throws {
    let todo = try hasLog ? copyWithLog() : Todo()
    if !hasLog { try todo.ok("add", "Milk") }
    try setModes(todo.folder, file: 0o666, folder: 0o555)
    defer { try? setModes(todo.folder, file: 0o666, folder: 0o777) }
    let before = try contents(todo.folder)
    for command in [["add", "x"], ["done", "1"], ["undo"], ["lists", "add", "L"], ["edit", "1", "y"], ["rm", "1"]] {
      let outcome = try runAsReader(todo, ["--db", todo.path] + command)
      #expect(outcome.code == 74, "\(command): \(outcome)")
      for part in [todo.path, "can't be written", "folder \(todo.folder)", "--db FILE"] {
        #expect(
          outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(part),
          "\(command): \(outcome)")
      }
      #expect(outcome.errors.contains("todo.db-wal") == hasLog)
    }
    #expect(try contents(todo.folder) == before)
  }

  /// Gives a folder and its files to the user as whom ``runAsReader(_:_:)`` runs commands.
  private func giveToReader(_ folder: String) throws {
    if geteuid() != 0 { return }
    for path in try [folder] + FileManager.default.contentsOfDirectory(atPath: folder).map({ folder + "/" + $0 }) {
      try #require(chown(path, 65534, 65534) == 0)
    }
  }

  @Test(.enabled(if: canBeNobody))
  func `a write to a read-only file in a writable folder is refused and leaves nothing behind`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    try todo.ok("backup", "backup.db")
    try giveToReader(todo.folder)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: todo.path)
    let before = try contents(todo.folder)
    for command in [
      ["add", "x"], ["done", "1"], ["undo"], ["lists", "add", "L"], ["edit", "1", "y"], ["rm", "1"],
      ["restore", todo.folder + "/backup.db"],
    ] {
      let outcome = try runAsReader(todo, ["--db", todo.path] + command)
      #expect(outcome.code == 74 && outcome.errors.contains("read-only for this user"), "\(command): \(outcome)")
      #expect(try contents(todo.folder) == before, "\(command)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: todo.path)
    #expect(try runAsReader(todo, ["add", "x"]).code == 0)
  }

  @Test(.enabled(if: canBeNobody), arguments: ["-shm", "-wal"])
  func `a read-only file beside the database is named with what to do`(suffix: String) throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    // As SQLite leaves them if it may not write the database.
    try Data().write(to: URL(filePath: todo.path + "-wal"))
    try Data(count: 32_768).write(to: URL(filePath: todo.path + "-shm"))
    try giveToReader(todo.folder)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: todo.path + suffix)
    let outcome = try runAsReader(todo, ["--db", todo.path, "add", "x"])
    #expect(outcome.code == 74 && outcome.errors.contains("chmod 600 "), "\(outcome)")
    #expect(outcome.errors.replacing("\n", with: " ").contains(suffix), "\(outcome)")
    let doctor = try runAsReader(todo, ["--db", todo.path, "doctor"])
    #expect(doctor.code == 65 && doctor.output.contains("chmod 600"), "\(doctor)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: todo.path + suffix)
    #expect(try runAsReader(todo, ["--db", todo.path, "add", "x"]).code == 0)
    #expect(try runAsReader(todo, ["--db", todo.path, "list", "--plain"]).lines.count == 2)
  }

  @Test func `a change that has no room in the file is in the log, and the command says so`() throws {
    var spoken = 0
    for blocks in stride(from: 40, through: 520, by: 40) {
      let todo = try Todo()
      try todo.ok("add", "one")
      let large = String(repeating: "x", count: 20_000)
      let outcome = try todo.run(
        ["-c", "trap '' XFSZ; ulimit -f \(blocks); exec '\(Program.path)' add \(large)"], program: "/bin/sh")
      let copy = try Todo()
      try FileManager.default.copyItem(atPath: todo.path, toPath: copy.path)
      let isLog = try contents(todo.folder)["todo.db-wal"].map { !$0.isEmpty } ?? false
      let expected = outcome.code == 0 ? ["one", large] : ["one"]
      // Without the log it is what was there before.
      #expect(try copy.titles() == (isLog ? ["one"] : expected), "\(blocks): \(outcome.errors)")
      #expect(outcome.errors.replacing("\n", with: "").contains("-wal") == (isLog && outcome.code == 0), "\(blocks)")
      if isLog, outcome.code == 0 { spoken += 1 }
      #expect(try todo.titles() == expected, "\(blocks)")
      try todo.ok("add", "two")
      try expectWhole(todo, "add at \(blocks)")
      #expect(try todo.titles() == expected + ["two"])
    }
    #expect(spoken > 0)
  }

  @Test func `a change is not moved into a file that is longer than the limit for files`() throws {
    var spoken = 0
    for pages in 1...8 {
      let todo = try Todo()
      let lines = (0..<200).map { "item \($0)\n" }.joined()
      try Data(lines.utf8).write(to: URL(filePath: todo.folder + "/lines.txt"))
      try todo.ok("import", todo.folder + "/lines.txt", "--format", "todotxt")
      let size = try #require(try FileManager.default.attributesOfItem(atPath: todo.path)[.size] as? Int)
      let outcome = try todo.run(
        ["-c", "trap '' XFSZ; ulimit -f \((size - 4096 * pages) / 512); exec '\(Program.path)' add more"],
        program: "/bin/sh")
      let alone = try Todo()
      try FileManager.default.copyItem(atPath: todo.path, toPath: alone.path)
      #expect(try RawDatabase(path: alone.path).strings("PRAGMA integrity_check") == [["ok"]], "\(pages): \(outcome)")
      let isLog = try contents(todo.folder)["todo.db-wal"].map { !$0.isEmpty } ?? false
      #expect(outcome.errors.replacing("\n", with: "").contains("-wal") == (isLog && outcome.code == 0), "\(outcome)")
      if isLog, outcome.code == 0 { spoken += 1 }
      #expect(try todo.titles().contains("more") == (outcome.code == 0))
      try todo.ok("add", "two")
      try expectWhole(todo, "add below the limit by \(pages) pages")
    }
    #expect(spoken > 0)
  }

  @Test func `a live list that ends without room in the file says so`() throws {
    let script = """
      trap '' XFSZ; ulimit -f "$BLOCKS"
      "$PROGRAM" watch --json >"$TODO_DB.out" 2>"$TODO_DB.errors" & id=$!
      until [ -s "$TODO_DB.out" ]; do sleep 0.05; done
      "$PROGRAM" add "$LARGE" >/dev/null 2>&1
      kill -TERM $id
      wait $id
      cat "$TODO_DB.errors" >&2
      """
    let large = String(repeating: "x", count: 20_000)
    var spoken = 0
    for blocks in stride(from: 120, through: 480, by: 40) {
      var todo = try Todo()
      try todo.ok("add", "one")
      todo.environment.merge(["PROGRAM": Program.path, "BLOCKS": "\(blocks)", "LARGE": large]) { $1 }
      let outcome = try todo.run(["-c", script], program: "/bin/sh")
      let isLog = try contents(todo.folder)["todo.db-wal"].map { !$0.isEmpty } ?? false
      let isAdded = try todo.titles().count == 2
      #expect(outcome.errors.contains("-wal") == isLog, "\(blocks): \(outcome)")
      if isLog, isAdded { spoken += 1 }
    }
    #expect(spoken > 0)
  }

  /// Whether a file system of any size can be made for a test.
  private static let canMount =
    (try? Todo().run(["-m", "/bin/sh", "-c", "mount -t tmpfs none /proc"], program: "/usr/bin/unshare"))?.code == 0

  @Test(.enabled(if: canMount, "not permitted to mount a small file system"), arguments: [false, true])
  func `an upgrade that finds no room leaves the file whole`(isNew: Bool) throws {
    let script = """
      mkdir disk && mount -t tmpfs -o size="$SIZE"k none disk
      [ -z "$OLD" ] || cp "$OLD" disk/todo.db
      "$PROGRAM" --db disk/todo.db add Zebra >/dev/null 2>&1
      echo $? >code
      [ ! -e disk/todo.db ] || cp disk/todo.db alone.db
      mount -o remount,size=10m disk
      "$PROGRAM" --db disk/todo.db add two >/dev/null && cp disk/todo.db later.db && ls disk >names
      """
    var refused = 0
    for size in stride(from: 56, through: 264, by: 8) {
      var todo = try Todo()
      todo.environment = [
        "PROGRAM": Program.path, "SIZE": "\(size)",
        "OLD": isNew ? "" : try Fixture.copy(.todoOlder),
      ]
      let outcome = try todo.run(
        ["-m", "/bin/sh", "-c", "cd '\(todo.folder)' && \(script)"], program: "/usr/bin/unshare")
      func text(_ name: String) throws -> String {
        try String(contentsOfFile: todo.folder + "/" + name, encoding: .utf8)
      }
      let isAdded = try text("code") == "0\n"
      if !isAdded { refused += 1 }
      let alone = try todo.run(["list", "--db", todo.folder + "/alone.db"])
      #expect(alone.code == 0 || alone.errors.contains("no database here"), "\(size): \(outcome) \(alone)")
      let titles = try todo.run(["list", "--json", "--db", todo.folder + "/later.db"]).items()
        .compactMap { $0["title"] as? String }
      #expect(titles.contains("Zebra") == isAdded && titles.contains("two"), "\(size): \(outcome) \(titles)")
      #expect(try text("names") == "todo.db\n", "\(size)")
    }
    #expect(refused > 0)
  }

  @Test func `reading changes nothing where a killed program has left its log`() throws {
    let todo = try Todo()
    try todo.ok("add", "one")
    let script = """
      "$PROGRAM" watch --json >"$TODO_DB.out" & id=$!
      until [ -s "$TODO_DB.out" ]; do sleep 0.05; done
      "$PROGRAM" add two >/dev/null
      kill -9 $id
      wait $id
      rm "$TODO_DB.out"
      """
    var killing = todo
    killing.environment["PROGRAM"] = Program.path
    _ = try killing.run(["-c", script], program: "/bin/sh")
    let before = try contents(todo.folder)
    #expect(before["todo.db-wal"]?.isEmpty == false && before["todo.db-shm"]?.count == 32_768)
    for command in Self.readings {
      let outcome = try todo.run(command)
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
      #expect(try contents(todo.folder) == before, "\(command)")
    }
    #expect(try todo.titles() == ["one", "two"])
    try todo.ok("add", "three")
    try expectWhole(todo, "add")
  }

  @Test(arguments: [4, 8, 16, 64, 128, 256, 384, 512]) func `a first start on a full disk leaves an empty list`(
    blocks: Int
  ) throws {
    let todo = try Todo()
    func run(_ command: String) throws -> Outcome {
      try todo.run(
        ["-c", "trap '' XFSZ; ulimit -f \(blocks); exec '\(Program.path)' \(command)"], program: "/bin/sh")
    }
    let added = try run("add Zebra")
    if added.code != 0 { #expect(added.code == 74 && added.errors.contains("full"), "\(added)") }
    for command in ["list --plain", "export", "log"] {
      let outcome = try run(command)
      #expect(outcome.code == 0 && outcome.output.contains("Zebra") == (added.code == 0), "\(command): \(outcome)")
    }
    #expect(try run("stats").code == 0)
    try todo.ok("add", "two")
    #expect(try todo.titles() == (added.code == 0 ? ["Zebra", "two"] : ["two"]))
    let files = try FileManager.default.contentsOfDirectory(atPath: todo.folder)
    #expect(files.filter { $0.hasPrefix("todo.db-") } == [])
  }

  @Test func `what is on a full disk can be read`() throws {
    let todo = try Todo()
    try todo.ok("add", "one")
    // There is room for what is printed, but not for the file that programs share while they use the database.
    func run(_ command: String) throws -> Outcome {
      try todo.run(["-c", "trap '' XFSZ; ulimit -f 8; exec '\(Program.path)' \(command)"], program: "/bin/sh")
    }
    for command in ["list", "search one", "export", "show 1", "doctor", "log", "stats"] {
      let outcome = try run(command)
      #expect(outcome.code == 0 && !outcome.output.isEmpty, "\(command): \(outcome)")
    }
    let refused = try run("add two")
    #expect(refused.code == 74 && refused.errors.contains("full"), "\(refused)")
    #expect(try todo.titles() == ["one"])
    try todo.ok("add", "two")
    #expect(try FileManager.default.contentsOfDirectory(atPath: todo.folder).filter { $0.hasPrefix("todo.db-") } == [])
  }
}
