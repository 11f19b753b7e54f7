import Foundation
import Testing

/// A day's work, typed as people type: forty items over five lists.
@Suite struct DayTests {
  @Test func `a day with forty items over five lists`() throws {
    let todo = try Todo()
    /// Runs lines as a shell would read them.
    @discardableResult func type(_ line: String, code: Int32 = 0) throws -> String {
      let outcome = try todo.run(["-c", "todo() { \"$0\" \"$@\"; }; \(line)", Program.path], program: "/bin/sh")
      #expect(outcome.code == code, "\(line): \(outcome.output)\(outcome.errors)")
      return (outcome.output + outcome.errors).replacing("\n", with: " ")
    }
    func titles(_ words: String) throws -> [String] {
      let items = try JSONSerialization.jsonObject(with: Data(try type("todo \(words) --json").utf8)) as? [String: Any]
      let sections = items?["sections"] as? [[String: Any]] ?? []
      return sections.flatMap { $0["items"] as? [[String: Any]] ?? [] }.compactMap { $0["title"] as? String }
    }

    // In the morning everything is written down, in whatever words come first.
    #expect(try type("todo add Call the dentist +Home due:tomorrow 9:15 pri:high").contains("new list Home"))
    try type("todo add 'Pay rent due:1st of next month every:month !high +Home'")
    try type("todo add Buy milk project:Shopping @errand due:today")
    try type("todo add Buy bread +shopping tags:errand,bakery due:today p2")
    try type("todo add '(A) Review the pull request of Kim +Work @deep' due:today")
    try type("todo add Write report project:Work priority:M due:friday 5pm")
    try type("todo add Standup +Work every:weekday due:tomorrow 9:30")
    try type("todo add Water the plants +Home every:3days-after-done due:today")
    try type("todo add Renew passport +Home wait:in 2 months due:in 6 months")
    try type("todo add Read https://example.com/a:b +Reading note:from Sam")
    try type("todo add 'Ratio 16:9 for the slides' +Work")
    try type(
      "printf 'Tea +Shopping\\nCoffee +Shopping @errand\\nRice +Shopping\\nSalt +Shopping\\n\\nOil +Shopping\\n' | todo add -"
    )
    for number in 1...10 { try type("todo add Chapter \(number) +Reading") }
    for name in ["Ada", "Bob", "Chen", "Dora", "Emil"] {
      try type("todo add Answer \(name) +Work @mail due:this friday")
    }
    for thing in ["lamp", "door", "tap", "chair"] { try type("todo add Mend the \(thing) +Home @tools pri:low") }
    try type("todo add Plan the summer +Someday")
    try type("todo add Learn Swift +Someday recur:weekly due:next saturday")
    try type("todo add Backup +Home rec:monthly due:eom")
    try type("todo add Lottery +Someday due:24-dec")
    try type("todo add Old bill due:yesterday +Home pri:high")
    #expect(try type("todo lists --plain").split(separator: "\t").count > 10)
    #expect(try titles("list wait:any").count == 40)

    // What was mistyped is never lost.
    #expect(try type("todo edit 1 due:tomorrow 25:15", code: 64).contains("25:15"))
    #expect(try type("todo edit 3 priority:hihg", code: 64).contains("pri:high"))
    #expect(try type("todo add Tidy up evry:week", code: 64).contains("every:week"))
    #expect(try type("todo edit 3 Buy oat milk").contains("\"Buy milk\" → \"Buy oat milk\""))
    #expect(try titles("list --text dentist") == ["Call the dentist"])

    // What now?
    let today = try titles("today")
    #expect(today.first == "Old bill" && today.contains("Buy oat milk") && !today.contains("Call the dentist"))
    #expect(try titles("overdue") == ["Old bill"])
    #expect(try type("todo next").contains("high, overdue by 1 day"))
    #expect(try titles("week").contains("Call the dentist"))
    #expect(try titles("list @errand not @bakery") == ["Buy oat milk", "Coffee"])
    #expect(try titles("list '(' +Shopping or +Reading ')' --text Chapter").count == 10)
    try type("todo filter save errands @errand or @bakery")
    #expect(try titles("list :errands due:today --sort title") == ["Buy bread", "Buy oat milk"])

    // In bulk.
    #expect(try type("todo done :errands", code: 64).contains("--yes"))
    #expect(try type("todo done :errands --yes").contains("3"))
    try type("todo list @mail --plain | cut -f 1 | xargs \"$0\" edit due:next monday")
    #expect(try titles("list @mail due:this-week due:next-week").count == 5)
    try type("todo edit +Home @tools due:sat --yes")
    try type("todo done 8")
    #expect(try titles("list --text plants") == ["Water the plants"])
    try type("todo note 6 'ask for figures'; todo note 6 --edit 1 'ask Kim for figures'")
    #expect(try type("todo show 6").contains("ask Kim for figures"))
    try type("todo rm 18 --quiet")
    #expect(try titles("list +Reading --text Chapter").count == 9)

    // It can all be taken back.
    for _ in 0..<4 { try type("todo undo") }
    #expect(try titles("list +Reading --text Chapter").count == 10)
    #expect(try titles("list --done").count == 3)

    // And it goes elsewhere and comes back whole.
    try type("todo export > all.json; todo import all.json --dry-run")
    #expect(try type("todo import all.json --dry-run").contains("0 new items"))
    let copy = try Todo()
    try copy.ok("import", todo.folder + "/all.json")
    #expect(Set(try copy.titles("--all", "wait:any")) == Set(try titles("list --all wait:any")))
  }
}
