import Foundation
import Testing
import TodoCommands

/// What a command does that a service runs for a caller, and what `todo` does without the program todo-net.
@Suite struct ServedCommandTests {
  private func served(_ terminals: String = "- - -", _ more: [String: String] = [:]) throws -> Todo {
    var todo = try Todo()
    todo.environment = more.merging(["TODO_CALLER": terminals]) { $1 }
    return todo
  }

  @Test func `each command says whether a service can run it`() {
    let local = Command.all.filter { ![.service, .anywhere].contains($0.place) }.map(\.name)
    #expect(
      local == ["watch", "demo", "serve", "doctor", "backup", "restore", "config", "completion"])
    #expect(Set(Command.all.flatMap(\.flags).filter(\.isLocal).map(\.name)) == ["--editor"])
  }

  @Test func `local commands and flags are refused`() throws {
    let todo = try served()
    for command in Command.all where ![.service, .anywhere].contains(command.place) {
      let message = try todo.fails(64, command.name, "x")
      #expect(
        message == "todo: `todo \(command.name)` works on this machine's files only; run it where the database is\n")
    }
    #expect(try todo.fails(64, "list", "--db", "x").contains("`--db` works on this machine's files only"))
    #expect(try todo.fails(64, "edit", "--editor").contains("`todo edit --editor` works on this machine's"))
  }

  @Test func `a file to import is what the caller has sent`() throws {
    let todo = try served()
    let secret = todo.folder + "/secret.md"
    try Data("- [ ] Secret\n".utf8).write(to: URL(filePath: secret))
    #expect(try todo.ok("import", secret, input: "- [ ] Sent\n").output.contains("from secret.md (as markdown)"))
    #expect(try todo.titles() == ["Sent"])
  }

  @Test func `a question ends the command until its answer is sent`() throws {
    var todo = try served("80 80 80")
    try todo.ok("add", "Milk")
    try todo.ok("add", "Bread")
    let asked = try todo("done", "+Inbox")
    #expect(asked.code == 200 && asked.errors == "`todo done` would change 2 items: go on? [y/n] ")
    todo.environment["TODO_ANSWERS"] = "n:\(asked.output)"
    #expect(try todo("done", "+Inbox").code == 1)
    todo.environment["TODO_ANSWERS"] = "y:\(asked.output)"
    // The answer was about other items.
    try todo.ok("add", "Tea")
    try todo.ok("rm", "1")
    #expect(try todo("done", "+Inbox").code == 200)
    try todo.ok("undo")
    try todo.ok("rm", "3")
    #expect(try todo.ok("done", "+Inbox").output.hasPrefix("completed 2 items:"))
  }

  @Test func `the settings and the terminal are the caller's`() throws {
    let todo = try served("- 30 -", ["TODO_SETTINGS": "list = Work\nview = priority\n", "TERM": "dumb"])
    try todo.ok("add", "A title that is longer than the line of the terminal", "!high")
    let lines = try todo.ok("list").lines
    #expect(lines.first == "high (1)" && lines.dropFirst().allSatisfy { $0.count <= 30 } && lines.count == 2)
    #expect(try todo.items().first?["list"] as? String == "Work")
  }

  @Test func `without todo-net a sentence says what to install`() throws {
    let todo = try Todo()
    let copy = todo.folder + "/todo"
    // Not by this process: a program that another test starts meanwhile would have the file open for writing.
    try #require(try todo.run([Program.path, copy], program: "/bin/cp").code == 0)
    for arguments in [["serve"], ["--remote", "http://127.0.0.1:8750", "list"]] {
      let outcome = try todo.run(arguments, program: copy)
      #expect(outcome.code == 74 && outcome.output == "")
      #expect(
        outcome.errors
          == "todo: this needs the program todo-net beside todo, which is not there; install it with: Scripts/install --net\n"
      )
    }
  }

  @Test func `only commands on the database follow TODO_REMOTE, and a file goes before it`() throws {
    var todo = try Todo()
    todo.environment["TODO_REMOTE"] = "ftp://nosuch"
    #expect(try todo.fails(64, "list").contains("is no address of a service"))
    #expect(try todo.fails(64, "backup", "x").contains("is no address of a service"))
    for arguments in [["help"], ["version"], ["config"], ["completion", "bash"], ["list", "--db", todo.path]] {
      #expect(try todo.run(arguments).code == 0, "\(arguments)")
    }
    #expect(try todo.fails(64, "--remote", "ftp://nosuch", "version").contains("is no address of a service"))
    todo.environment = [:]
    #expect(try todo.fails(64, "--insecure", "list").contains("--insecure is for a service"))
  }
}
