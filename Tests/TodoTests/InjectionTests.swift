import Foundation
import Testing
import TodoCore

/// The content of a title, a list, a tag or a note stays text, wherever it is printed and whatever reads it.
@Suite struct InjectionTests {
  private static let terminal = [
    "\u{1B}[31m", "\u{1B}]0;owned\u{7}", "\u{9B}2J", "\u{202E}", "\u{2066}", "a\u{8}\u{7F}b",
  ]
  private static let texts =
    terminal + [
      "=1+1", "+1", "-1", "@x", "\tx", "\rx", "'x", "''=1", "=HYPERLINK(\"x\")", "# head", "## head", "- [ ] box",
      "- [x] box",
      "* [x] box", "1. one", "1) one", "[l](http://x)", "![i](x)", "[x]", "<script>alert(1)</script>", "<!-- c", "```",
      "~~~",
      "`c`", "> q", "---", "===", "***", "_e_ **b**", "| a | b |", "&lt;", "\\", "\\[x\\]", "    code", "tail  ",
      "tail\\",
      "line\nbreak\n# head", "a\n- [x] forged", "a\r\nb", "a\u{2028}b", "u\u{85}v", "x 2031-01-01 done", "(A) pri",
      "due:2031-01-01", "uuid:y", "every:day", "Home\n\n# Other\n- [ ] forged", "a,b\"c\"", "{\"a\":1}",
    ]

  /// A database in which they are everything that has a name.
  private func filled() throws -> Todo {
    let todo = try Todo()
    let store = try TodoStore.open(DatabaseLocation(path: todo.path))
    let drafts = Self.texts.enumerated().map { index, text in
      ItemDraft(
        title: text, list: index % 4 == 0 ? "L\(text)" : "Home", tags: [text],
        notes: (index % 2 == 0 ? [text] : []) + (index % 3 == 0 ? ["second"] : []))
    }
    let added = try store.add(drafts)
    for item in added.items where item.id % 5 == 1 { _ = try store.done(Selection(item.id)) }
    _ = try store.addList("empty\n- [ ] forged")
    try store.close()
    return todo
  }

  private static func harmful(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value) || $0.properties.isBidiControl
        || (0x2028...0x2029).contains($0.value)
    }
  }

  @Test func `no title has an effect on the terminal`() throws {
    let todo = try filled()
    let evil = Self.terminal.joined()
    let commands: [[String]] = [
      ["list", "--all"], ["list", "--by", "tag"], ["list", "--plain"], ["list", "--json"], ["lists"],
      ["lists", "--json"],
      ["log"], ["log", "--json"], ["stats"], ["stats", "--json"], ["show", "1"], ["show", "1", "--json"], ["doctor"],
      ["undo"], ["redo"], ["search", "--", evil], [evil], ["help", evil], ["help", "list", evil],
      ["list", "--\(evil)"],
      ["list", "@\(evil)"], ["done", evil], ["list", "--by", evil], ["add", "due:\(evil)", "x"],
      ["edit", "1", "!\(evil)"],
      ["import", evil], ["import", "\(evil).json"], ["import", "-", "--format", evil], ["export", "--format", evil],
      ["completion", evil], ["list", "--db", "no/\(evil)"], ["backup", "no/\(evil)"], ["backup", "b\(evil)"],
      ["backup", "b\(evil)"], ["lists", "rename", evil, "b"], ["lists", evil], ["move", "1", "--to", evil],
      ["move", "1", "--\(evil)"], ["undo", evil], ["--\(evil)"], ["-\(evil)"], ["lists", "rm", evil],
      ["tag", "1", "-@\(evil)"],
      ["export"], ["export", "--format", "taskwarrior"],
    ]
    for arguments in commands {
      let outcome = try todo.run(arguments)
      #expect(outcome.output + outcome.errors != "", "\(arguments)")
      #expect(Self.harmful(outcome.output + outcome.errors).isEmpty, "\(arguments): \(outcome)")
    }
    for input in [
      "[{\"description\":\"\(evil)",
      "{\"sections\":[{\"name\":\"A\",\"items\":[{\"\(evil)\":1,\"due\":\"\(evil)\"}]}]}",
    ] {
      for format in ["json", "taskwarrior", "csv"] {
        let outcome = try todo.run(["import", "-", "--format", format], input: Data(input.utf8))
        #expect(outcome.code == 65 && Self.harmful(outcome.errors).isEmpty, "\(outcome.errors)")
      }
    }
  }

  @Test(arguments: ["json", "todotxt", "taskwarrior", "markdown", "csv"])
  func `an export is safe on a terminal, and as JSON exact in a file`(format: String) throws {
    let todo = try filled()
    let (code, text) = try onTerminal(["export", "--format", format], path: todo.path)
    #expect(code == 0 && Self.harmful(text).isEmpty)
    let file = try todo.run(["export", "--format", format]).output
    #expect(text.split(separator: "\n").count >= Self.texts.count)
    guard format == "json" else { return }
    let other = try Todo()
    try other.ok("import", "-", "--format", format, input: file)
    let sections = { (todo: Todo) in try todo.run(["list", "--all", "--json"]).items() as NSArray }
    #expect(try sections(other) == sections(todo))
  }

  @Test func `every line of a checklist is a heading, a box or a note, and its text is escaped`() throws {
    let todo = try filled()
    let lines = try todo.run(["export", "--format", "markdown"]).output.split(
      separator: "\n", omittingEmptySubsequences: true)
    var counts = ["# ": 0, "- [ ] ": 0, "- [x] ": 0, "  > ": 0]
    for line in lines {
      let start = try #require(counts.keys.first { line.hasPrefix($0) }, "\(line)")
      counts[start, default: 0] += 1
      var isEscaped = false
      for character in line.dropFirst(start.count) {
        if !isEscaped { #expect(!"`*_[]<>#|~&\r".contains(character), "\(line)") }
        isEscaped = character == "\\" && !isEscaped
      }
      // The backslash at the end of a note keeps it apart from the next one.
      #expect(!isEscaped || start == "  > ", "\(line)")
    }
    let lists = try #require(try todo.ok("lists", "--json").json()["lists"] as? [Any]).count
    let items = try todo.items("--all")
    #expect(counts["# "] == lists)
    #expect(counts["- [ ] "] == items.filter { $0["done"] as? Bool == false }.count)
    #expect(counts["- [x] "] == items.filter { $0["done"] as? Bool == true }.count)
  }

  @Test func `no field of a table is a formula and no line break makes a row`() throws {
    let todo = try filled()
    let rows = Self.table(try todo.run(["export", "--format", "csv"]).output)
    #expect(rows.count == Self.texts.count + 1)
    for row in rows {
      #expect(row.count == rows[0].count, "\(row)")
      for field in row {
        // Signs that spreadsheets take for the beginning of a formula, in any width.
        #expect(field.first.map { "=+-@\t\r＝＋－＠".contains($0) } != true, "\(row)")
      }
    }
  }

  @Test func `no line break makes a line of todo.txt or a task`() throws {
    let todo = try filled()
    #expect(try todo.run(["export", "--format", "todotxt"]).lines.count == Self.texts.count)
    let tasks = try todo.run(["export", "--format", "taskwarrior"]).output
    #expect(try #require(JSONSerialization.jsonObject(with: Data(tasks.utf8)) as? [Any]).count == Self.texts.count)
  }

  /// The fields of a table, as a program reads them that knows nothing of us.
  private static func table(_ text: String) -> [[String]] {
    var rows: [[String]] = [[]]
    var field = ""
    var isQuoted = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": isQuoted.toggle()
      case ",", "\n":
        if isQuoted {
          field.unicodeScalars.append(scalar)
          continue
        }
        if scalar == "\n", field.unicodeScalars.last == "\r" { field.unicodeScalars.removeLast() }
        rows[rows.count - 1].append(field)
        field = ""
        if scalar == "\n" { rows.append([]) }
      default: field.unicodeScalars.append(scalar)
      }
    }
    return rows.dropLast()
  }
}
