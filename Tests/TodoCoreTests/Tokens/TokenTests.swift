import Testing
import TodoCore

@Suite struct TokenTests {
  // Wednesday, 1 January 2031, 23:30 in a zone two hours ahead of UTC.
  private let moment = Moment(Instant(iso: "2031-01-01T21:30:00Z")!, in: .fixed(seconds: 7200))

  @Test(arguments: [
    ("today", "2031-01-01"), ("Tomorrow", "2031-01-02"), ("yesterday", "2030-12-31"), ("2031-02-28", "2031-02-28"),
    ("thu", "2031-01-02"), ("wed", "2031-01-08"), ("Wednesday", "2031-01-08"), ("tues", "2031-01-07"),
    ("in 3 days", "2031-01-04"), ("in-3-days", "2031-01-04"), ("in a week", "2031-01-08"), ("in 0 days", "2031-01-01"),
    ("in 1 month", "2031-02-01"), ("in 2 years", "2033-01-01"), ("next week", "2031-01-08"), ("next fri", "2031-01-03"),
    ("end of month", "2031-01-31"), ("end-of-month", "2031-01-31"), ("end of the week", "2031-01-05"),
    ("end of year", "2031-12-31"), ("2031-01-02T14:00", "2031-01-02T12:00:00Z"),
    ("2031-01-02T14:00:30", "2031-01-02T12:00:30Z"), ("2031-01-02 14:00", "2031-01-02T12:00:00Z"),
    ("2031-01-02t14:00z", "2031-01-02T14:00:00Z"), ("2031-01-02T14:00-05:30", "2031-01-02T19:30:00Z"),
    ("tomorrow 9:05", "2031-01-02T07:05:00Z"), ("fri 09:30", "2031-01-03T07:30:00Z"),
    ("in 3 days 00:00", "2031-01-03T22:00:00Z"),
  ])
  func `words say when`(words: String, due: String) {
    #expect(DueExpression.parse(words, at: moment)?.description == due)
  }

  @Test(arguments: [
    "", " ", "someday", "2031-02-29", "2031-13-01", "31-01-01", "2031-1-1", "2031-01-02T24:00", "2031-01-02T14",
    "tomorrow 25:00", "in 3", "in days", "in -3 days", "in three days", "end of days of", "fr",
    "2031-01-02T14:00+99:00",
    "0000-01-01", "today tomorrow",
  ])
  func `other words say nothing`(words: String) {
    #expect(DueExpression.parse(words, at: moment) == nil)
  }

  @Test func `only whole arguments are tokens`() throws {
    let said = try Attributes(
      arguments: [
        "Pay", "rent", "+home", "@a", "Call @ann +now !high", "@a", "@b", "!High", "due:fri", "every:month",
        "+1 for it",
        "+", "!", "@", "due: rent",
      ], literal: ["+not", "@these"], at: moment)
    #expect(said.title == "Pay rent Call @ann +now !high +1 for it + ! @ due: rent +not @these")
    #expect(said.list == "home")
    #expect(said.tags == ["a", "b"])
    #expect(said.priority == .set(.high))
    #expect(said.due == .set(.day(CalendarDay(iso: "2031-01-03")!)))
    #expect(said.every == .set(.month))
    let cleared = try Attributes(arguments: ["!none", "due:none", "every:none"], at: moment)
    #expect(cleared.priority == .set(nil) && cleared.due == .set(nil) && cleared.every == .set(nil))
    #expect(try Attributes(arguments: [], at: moment).priority == .keep)
  }

  @Test(arguments: [
    ("!hihg", "\"!hihg\"", "\"pri:high\""), ("!urgent", "\"!urgent\"", "pri:high"),
    ("due:tomorow", "due:tomorow", "\"due:tomorrow\""),
    ("due:fr", "due:fr", "due:fri"), ("due:2031-02-30", "2031-02-30", "date"),
    ("every:dayly", "dayly", "\"every:daily\""),
    ("every:sometimes", "sometimes", "every:month"), ("due:", "\"due:\"", "date"),
    ("every:", "\"every:\"", "every:day"),
    ("due:before:fri", "due:before:fri", "\"due:fri\""), ("due:in 3 dayz", "dayz", "due:"),
    ("priority:hihg", "priority:hihg", "\"pri:high\""), ("recur:sometimes", "recur:sometimes", "every:month"),
    ("scheduled:fri", "scheduled:fri", "due:DATE"),
    ("evry:week", "evry:week", "\"every:week\""), ("Due:fri", "Due:fri", "\"due:fri\""),
    ("projcet:home", "projcet:home", "\"list:home\""),
  ])
  func `a bad token names itself and the nearest right word`(argument: String, named: String, suggested: String) {
    #expect {
      try Attributes(arguments: ["title", argument], at: moment)
    } throws: { error in
      guard case .usage(let message)? = error as? TodoError else { return false }
      return message.contains(named) && message.contains(suggested)
    }
  }

  /// What a line of `add` means, as `edit` would write it.
  @Test(arguments: [
    ("due:fri 9:15 Dentist", "Dentist | 2031-01-03T07:15:00Z"), ("due:fri 9 apples", "9 apples | 2031-01-03"),
    ("due:next fri 9:15", " | 2031-01-03T07:15:00Z"), ("due:in 3 days call", "call | 2031-01-04"),
    ("due:end of month report", "report | 2031-01-31"), ("Meet at 9:15", "Meet at 9:15"),
    ("due:none 9:15", "9:15 | none"),
    ("x project:home", "x | +home"), ("x proj:\"My home\" list:x", nil),
    ("Shopping list: milk, 3 eggs", "Shopping list: milk, 3 eggs"), ("x list:\"My home\"", "x | +My home"),
    ("x priority:H", "x | high"), ("x prio:2", "x | medium"), ("p1 x", "x | high"), ("x P1", "x P1"),
    ("x p4", "x | no priority"),
    ("(A) Call +proj @phone", "Call | +proj @phone high"), ("Call (A)", "Call (A)"), ("(D) x", "(D) x"),
    ("x recur:weekly", "x | week"), ("x rec:daily", "x | day"), ("x tags:a,b @c", "x | @a @b @c"),
    ("x tag:none", "x | no tags"), ("x note:\"call first\" note:b", "x | \"call first\" \"b\""),
    ("x due:fri 25:00", nil),
    ("see http://a.b/c list://x 9:15", "see http://a.b/c list://x 9:15"), ("tax:5 re: foo:bar", "tax:5 re: foo:bar"),
    ("note: \"a  b\"", "note: \"a  b\""), ("note:", nil), ("+a list:", nil),
    ("Say \"hello\"  twice", "Say \"hello\"  twice"),
    ("Ask \"@ann\" +now", "Ask \"@ann\" | +now"),
  ]) func `a line sets what it says, and the rest is the title`(line: String, meaning: String?) throws {
    let said = try? Attributes(line: line, keepsQuotes: true, at: moment)
    var parts = said?.list.map { ["+\($0)"] } ?? []
    parts += said?.tags.map { "@\($0)" } ?? []
    if said?.clearsTags == true { parts.append("no tags") }
    if case .set(let due)? = said?.due { parts.append(due?.description ?? "none") }
    if case .set(let priority)? = said?.priority { parts.append(priority?.name ?? "no priority") }
    if let every = said?.every.value { parts.append(every.rawValue) }
    parts += said?.notes.map { "\"\($0)\"" } ?? []
    #expect(said.map { $0.title + (parts.isEmpty ? "" : " | " + parts.joined(separator: " ")) } == meaning)
  }

  /// What more the grammar of dates knows is read in the same way.
  @Test(arguments: [
    ("due:fri at 9:15 Dentist", "fri at 9:15"), ("due:fri 9am Dentist", "fri 9am"),
    ("due:fri noon Dentist", "fri noon"),
    ("due:fri at 9 Dentist", "fri at 9"), ("due:24 dec Dentist", "24 dec"),
    ("due:24 dec 2031 9:15 Dentist", "24 dec 2031 9:15"),
    ("due:last day of month Dentist", "last day of month"), ("due:fri 9 pm Dentist", "fri 9 pm"),
  ]) func `all words of a date are read`(line: String, date: String) throws {
    guard let due = DueExpression.parse(date, at: moment) else { return }
    let said = try Attributes(line: line, at: moment)
    #expect(said.title == "Dentist" && said.due == .set(due), "\(said)")
  }

  @Test func `a word near to one of the table is asked about`() throws {
    for (answer, title) in [(true, "Water"), (false, "Water evry:week")] {
      var asked: [String] = []
      let said = try Attributes(arguments: ["Water", "evry:week"], at: moment) { typed, meant in
        asked += [typed, meant]
        return answer
      }
      #expect(said.title == title && (said.every == .set(.week)) == answer && asked == ["evry:week", "every:week"])
    }
  }

  @Test(arguments: [["+a", "+b"], ["!high", "!low"], ["due:fri", "due:none"], ["every:day", "every:week"]])
  func `an attribute that is given twice is an error`(arguments: [String]) {
    #expect(throws: TodoError.self) { try Attributes(arguments: arguments, at: moment) }
  }

  @Test func `selections are numbers, ranges and filters`() throws {
    let selection = try Selection(arguments: ["3", "7-9", "+home", "3"], at: moment)
    #expect(selection.ids == [3...3, 7...9, 3...3])
    #expect(selection.filter.lists == ["home"])
    for bad in ["9-7", "3-", "-3", "x", "3,4"] {
      #expect(throws: TodoError.self, "\(bad)") { try Selection(arguments: [bad], at: moment) }
    }
    #expect { try Selection(arguments: ["99999999999999999999"]) } throws: { ($0 as? TodoError)?.exitCode == 3 }
  }

  @Test(arguments: [
    ("hihg", "high"), ("lsit", "list"), ("prio", "priority"), ("tags", "tag"), ("undoo", "undo"), ("xyz", nil),
    ("", nil),
  ])
  func `the nearest word is found`(typed: String, meant: String?) {
    #expect(
      Suggestion.nearest(to: typed, among: ["high", "medium", "low", "list", "priority", "tag", "undo"]) == meant)
  }

  @Test func `a range ends with the greatest number that an item can have`() throws {
    let greatest: Int64 = 9_007_199_254_740_991
    for end in [
      "9007199254740991", "9007199254740992", "9223372036854775807", "9223372036854775808", "0099999999999999999999",
    ] {
      #expect(try Selection.range("2-\(end)") == 2...greatest, "\(end)")
      #expect(try Selection.range("\(greatest)-\(end)") == greatest...greatest)
      let error = #expect(throws: TodoError.self) { try Selection.range("\(end)-2") }
      #expect(error?.exitCode == 64 && error?.message.contains("2-\(end)") == true, "\(String(describing: error))")
    }
    #expect(try Selection.range("0-000") == 0...0 && Selection.range("007-010") == 7...10)
    for beyond in ["9007199254740992", "99999999999999999999", "9007199254740992-99999999999999999999"] {
      #expect((#expect(throws: TodoError.self) { try Selection.range(beyond) })?.exitCode == 3)
    }
  }
}
