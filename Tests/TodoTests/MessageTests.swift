import FixtureSupport
import Foundation
import Testing

/// Errors say what is wrong, where, and what to do.
@Suite(.timeLimit(.minutes(3))) struct MessageTests {
  private func sentence(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  @Test(arguments: [
    ["list", "+Hom"], ["search", "one", "+Hom"], ["show", "+Hom"], ["done", "+Hom"], ["rm", "+Hom"],
    ["archive", "+Hom"],
    ["start", "+hom"], ["tag", "+Hom", "@x"], ["move", "+Hom", "--first"],
  ]) func `a misspelt list gets a suggestion`(command: [String]) throws {
    let todo = try Todo()
    try todo.ok("add", "one", "+Home")
    let outcome = try todo.run(command)
    #expect(outcome.code == 0)
    #expect(
      sentence(outcome.output + outcome.errors).lowercased().hasSuffix(
        "there is no list \"hom\"; did you mean \"home\"?"), "\(outcome)")
    // A list that exists is not mentioned.
    try todo.ok("lists", "add", "Hom")
    #expect(try !todo.run(command).output.contains("no list"))
    #expect(try todo.run(["list", "+Nowhere", "--json"]).json()["sections"] as? [String] == [])
  }

  @Test(arguments: [["list", "@wrk"], ["show", "@wrk"], ["done", "@wrk"], ["rm", "@wrk"]])
  func `a misspelt tag gets a suggestion`(command: [String]) throws {
    let todo = try Todo()
    try todo.ok("add", "one", "@work")
    try todo.ok("add", "without")
    let outcome = try todo.run(command)
    #expect(
      outcome.code == 0
        && sentence(outcome.output + outcome.errors).hasSuffix("no item has the tag \"wrk\"; did you mean \"work\"?"))
    // On the standard error, whatever the form.
    for form in ["--json", "--plain"] {
      let errors = try todo.run(["list", "@other", form]).errors
      #expect(sentence(errors).hasSuffix("`todo list --all --by tag` shows those there are"))
    }
    // A tag that only other items have is not mentioned.
    try todo.ok("add", "two", "@wrk", "+Home")
    #expect(try todo.ok("list", "@wrk", "+Inbox").output == "nothing to do\n")
  }

  @Test(arguments: [
    ("due:2026-02-29", "February 2026 has 28 days"), ("due:2024-02-30", "February 2024 has 29 days"),
    ("due:2026-04-31T10:00", "April 2026 has 30 days"), ("due:2026-13-01", "there is no month 13"),
    ("due:2026-01-32", "January 2026 has 31 days"),
  ]) func `a day that does not exist is named`(token: String, says: String) throws {
    let todo = try Todo()
    #expect(sentence(try todo.fails(64, "add", "x", token)).contains(says))
    #expect(sentence(try todo.fails(64, "list", token.replacing("due:", with: "due:before:"))).contains(says))
  }

  @Test(arguments: [
    (["lists", "rm", "Home"], "todo lists remove"), (["lists", "delete", "Home"], "todo lists remove"),
    (["lists", "mv", "Home"], "todo lists rename"), (["remove", "1"], "todo rm"), (["delete", "1"], "todo rm"),
    (["ls"], "todo list"),
  ]) func `the name of a command in other programs leads to ours`(command: [String], ours: String) throws {
    let outcome = try Todo().run(command)
    #expect(outcome.code == 64 && sentence(outcome.errors).contains("did you mean \"\(ours)\"?"), "\(outcome)")
  }

  @Test func `a file that is no database is named`() throws {
    let todo = try Todo()
    try String(repeating: "no database\n", count: 2000).write(
      toFile: todo.folder + "/x.db", atomically: true, encoding: .utf8)
    for command in [["list"], ["add", "x"], ["doctor"], ["undo"]] {
      let outcome = try todo.run(command + ["--db", "x.db"])
      #expect(outcome.code == 65 && sentence(outcome.errors).contains("x.db is no database"), "\(outcome)")
    }
  }

  @Test func `a pipe in place of a database is refused at once`() throws {
    let todo = try Todo()
    try #require(mkfifo(todo.folder + "/pipe", 0o600) == 0)
    for command in [["list"], ["add", "x"], ["doctor"], ["watch"], ["backup", "b.db"], ["undo"], ["export"]] {
      let outcome = try todo.run(command + ["--db", "pipe"])
      #expect(outcome.code == 74 && outcome.errors.contains("pipe"), "\(outcome)")
    }
    try todo.ok("add", "x")
    for command in [["restore", "pipe"], ["backup", "pipe"]] {
      let outcome = try todo.run(command)
      #expect([4, 74].contains(outcome.code) && outcome.errors.contains("pipe"), "\(outcome)")
    }
  }

  @Test(.enabled(if: geteuid() != 0 || FileManager.default.fileExists(atPath: "/usr/bin/setpriv")))
  func `a backup into a folder that can't be written names that folder`() throws {
    let todo = try Todo()
    try todo.ok("add", "x")
    for (path, mode) in [("/todo.db", 0o666), ("", 0o777)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: todo.folder + path)
    }
    try FileManager.default.createDirectory(atPath: todo.folder + "/closed", withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: todo.folder + "/closed")
    let arguments = ["--db", todo.path, "backup", todo.folder + "/closed/b.db"]
    let reader = ["--reuid=65534", "--regid=65534", "--clear-groups", Program.path]
    let outcome =
      try geteuid() == 0 ? todo.run(reader + arguments, program: "/usr/bin/setpriv") : todo.run(arguments)
    #expect(outcome.code == 74 && sentence(outcome.errors).contains("folder \(todo.folder)/closed"), "\(outcome)")
    #expect(!outcome.errors.contains("the database"), "\(outcome)")
  }

  @Test(arguments: [
    "DELETE FROM item_search_data", "DROP TABLE item_search_idx", "DROP TABLE item_search_docsize",
    "DROP TABLE item_search_data", "DROP TABLE item_search_config",
  ]) func `a damaged search index is named, and the doctor checks everything else`(sql: String) throws {
    let todo = try Todo()
    try todo.ok("add", "Milk", "+Home")
    try RawDatabase(path: todo.path).execute(sql)
    #expect(try todo.titles() == ["Milk"])
    let doctor = try todo.run(["doctor"])
    #expect(doctor.code == 65, "\(doctor)")
    #expect(sentence(doctor.output).contains("search: the search index is damaged; go back to a backup"), "\(doctor)")
    #expect(doctor.output.contains("items: well") && !doctor.output.contains("todo doctor"), "\(doctor)")
    let search = try todo.run(["search", "Milk"])
    #expect(!search.errors.contains("todo doctor"), "\(search)")
    // What the message says to do.
    let other = try Todo()
    try other.ok("import", "-", "--format", "json", input: try todo.ok("export").output)
    #expect(try other.ok("search", "Milk").output.contains("Milk"))
  }

  @Test func `a checkbox with nothing but a tag is an item`() throws {
    let todo = try Todo()
    let text = "# Home\n- [ ] @alice\n- [x] +Work\n- [ ] !high @bob due:2031-01-01\n  > a note\n"
    try todo.ok("import", "-", "--format", "markdown", input: text)
    #expect(try todo.titles("--all") == ["@alice", "+Work", "!high @bob due:2031-01-01"])
    #expect(try todo.items("+Home").last?["due"] as? String == "2031-01-01")
    let other = try Todo()
    try other.ok("import", "-", "--format", "markdown", input: try todo.ok("export", "--format", "markdown").output)
    #expect(try other.titles("--all") == todo.titles("--all"))
  }

  @Test func `a command without operands refuses one`() throws {
    let todo = try Todo()
    let commands = try todo.ok("help").output.split(separator: "\n\n")[2].split(separator: "\n")
    let names = commands.filter { !$0.hasPrefix("   ") }.map { String($0.split(separator: " ")[0]) }
    let without = try names.filter { name in
      let pages = try todo.ok("help", name).output.split(separator: "\n")
      let usage = try #require(pages.first { $0.hasPrefix("usage:") }).replacing(/\[--[^\]]*\]/, with: "")
      return usage.split(separator: " ").count == 3
    }
    #expect(without.count >= 7 && without.contains("version"), "\(without)")
    // What `serve` takes is known to the program that it runs.
    for name in without where name != "serve" {
      let message = sentence(try todo.fails(64, name, "x"))
      #expect(message.contains("`todo \(name)` takes nothing more, such as \"x\""), "\(message)")
    }
  }

  @Test(arguments: ["json", "taskwarrior"])
  func `a title that is null is named`(format: String) throws {
    let name = format == "json" ? "title" : "description"
    let todo = try Todo()
    let message = try todo.fails(65, "import", "-", "--format", format, input: "[{\"\(name)\": null}]")
    #expect(sentence(message).contains("\"\(name)\" is a text, not null"), "\(message)")
  }

  @Test func `the man page describes the lines of watch`() throws {
    let page = try Todo().ok("help", "--man").output
    for word in ["changes", "insert", "delete", "move", "update"] { #expect(page.contains(word), "\(word)") }
  }
}
