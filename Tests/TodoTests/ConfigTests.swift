import Foundation
import Testing

@Suite struct ConfigTests {
  /// A program with a config file.
  private func todo(_ config: String) throws -> Todo {
    var todo = try Todo()
    todo.environment["XDG_CONFIG_HOME"] = todo.folder
    try FileManager.default.createDirectory(atPath: todo.folder + "/todo", withIntermediateDirectories: true)
    try Data(config.utf8).write(to: URL(filePath: todo.folder + "/todo/config"))
    return todo
  }

  @Test func `settings are in force, and flags go before them`() throws {
    let todo = try todo("\u{FEFF}# mine\n\n list=Work stuff   # all of it\nview = priority\r\ncolor = always\n")
    try todo.ok("add", "Milk", "!high")
    try todo.ok("add", "Pens", "+Errands")
    #expect(try todo.ok("list", "--json").items().map { $0["list"] as? String } == ["Work stuff", "Errands"])
    #expect(try todo.ok("list").output.contains("\u{1b}["))
    func heading(_ words: String...) throws -> Bool {
      try todo.ok("list", words[0], words[1]).output.prefix(20).contains("high")
    }
    #expect(try heading("--limit", "9") && !heading("--by", "list"))
    let shown = try todo.ok("config", "--plain").output
    #expect(shown.contains("list\tWork stuff\t\(todo.folder)/todo/config, line 3\n"))
    #expect(shown.contains("view\tpriority\t\(todo.folder)/todo/config, line 4\n"))
    #expect(shown.contains("week-starts\tmonday\tby default\n"))
  }

  @Test func `a wrong line is named with its number, and nothing is done`() throws {
    for (config, reason) in [
      ("view = due\nveiw = due", "line 2: there is no setting \"veiw\"; did you mean \"view\"?"),
      ("view due", "line 1: \"view due\" is no setting; write it as in: view = due"),
      ("view = dates", "line 1: view is list, due, priority, tag, none, and not \"dates\""),
      ("view = due\nview = tag", "line 2: view is set twice; remove one of the two"),
      ("list =", "line 1: list is the name of a list, and not \"\""),
    ] {
      let todo = try todo(config)
      for command in [["list"], ["add", "Milk"], ["config"]] {
        let outcome = try todo.run(command)
        #expect(outcome.code == 65, "\(config)")
        #expect(outcome.errors.replacing("\n", with: " ").contains("todo/config, \(reason)"), "\(outcome.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: todo.path))
      #expect(try todo.run(["help"]).code == 0)
    }
  }

  @Test func `dates are read in the order and with the weeks of the user`() throws {
    let todo = try todo("date-order = month-day\nweek-starts = sunday\n")
    try todo.ok("add", "Milk", "due:11/12/2031", "wait:none")
    #expect(try todo.items("wait:any").first?["due"] as? String == "2031-11-12")
    try todo.ok("add", "Bread", "due:eow")
    let day = try #require(try todo.items().first { $0["title"] as? String == "Bread" }?["due"] as? String)
    let date = try #require(try? Date(day + "T12:00:00Z", strategy: .iso8601))
    #expect(Calendar(identifier: .gregorian).component(.weekday, from: date) == 7)
    #expect(try todo.ok("list", "due:this-week", "--json").items().count == 1)
  }

  @Test func `without a file, everything is as it is by default`() throws {
    let todo = try Todo()
    let shown = try todo.ok("config").output
    #expect(shown.contains("list = Inbox") && shown.contains("# by default") && shown.contains("todo/config"))
    #expect(try todo.ok("config", "--json").output.contains(#""view":{"value":"list"}"#))
  }
}
