import FetchedResultsSupport
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

  @Test func `an item that waits is hidden, and says until when`() throws {
    let todo = try Todo()
    #expect(try todo.ok("add", "Passport", "wait:tomorrow").output.contains("to Inbox, hidden until "))
    #expect(try todo.ok("list").output == "nothing to do\n")
    #expect(try todo.ok("list", "--all").output.contains("Passport"))
    #expect(try todo.ok("list", "wait:any").output.contains("Passport"))
    #expect(try todo.ok("show", "1").output.contains(" wait       until "))
    #expect(try todo.ok("edit", "1", "wait:none", "every:2weeks", "due:today").output.contains("every 2 weeks"))
    #expect(try todo.ok("list", "every:2weeks").output.contains("every 2 weeks"))
    #expect(try todo.ok("list", "--json", "every:2weeks").items().first?["every"] as? String == "2weeks")
  }

  @Test func `a live list shows an item when its time comes`() throws {
    let todo = try Todo()
    let time = Instant.now.adding(seconds: 3)
    try todo.ok("add", "Tea", "wait:\(time)")
    let watch = try RunningProgram(piped: [RunningProgram.path, "watch", "--json", "--db", todo.path])
    var text = ""
    while !text.contains("Tea"), let bytes = watch.read() { text += String(decoding: bytes, as: UTF8.self) }
    #expect(text.contains("\"change\":\"insertSection\"") && Instant.now >= time)
    // One that is added meanwhile, too.
    try todo.ok("add", "Cake", "wait:\(Instant.now.adding(seconds: 2))")
    while !text.contains("Cake"), let bytes = watch.read() { text += String(decoding: bytes, as: UTF8.self) }
    #expect(text.contains("\"change\":\"insert\""))
    watch.send(SIGTERM)
    #expect(watch.wait() == .exit(143))
  }
}
