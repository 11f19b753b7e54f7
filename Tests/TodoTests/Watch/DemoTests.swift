import FetchedResultsSupport
import FixtureSupport
import Testing
import TodoCore

/// `todo demo`, which ends by itself and leaves nothing behind.
@Suite(.serialized) struct DemoTests {
  private static let sample = ["Groceries", "Post Office", "Presentation", "Multiple Selections"]

  /// The names of what is in a folder.
  private func content(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  @Test func `in a pipe it is plain text`() throws {
    let folder = try TemporaryFolder.make()
    let program = try RunningProgram(
      piped: [RunningProgram.path, "demo"], environment: ["TMPDIR": folder, "XDG_DATA_HOME": folder])
    let text = program.readAll()
    #expect(program.wait() == .exit(0))
    for title in Self.sample { #expect(text.contains(title)) }
    #expect(!text.contains("\u{1B}"))
    // Each command, its difference, and then the list.
    let lines = text.split(separator: "\n").map(String.init)
    let commands = lines.indices.filter { lines[$0].hasPrefix("$ todo ") }
    #expect(commands.count == 7 && lines[commands[0]] == "$ todo add \"Pay rent\" +Errands pri:high due:tomorrow")
    #expect(lines[commands[0] + 1] == "  rows: inserted [0, 2]")
    #expect(lines[commands[5] + 1].contains("sections: deleted 0"), "\(lines[commands[5] + 1])")
    // Done items have been removed, undone ones are there again.
    #expect(lines[commands[6]...].contains { $0.contains("Pay rent") })
    #expect(content(of: folder) == [])
  }

  @Test func `its lines make the list`() throws {
    let folder = try TemporaryFolder.make()
    let program = try RunningProgram(piped: [RunningProgram.path, "demo", "--json"], environment: ["TMPDIR": folder])
    let lines = program.readAll().split(separator: "\n").map(String.init)
    #expect(program.wait() == .exit(0))
    var reader = try LineReader(try #require(lines.first))
    for line in lines.dropFirst() { try reader.apply(line) }
    #expect(reader.sections.map(\.name) == ["Errands", "Career"])
    #expect(reader.sections.map(\.items.count) == [1, 3])
    #expect(content(of: folder) == [])
  }

  @Test func `on a terminal it shows the list and leaves a transcript`() throws {
    let folder = try TemporaryFolder.make()
    let program = try RunningProgram(
      terminal: [RunningProgram.path, "demo"], columns: 70, rows: 20, environment: ["TMPDIR": folder])
    var terminal = TerminalModel(columns: 70, rows: 20)
    var sawSample = false
    while let bytes = program.read() {
      terminal.receive(bytes)
      sawSample = sawSample || Self.sample.allSatisfy(terminal.text.contains)
    }
    #expect(sawSample)
    #expect(program.wait() == .exit(0))
    #expect(terminal.isRestored && program.isCooked && terminal.complaints == [])
    #expect(terminal.transcript.contains("$ todo done 1"))
    #expect(content(of: folder) == [])
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal leaves nothing behind`(signal: Int32, code: Int32) throws {
    let folder = try TemporaryFolder.make()
    let program = try RunningProgram(piped: [RunningProgram.path, "demo"], environment: ["TMPDIR": folder])
    _ = program.read()
    program.send(signal)
    #expect(program.wait() == .exit(code))
    #expect(content(of: folder) == [])
  }

  @Test(arguments: [("\u{3}", 130), ("q", 0)] as [(String, Int32)])
  func `a key ends it on a terminal`(key: String, code: Int32) throws {
    let folder = try TemporaryFolder.make()
    let program = try RunningProgram(
      terminal: [RunningProgram.path, "demo"], columns: 70, rows: 20, environment: ["TMPDIR": folder])
    var terminal = TerminalModel(columns: 70, rows: 20)
    while !terminal.text.contains("$ todo") { terminal.receive(try #require(program.read())) }
    program.type(key)
    while let bytes = program.read() { terminal.receive(bytes) }
    #expect(program.wait() == .exit(code))
    #expect(terminal.isRestored && program.isCooked)
    #expect(content(of: folder) == [])
  }

  @Test func `the demo ends when its reader closes the pipe`() throws {
    let folder = try TemporaryFolder.make()
    let program = try RunningProgram(
      piped: ["/bin/sh", "-c", "\"$1\" demo 2>&1 | head -n 1", "sh", RunningProgram.path],
      environment: ["TMPDIR": folder])
    #expect(program.readAll().hasPrefix("A list in a throw-away database"))
    #expect(program.wait() == .exit(0))
    #expect(content(of: folder) == [])
  }
}
