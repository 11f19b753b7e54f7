import Foundation
import Testing

/// today, week, overdue and next; sorting; saved filters.
@Suite(.timeLimit(.minutes(3))) struct DayListTests {
  private func sample() throws -> Todo {
    let todo = try Todo()
    try todo.ok("add", "Milk", "+Home", "@errand", "due:today")
    try todo.ok("add", "Rent", "+Home", "!high", "due:yesterday")
    try todo.ok("add", "Slides", "+Work", "!high", "due:tomorrow")
    try todo.ok("add", "Idea", "+Work")
    try todo.ok("add", "Trip", "due:in-3-days")
    try todo.ok("add", "Far", "due:in-60-days")
    try todo.ok("start", "4")
    return todo
  }

  private func sections(_ outcome: Outcome) throws -> [String] {
    let sections = try outcome.json()["sections"] as? [[String: Any]] ?? []
    return sections.map { section in
      let items = section["items"] as? [[String: Any]] ?? []
      return "\(section["name"] ?? ""): \(items.map { "\($0["title"] ?? "")" }.joined(separator: ", "))"
    }
  }

  @Test func `lists of days are lists like others`() throws {
    let todo = try sample()
    #expect(try sections(todo.ok("overdue", "--json")) == ["overdue: Rent"])
    #expect(try sections(todo.ok("today", "--json")).map { $0.split(separator: ": ")[1] } == ["Rent", "Milk"])
    #expect(try sections(todo.ok("week", "--json")).count == 4)
    #expect(
      try sections(todo.ok("next", "--json"))
        == ["started: Idea", "overdue: Rent", "today: Milk", "high: Slides", "this week: Trip"])
    #expect(try sections(todo.ok("week", "+Home", "--by", "list", "--json")) == ["Home: Milk, Rent"])
    #expect(
      try sections(todo.ok("next", "--limit", "2", "not", "+Work", "--json")) == ["overdue: Rent", "today: Milk"])
    #expect(try todo.ok("today", "--plain").lines.map { $0.split(separator: "\t")[0] } == ["2", "1"])
    let week = try todo.ok("week").lines.filter { $0.hasSuffix(" (1)") }
    #expect(week.dropLast() == ["overdue (1)", "today (1)", "tomorrow (1)"])
    #expect(week[3].wholeMatch(of: /[A-Z][a-z]+day [1-3]?[0-9] [A-Z][a-z]+( 20[0-9]{2})? \(1\)/) != nil, "\(week)")
    let next = try todo.ok("next").output
    for reason in ["started", "high, overdue by 1 day ", "due today", "high, due tomorrow"] {
      #expect(next.contains("  \(reason)"), "\(next)")
    }
    #expect(!next.contains("(1)") && !next.contains("Far"))
    #expect(try todo.ok("overdue", "+Work").output == "nothing is overdue\n")
  }

  @Test(arguments: [
    ("due", "Rent, Milk, Slides, Trip, Far, Idea"), ("-due", "Far, Trip, Slides, Milk, Rent, Idea"),
    ("priority", "Rent, Slides, Milk, Idea, Trip, Far"), ("title", "Far, Idea, Milk, Rent, Slides, Trip"),
    ("-title", "Trip, Slides, Rent, Milk, Idea, Far"),
  ]) func `a list is sorted as it is asked for`(sort: String, titles: String) throws {
    let todo = try sample()
    #expect(try todo.titles("--by", "none", "--sort", sort).joined(separator: ", ") == titles)
    let reversed = sort.hasPrefix("-") ? String(sort.dropFirst()) : "-" + sort
    #expect(try todo.titles("--by", "none", "--sort", reversed, "--reverse").joined(separator: ", ") == titles)
    #expect(try sections(todo.ok("list", "--sort", "title", "--reverse", "--json"))[0] == "Home: Rent, Milk")
  }

  @Test func `orders and words that don't exist are errors`() throws {
    let todo = try sample()
    #expect(try todo.fails(64, "list", "--sort", "modified").contains("--sort created"))
    #expect(try todo.fails(64, "list", "--sort", "prio").contains("\"priority\""))
    #expect(try todo.fails(64, "list", "--by", "non").contains("\"none\""))
    #expect(try todo.fails(64, "list", "-@errand").contains("\"not @errand\""))
    #expect(try todo.fails(64, "rm", "not", "3", "@errand").contains("number 3"))
    #expect(try todo.fails(64, ":errands").contains("todo list :errands"))
    let outcome = try todo.run(["list", "due:none", "due:before:fri"])
    #expect(outcome.output == "nothing to do\n" && outcome.errors.contains("exclude each other") && outcome.code == 0)
  }

  @Test func `a filter is saved, used, shown and removed`() throws {
    let todo = try sample()
    try todo.ok("filter", "save", "soon", "(due:today", "or", "due:tomorrow)")
    try todo.ok("filter", "save", "work", "+Work", "not", ":soon")
    #expect(try todo.titles(":soon") == ["Milk", "Slides"] && todo.titles(":WORK") == ["Idea"])
    #expect(try todo.titles(":soon", "not", "+Home") == ["Slides"])
    #expect(try todo.ok("filter").lines == [":soon  '(due:today' or 'due:tomorrow)'", ":work  +Work not :soon"])
    let json = try todo.ok("filter", "--json").json()["filters"] as? [[String: Any]]
    #expect(json?[1]["name"] as? String == "work" && json?[1]["words"] as? [String] == ["+Work", "not", ":soon"])
    #expect(try todo.ok("done", ":soon", "+Home").output.contains("completed 1 \"Milk\""))
    #expect(try todo.fails(64, "filter", "save", "soon", ":work").contains("part of itself"))
    for name in ["a b", "a:b", "$x", "-x"] { try todo.fails(64, "filter", "save", "--", name, "@x") }
    #expect(try todo.fails(64, "filter", "save", "x", "milk").contains("\"milk\" is no filter"))
    #expect(try todo.fails(3, "list", ":son").contains("\"soon\""))
    let copy = todo.folder + "/copy.db"
    try todo.ok("backup", copy)
    #expect(try todo.ok("filter", "--plain", "--db", copy).lines.count == 2)
    let offered = try todo.ok("completion", "zsh", "--", "list", ":s").output
    #expect(offered == "\\:soon:(due:today or due:tomorrow)\n", "\(offered)")
    try todo.ok("filter", "remove", ":soon")
    #expect(try todo.fails(3, "filter", "remove", "soon").contains("no saved filter"))
    #expect(try todo.fails(3, "list", ":work").contains("no saved filter \"soon\""))
  }

  @Test(arguments: [40, 80]) func `what is overdue and important is marked at any width`(columns: Int) throws {
    let todo = try sample()
    let title = "A title that is far longer than a line of a usual terminal, and that goes on for ever and ever"
    try todo.ok("add", title, "+Home")
    let text = try onTerminal(["list"], path: todo.path, columns: columns, environment: ["NO_COLOR": "1"]).text
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "1 overdue, 1 due today: todo today")
    let rent = try #require(lines.first { $0.contains("Rent") })
    #expect(rent.contains("overdue") && rent.contains("!"), "\(text)")
    // The long title goes on where the date and the tags of others are.
    let long = try #require(lines.first { $0.contains("A title") })
    #expect(long.hasSuffix("…") && long.count > columns - 16, "\(text)")
    #expect(try !onTerminal(["list", "+Work"], path: todo.path, columns: columns).text.contains("todo today"))
    #expect(try !todo.ok("list").output.contains("todo today"))
  }
}
