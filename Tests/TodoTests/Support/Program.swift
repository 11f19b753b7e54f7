import Foundation
import Testing

/// The result of a run of the program.
struct Outcome {
  var code: Int32
  var output: String
  var errors: String

  /// The lines of the output, without the last line's end.
  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// The JSON document of the output.
  func json(_ location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], sourceLocation: location)
  }

  /// The items of all sections.
  func items(_ location: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
    let sections = try #require(try json(location)["sections"] as? [[String: Any]], sourceLocation: location)
    return sections.flatMap { $0["items"] as? [[String: Any]] ?? [] }
  }
}

/// The built `todo`, which is beside the tests' own bundle.
enum Program {
  static var path: String { RunningProgram.path }

  /// The zone of all runs, on a terminal or not: with two of them, today could be two days.
  static let zone = "Europe/Berlin"

  /// The environment with which runs start: nothing of the environment of the tests.
  static func environment(_ more: [String: String]) -> [String: String] {
    ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "TZ": zone, "LC_ALL": "C.UTF-8"]
      .merging(Self.ofSanitizers) { $1 }.merging(more) { $1 }
  }

  /// The sanitizer options of the test run, which also apply to the programs that the tests start.
  static let ofSanitizers = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }

  /// Starts the program with descriptors for its input, output and errors.
  static func spawn(
    _ arguments: [String], _ environment: [String: String], input: Int32, output: Int32, errors: Int32,
    program: String = path, folder: String? = nil
  ) throws -> pid_t {
    var command = [program] + arguments
    if let folder { command = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder] + command }
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      Self.environment(environment).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in [(Int32(0), input), (1, output), (2, errors)] {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    var id: pid_t = 0
    let code = posix_spawn(&id, command[0], &actions, nil, &words, &variables)
    try #require(code == 0, "\(program) can't be started: \(String(cString: strerror(code)))")
    return id
  }

  /// Waits for a process, and gives its exit code, or the signal that ended it with 1000 added.
  static func wait(_ id: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 1000 + status & 0x7F
  }
}

/// A database of its own, and the program run on it.
struct Todo {
  let folder: String
  let path: String
  var environment: [String: String] = [:]

  init() throws {
    folder = try Scratch.folder()
    path = folder + "/todo.db"
  }

  /// Runs a command on the database to its end.
  @discardableResult
  func callAsFunction(_ arguments: String..., input: String = "") throws -> Outcome {
    try run(arguments, input: Data(input.utf8))
  }

  /// The same, and it must go well.
  @discardableResult
  func ok(_ arguments: String..., input: String = "", _ location: SourceLocation = #_sourceLocation) throws -> Outcome {
    let outcome = try run(arguments, input: Data(input.utf8))
    #expect(outcome.code == 0, "\(arguments): \(outcome.errors)", sourceLocation: location)
    #expect(outcome.errors == "", sourceLocation: location)
    return outcome
  }

  /// The same, and it must fail with a code, with one sentence and without output.
  @discardableResult
  func fails(_ code: Int32, _ arguments: String..., input: String = "", _ location: SourceLocation = #_sourceLocation)
    throws -> String
  {
    let outcome = try run(arguments, input: Data(input.utf8))
    #expect(outcome.code == code, "\(arguments): \(outcome.errors)\(outcome.output)", sourceLocation: location)
    #expect(outcome.output == "", sourceLocation: location)
    let lines = outcome.errors.split(separator: "\n")
    #expect((1...2).contains(lines.count) && outcome.errors.hasPrefix("todo: "), sourceLocation: location)
    return outcome.errors
  }

  /// The items of a list as JSON.
  func items(_ arguments: String...) throws -> [[String: Any]] { try run(["list", "--json"] + arguments).items() }

  /// The titles of a list.
  func titles(_ arguments: String...) throws -> [String] {
    try run(["list", "--json"] + arguments).items().compactMap { $0["title"] as? String }
  }

  func run(_ arguments: [String], input: Data = Data(), program: String = Program.path) throws -> Outcome {
    let files = try ["in", "out", "err"].map { name in
      let path = try Scratch.folder() + "/" + name
      if name == "in" { try input.write(to: URL(fileURLWithPath: path)) }
      return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    defer { for file in files { close(file) } }
    var environment = environment
    if environment["TODO_DB"] == nil, environment["XDG_DATA_HOME"] == nil { environment["TODO_DB"] = path }
    let id = try Program.spawn(
      arguments, environment, input: files[0], output: files[1], errors: files[2], program: program, folder: folder)
    let code = Program.wait(id)
    return Outcome(code: code, output: Self.text(files[1]), errors: Self.text(files[2]))
  }

  private static func text(_ descriptor: Int32) -> String {
    lseek(descriptor, 0, SEEK_SET)
    return String(
      decoding: FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).availableDataToEnd, as: UTF8.self)
  }
}

extension FileHandle {
  /// All that can be read; nothing where reading fails.
  fileprivate var availableDataToEnd: Data { (try? readToEnd()) ?? Data() }
}

/// Folders for tests, which go when the process ends.
enum Scratch {
  private static let root: String = {
    let path = FileManager.default.temporaryDirectory.path + "/todo-tests-\(UUID().uuidString)"
    atexit { _ = try? FileManager.default.removeItem(atPath: Scratch.root) }
    return path
  }()

  static func folder() throws -> String {
    let path = root + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}

/// What a command prints on a terminal, with its lines' ends as in files, and its exit code.
func onTerminal(
  _ arguments: [String], path: String, columns: Int = 80, environment: [String: String] = [:]
) throws -> (code: Int32, text: String) {
  let program = try RunningProgram(
    terminal: [Program.path] + arguments, columns: columns, rows: 24,
    environment: ["TODO_DB": path].merging(environment) { $1 })
  let text = program.readAll().split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n")
  guard case .exit(let code)? = program.wait() else { return (-1, text) }
  return (code, text)
}
