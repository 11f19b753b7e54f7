import Foundation
import Testing

/// Completions in the real shells, each on a terminal of its own, where it is installed.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ShellTests {
  /// A shell that has loaded its completions, and the text that it has shown.
  private final class Session {
    let program: RunningProgram
    private var bytes: [UInt8] = []
    private var start = 0

    init(_ shell: String, _ todo: Todo) throws {
      let script = todo.folder + "/completions"
      try todo.ok("completion", shell).output.write(toFile: script, atomically: true, encoding: .utf8)
      let setup = ["bash": "bashrc", "zsh": ".zshrc", "fish": "config"][shell] ?? ""
      let load = shell == "zsh" ? "autoload -U compinit; compinit -u; source '\(script)'" : "source '\(script)'"
      try "PATH='\(Program.path.dropLast(5))':/usr/bin:/bin\nPS1='> '\n\(load)\n".write(
        toFile: todo.folder + "/" + setup, atomically: true, encoding: .utf8)
      let command =
        switch shell {
        case "bash": ["/usr/bin/bash", "--rcfile", todo.folder + "/bashrc", "-i"]
        case "zsh": ["/usr/bin/zsh", "-i"]
        default:
          [
            "/usr/bin/fish", "--no-config", "-i", "-C",
            "set PATH '\(Program.path.dropLast(5))' /usr/bin /bin; source '\(script)'",
          ]
        }
      program = try RunningProgram(
        terminal: command, columns: 100, rows: 30,
        environment: [
          "TODO_DB": todo.path, "ZDOTDIR": todo.folder, "HOME": todo.folder, "TERM": "xterm", "INPUTRC": "/dev/null",
        ])
    }

    /// Types something, and waits until the shell has shown a text.
    func type(_ keys: String, until text: String) throws {
      start = bytes.count
      program.type(keys)
      while !String(decoding: bytes[start...], as: UTF8.self).contains(text) {
        guard let more = program.read(milliseconds: 20_000) else {
          Issue.record(
            "\(text) never came; what is seen is \(String(decoding: bytes[start...], as: UTF8.self).debugDescription)")
          throw WatchSession.Missing()
        }
        bytes += more
      }
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func `a shell completes what can follow`(shell: String) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)") else { return }
    let todo = try Todo()
    try todo.ok("add", "Pay rent", "+Household", "@errand", "due:2031-01-02", "pri:high")
    try todo.ok("add", "Call Kim", "+Office")
    let session = try Session(shell, todo)
    // What it does is printed by the command itself, so the shell has inserted the right words.
    try session.type("echo rea''dy\r", until: "ready")
    try session.type("todo list +Hou\t\r", until: "Pay rent")
    try session.type("todo list @er\t\r", until: "Pay rent")
    try session.type("todo list pri:hi\t\r", until: "Pay rent")
    try session.type("todo edit 2 due:tom\t\r", until: "Call Kim")
    try session.type("todo edit 2 every:ye\t\r", until: "every year")
    // The numbers of open items are offered with their titles.
    try session.type("todo done \t" + (shell == "bash" ? "\t" : ""), until: "Pay rent")
    try session.type("1\r", until: "completed 1")
    try session.type("todo undone \t\r", until: "opened again")
  }
}
