import DataSourcesTestSupport
import FixtureSupport
import TestSupport
import Testing
import TodoCore

@Suite struct RecurrenceWordsTests {
  @Test(arguments: [
    ("day", "day"), ("Daily", "day"), ("1d", "day"), ("7 days", "7days"), ("2weeks", "2weeks"), ("2-weeks", "2weeks"),
    ("2w", "2weeks"), ("biweekly", "2weeks"), ("3m", "quarter"), ("quarterly", "quarter"), ("2q", "6months"),
    ("annually", "year"), ("2y", "2years"), ("weekdays", "weekday"), ("mon,tue,wed,thu,fri", "weekday"),
    ("thu,monday,Thu", "mon,thu"), ("sun", "sun"), ("mon,tue,wed,thu,fri,sat,sun", "day"), ("last-day", "month-end"),
    ("3days-after-done", "3days-after-done"), ("month-after-done", "1month-after-done"),
    ("3 days after done", "3days-after-done"),
  ])
  func `a recurrence has one spelling`(typed: String, spelling: String) throws {
    let every = try #require(Recurrence(typed))
    #expect(every.rawValue == spelling && Recurrence(rawValue: spelling) == every)
    #expect(typed == spelling || Recurrence(rawValue: typed) == nil)
    #expect(try Token.parse("every:\(typed)", as: .attributes) == .every(every))
  }

  @Test(arguments: ["", "0days", "-1day", "10000d", "often", "mon,often", "mon-after-done", "2", "2 2 days", "hour"])
  func `other words are no recurrence`(typed: String) {
    #expect(Recurrence(typed) == nil)
    let error = #expect(throws: TodoError.self) { try Token.parse("every:\(typed)", as: .attributes) }
    #expect(error?.exitCode == 64)
  }

  @Test func `every recurrence of the table is understood`() {
    for (examples, _) in Recurrence.table {
      for example in examples { #expect(Recurrence(example) != nil, "\(example)") }
    }
  }

  /// The days of a recurrence, found by looking at one day after the other.
  private func slowNext(_ text: String, after current: CalendarDay, from anchor: CalendarDay, today: CalendarDay)
    -> CalendarDay?
  {
    let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    let isAfterDone = text.hasSuffix("-after-done")
    let count = Int(text.prefix { $0.isNumber }) ?? 1
    let start = isAfterDone ? today : anchor
    var day = isAfterDone ? today : max(current, today.adding(days: -1))
    for _ in 0..<20_000 {
      day = day.adding(days: 1)
      let (year, month, date) = day.date
      let isLast = day.adding(days: 1).date.month != month
      let apart = day.number - start.number
      let months = (year - start.date.year) * 12 + month - start.date.month
      let isSameDate = date == start.date.day || isLast && date < start.date.day
      let fits =
        switch text.drop(while: { $0.isNumber }) {
        case "day", "days", "day-after-done", "days-after-done": apart % count == 0
        case "week", "weeks": apart % (count * 7) == 0
        case "month", "months", "month-after-done": isSameDate && months % count == 0
        case "quarter": isSameDate && months % 3 == 0
        case "year", "years": isSameDate && months % (count * 12) == 0
        case "month-end": isLast
        case "weekday": day.weekday < 6
        default: text.split(separator: ",").contains { $0 == weekdays[day.weekday - 1] }
        }
      if fits, isAfterDone || apart >= 0 { return day }
    }
    return nil
  }

  @Test func `the next day is the one that is found day by day`() throws {
    for seed in Seeds.all(600, of: "recurrences") {
      var random = SeededGenerator(seed: seed)
      let text = random.pick([
        "day", "week", "month", "year", "quarter", "weekday", "month-end", "mon,thu", "sun", "2weeks", "6months",
        "2years", "\(2 + random.below(40))days", "\(1 + random.below(40))days-after-done", "1month-after-done",
      ])
      let anchor = CalendarDay(number: 20_000 + random.below(2000))
      let current = anchor.adding(days: random.below(800))
      let today = current.adding(days: random.below(900) - 300)
      let every = try #require(Recurrence(text))
      #expect(
        every.next(after: current, anchor: anchor, today: today)
          == slowNext(every.rawValue, after: current, from: anchor, today: today),
        "every \(text) from \(anchor), after \(current), on \(today), SEED=\(seed)")
    }
  }

  @Test func `the next instance has the recurrence, the place and the wait of the former one`() throws {
    let test = try TestStore()
    try test.add(arguments: "Water", "every:3days-after-done", "due:2031-01-01T09:00", "wait:2030-12-30")
    try test.add("Other")
    test.clock.set("2031-01-05T10:00:00Z")
    let next = try #require(try test.store.done(Selection(1)).next.first)
    #expect(next.due == Due(iso: "2031-01-08T09:00:00Z") && next.wait == Due(iso: "2031-01-06"))
    // Only a recurrence that depends on its first day keeps it.
    #expect(next.every == Recurrence("3days-after-done") && next.anchor == "2031-01-08T09:00:00[+00:00]")
    #expect(try test.list() == ["Inbox: Other"])
    #expect(try test.list(.list, "wait:any") == ["Inbox: Water, Other"])
    test.clock.set("2031-01-06T00:00:00Z")
    #expect(try test.list() == ["Inbox: Water, Other"])
    #expect(try test.list(.list, "every:3days-after-done") == ["Inbox: Water"] && test.list(.list, "every:day") == [])
  }

  @Test func `a rhythm that another program has made out of date is ignored`() throws {
    let test = try TestStore()
    try test.add(arguments: "Bins", "every:2weeks", "due:fri")
    let raw = try RawDatabase(path: test.path)
    #expect(try raw.strings("SELECT every, rhythm FROM item") == [["week", "2weeks"]])
    try raw.execute("UPDATE item SET every = 'month'")
    #expect(try test.store.item(1).every == .month)
    _ = try test.store.undo()
    #expect(try test.store.item(1).every == Recurrence("2weeks"))
  }
}
