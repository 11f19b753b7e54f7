import DataSourcesTestSupport
import TestSupport
import Testing
import TodoCore

@Suite struct DateTests {
  /// Wednesday, 1 January 2031, 10:30.
  private static let moment = Moment(Instant(iso: "2031-01-01T10:30:20Z")!, in: .fixed(seconds: 0))

  @Test(arguments: [
    ("tonight", "2031-01-01T20:00:00Z"), ("tonight at 9", "2031-01-01T21:00:00Z"),
    ("tonight 1:30", "2031-01-02T01:30:00Z"),
    ("noon", "2031-01-01T12:00:00Z"), ("midnight", "2031-01-02T00:00:00Z"), ("fri midnight", "2031-01-04T00:00:00Z"),
    ("9am", "2031-01-02T09:00:00Z"), ("11 am", "2031-01-01T11:00:00Z"), ("9:30pm", "2031-01-01T21:30:00Z"),
    ("12am", "2031-01-02T00:00:00Z"), ("12:15 pm", "2031-01-01T12:15:00Z"), ("14:00", "2031-01-01T14:00:00Z"),
    ("at 9", "2031-01-02T09:00:00Z"), ("at-14", "2031-01-01T14:00:00Z"), ("10:30", "2031-01-02T10:30:00Z"),
    ("weekend", "2031-01-04"), ("this weekend", "2031-01-04"), ("next_weekend", "2031-01-04"),
    ("eod", "2031-01-01"), ("eow", "2031-01-05"), ("EOM", "2031-01-31"), ("eoq", "2031-03-31"), ("eoy", "2031-12-31"),
    ("2d", "2031-01-03"), ("+3d", "2031-01-04"), ("2w", "2031-01-15"), ("1m", "2031-02-01"), ("1q", "2031-04-01"),
    ("1y", "2032-01-01"), ("3 days", "2031-01-04"), ("in 3d", "2031-01-04"), ("in 2 weeks", "2031-01-15"),
    ("3h", "2031-01-01T13:30:00Z"), ("in 2 hours", "2031-01-01T12:30:00Z"), ("45min", "2031-01-01T11:15:00Z"),
    ("2d 9am", "2031-01-03T09:00:00Z"), ("next friday 5pm", "2031-01-03T17:00:00Z"), ("this friday", "2031-01-03"),
    ("this wed", "2031-01-01"), ("next wed", "2031-01-08"), ("on friday at 17", "2031-01-03T17:00:00Z"),
    ("5pm tomorrow", "2031-01-02T17:00:00Z"), ("tomorrow-at-9", "2031-01-02T09:00:00Z"),
    ("fri noon", "2031-01-03T12:00:00Z"),
    ("24 dec", "2031-12-24"), ("dec 24", "2031-12-24"), ("24th of December", "2031-12-24"), ("1 jan", "2031-01-01"),
    ("december 24, 2027", "2027-12-24"), ("24-december-2027", "2027-12-24"), ("24 dec 8:15", "2031-12-24T08:15:00Z"),
    ("29 feb", "2032-02-29"), ("24.12.", "2031-12-24"), ("24.12", "2031-12-24"), ("24.12.2027", "2027-12-24"),
    ("3.4. 9:30", "2031-04-03T09:30:00Z"), ("12/24", "2031-12-24"), ("24/12", "2031-12-24"), ("4/4", "2031-04-04"),
    ("12/24/2027 at 9", "2027-12-24T09:00:00Z"), ("15th", "2031-01-15"), ("the 1st", "2031-01-01"),
    ("31st", "2031-01-31"),
    ("15th of next month", "2031-02-15"), ("last day of month", "2031-01-31"), ("last day of the year", "2031-12-31"),
    ("last day of feb 2028", "2028-02-29"), ("end of january", "2031-01-31"), ("end of next quarter", "2031-06-30"),
    ("first of next month", "2031-02-01"), ("first of month", "2031-01-01"), ("first day of week", "2031-01-06"),
    ("first of march", "2031-03-01"), ("start of next year", "2032-01-01"), ("next quarter", "2031-04-01"),
    ("2031-01-02 9pm", "2031-01-02T21:00:00Z"),
  ])
  func `a date is understood as people say it`(words: String, due: String) {
    #expect(DueExpression.parse(words, at: Self.moment)?.description == due)
  }

  @Test(arguments: [
    ("30 feb", "February has 29 days"), ("2026-02-29", "February 2026 has 28 days"), ("31.4.", "April has 30 days"),
    ("29 feb 2026 9am", "February 2026 has 28 days"), ("0 dec", "December has 31 days"),
    ("24.13.", "there is no month 13"),
    ("13/13", "there is no month 13"), ("32nd", "no month has 32 days"),
    ("30th of next month", "February 2031 has 28 days"),
    ("tomorrow 25:00", "there is no hour 25"), ("at 24", "there is no hour 24"), ("13pm", "there is no hour 13 pm"),
    ("0am", "there is no hour 0 am"), ("9:75", "there is no minute 75"), ("2031-01-02T24:00", "there is no hour 24"),
    ("9999999 years", "dates end with the year 9999"), ("0000-01-01", "there is no year 0"),
    ("3/4", "it can be 3 April or 4 March; type \"3 April\" or \"4 March\""),
  ])
  func `a date that can not be says why`(words: String, reason: String) {
    #expect(DueExpression.read(words, at: Self.moment) == .impossible(reason))
    let error = #expect(throws: TodoError.self) { try Token.parse("due:\(words)", as: .attributes, at: Self.moment) }
    #expect(error?.message.contains(reason) == true && error?.exitCode == 64)
  }

  @Test func `the order of day and month decides what two numbers mean`() {
    func read(_ text: String, _ order: DateOrder) -> DueExpression.Reading {
      var moment = Self.moment
      moment.habits.order = order
      return DueExpression.read(text, at: moment)
    }
    #expect(read("3/4", .dayFirst) == .due(Due(iso: "2031-04-03")!))
    #expect(read("3/4", .monthFirst) == .due(Due(iso: "2031-03-04")!))
    #expect(read("12/24", .dayFirst) == .impossible("there is no month 24"))
  }

  @Test func `every form of the table is understood, and as its own`() throws {
    for (examples, about) in DueExpression.table {
      #expect(!examples.isEmpty && about.utf8.count < 80)
      for example in examples {
        #expect(DueExpression.parse(example, at: Self.moment) != nil, "\(example)")
        let joined = example.replacing(", ", with: "-").replacing(" ", with: "-")
        #expect(
          DueExpression.parse(joined, at: Self.moment) == DueExpression.parse(example, at: Self.moment), "\(joined)")
      }
    }
    let all = DueExpression.table.flatMap(\.examples)
    #expect(Set(all).count == all.count)
  }

  @Test func `a date that is written in any form is read as the same date`() {
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    for seed in Seeds.all(300, of: "dates") {
      var random = SeededGenerator(seed: seed)
      let day = CalendarDay(number: Int.random(in: 0...60_000, using: &random))
      let zone = LocalZone.fixed(seconds: Int.random(in: -12...14, using: &random) * 3600)
      let today = day.adding(days: -Int.random(in: 0...300, using: &random))
      let moment = Moment(zone.instant(of: WallTime(day: today, secondOfDay: 43_200)), in: zone)
      let (year, month, date) = day.date
      let name = names[month - 1]
      let apart = day.number - today.number
      var forms = [
        "\(day)", "\(date) \(name) \(year)", "\(name) \(date)", "\(name)-\(date)-\(year)", "\(date).\(month).\(year)",
        "\(date).\(month).", "in \(apart) days", "\(apart)d", "+\(apart)d",
      ]
      if date > 12 { forms += ["\(date)/\(month)", "\(month)/\(date)/\(year)"] }
      if apart < 28, date < 29 { forms.append("\(date)th") }
      if (1...7).contains(apart) {
        forms.append(["mon", "tue", "wed", "thu", "fri", "sat", "sun"][day.weekday - 1])
      }
      let (hour, minute) = (Int.random(in: 0...23, using: &random), Int.random(in: 10...59, using: &random))
      let half = "\((hour + 11) % 12 + 1):\(minute)\(hour < 12 ? "am" : "pm")"
      let instant = zone.instant(of: WallTime(day: day, secondOfDay: hour * 3600 + minute * 60))
      for form in forms {
        #expect(DueExpression.parse(form, at: moment) == .day(day), "\(form) on \(today), SEED=\(seed)")
        for time in ["\(hour):\(minute)", "at \(hour):\(minute)", half] {
          #expect(
            DueExpression.parse("\(form) \(time)", at: moment) == .instant(instant), "\(form) \(time), SEED=\(seed)")
        }
      }
    }
  }
}
