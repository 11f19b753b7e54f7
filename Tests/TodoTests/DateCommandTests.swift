import Testing
import TodoCore

@Suite struct DateCommandTests {
  @Test func `the days of the coming week have names`() throws {
    var todo = try Todo()
    todo.environment["TZ"] = "UTC0"
    let today = Moment(.now, in: .fixed(seconds: 0)).today
    for ahead in 0...7 { try todo.ok("add", "Day \(ahead)", "due:\(today.adding(days: ahead))") }
    let rows = try todo.ok("list").output.split(separator: "\n").dropFirst()
    for (ahead, row) in rows.enumerated() {
      let day = today.adding(days: ahead)
      let word = ["today", "tomorrow"].dropFirst(ahead).first ?? String(day.weekdayName.prefix(3))
      #expect(row.hasSuffix("\(day)" + (ahead < 7 ? " \(word)" : "")), "\(row)")
    }
    try todo.ok("done", "2")
    #expect(!(try todo.ok("show", "2").output.contains("tomorrow")))
    #expect(!(try todo.ok("list", "--plain").output.contains("today")))
  }

  @Test func `the help lists every form of a date`() throws {
    let todo = try Todo()
    let help = try todo.ok("help", "dates").output
    let man = try todo.ok("help", "--man").output
    for (examples, _) in DueExpression.table {
      for example in examples where !example.contains(", ") {
        let words = help.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        #expect(words.contains(example) && man.replacing("\\-", with: "-").contains(example), "\(example)")
      }
    }
    #expect(try todo.ok("completion", "fish", "--", "help", "da").output.hasPrefix("dates"))
  }
}
