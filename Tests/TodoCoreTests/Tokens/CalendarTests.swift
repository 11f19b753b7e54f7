import FixtureSupport
import Testing
import TodoCore

@Suite struct CalendarTests {
  /// SQLite knows the calendar too.
  @Test func `days are those of the Gregorian calendar`() throws {
    let database = try RawDatabase(path: Fixture.copy(.empty))
    var day = CalendarDay(iso: "1895-12-28")!
    let end = CalendarDay(iso: "2105-03-02")!
    var rows: [String] = []
    while day < end {
      rows.append("\(day) \(day.weekday % 7)")
      day = day.adding(days: 13)
    }
    let expected = try database.strings(
      """
      WITH RECURSIVE days(day) AS (
        SELECT '1895-12-28' UNION ALL SELECT date(day, '+13 days') FROM days WHERE day < '2105-02-17')
      SELECT day || ' ' || strftime('%w', day) FROM days
      """
    ).map { $0[0] }
    #expect(rows == expected)
    #expect(CalendarDay(iso: "2000-02-29")?.description == "2000-02-29")
    #expect(CalendarDay(iso: "1900-02-29") == nil)
  }

  @Test func `a month keeps its day`() {
    let anchor = CalendarDay(iso: "2031-01-31")!
    #expect(
      (1...4).map { anchor.adding(months: $0).description } == ["2031-02-28", "2031-03-31", "2031-04-30", "2031-05-31"])
    #expect(anchor.adding(months: -2).description == "2030-11-30")
    #expect(CalendarDay(iso: "2032-02-29")!.adding(months: 12).description == "2033-02-28")
    #expect(CalendarDay(iso: "9999-12-31")!.adding(days: 1).description == "9999-12-31")
  }

  @Test(arguments: [
    (Recurrence.month, "2031-01-31", "2031-01-31", "2031-01-10", "2031-02-28"),
    (.month, "2031-02-28", "2031-01-31", "2031-02-28", "2031-03-31"),
    (.month, "2031-01-31", "2031-01-31", "2031-06-15", "2031-06-30"),
    (.month, "2031-01-31", "2031-01-31", "2031-06-30", "2031-06-30"),
    (.week, "2031-01-01", "2031-01-01", "2031-01-20", "2031-01-22"),
    (.week, "2031-01-01", "2031-01-01", "2031-01-22", "2031-01-22"),
    (.week, "2031-01-08", "2031-01-01", "2031-01-01", "2031-01-15"),
    (.day, "2030-01-01", "2030-01-01", "2031-01-01", "2031-01-01"),
    (.year, "2032-02-29", "2032-02-29", "2033-01-01", "2033-02-28"),
    (.year, "2035-02-28", "2032-02-29", "2035-03-01", "2036-02-29"),
    (.month, "1900-01-31", "1900-01-31", "2031-02-01", "2031-02-28"),
  ])
  func `a recurrence continues with the first day that is not in the past`(
    every: Recurrence, current: String, anchor: String, today: String, next: String
  ) {
    #expect(
      every.next(
        after: CalendarDay(iso: current)!, anchor: CalendarDay(iso: anchor)!, today: CalendarDay(iso: today)!)?
        .description == next)
  }

  @Test func `a recurrence ends with the calendar`() {
    let last = CalendarDay(iso: "9999-12-31")!
    #expect(Recurrence.day.next(after: last, anchor: last, today: last) == nil)
  }

  @Test func `an item that is due today is not overdue`() {
    let moment = Moment(Instant(iso: "2031-01-02T23:00:00Z")!, in: .fixed(seconds: -3600))
    #expect(!Due(iso: "2031-01-02")!.isOverdue(at: moment))
    #expect(Due(iso: "2031-01-01")!.isOverdue(at: moment))
    #expect(!Due(iso: "2031-01-02T08:00:00Z")!.isOverdue(at: moment))
    #expect(Due(iso: "2031-01-02T00:30:00Z")!.isOverdue(at: moment))
  }

  @Test func `instants are written as they are read`() {
    for text in ["2031-01-02T14:00:00Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
      #expect(Instant(iso: text)?.description == text)
    }
    for text in ["2031-01-02T14:00:00", "2031-01-02 14:00:00Z", "2031-01-02T14:00:60Z", "2031-02-30T00:00:00Z", ""] {
      #expect(Instant(iso: text) == nil, "\(text)")
    }
  }
}
