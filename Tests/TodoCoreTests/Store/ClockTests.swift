import SQLiteStore
import Testing
import TodoCore

/// Days, zones and the ends of the calendar.
@Suite struct ClockTests {
  @Test(arguments: [
    ("day", "2031-02-01"), ("week", "2031-02-07"), ("month", "2031-02-28"), ("year", "2032-01-31"),
  ]) func `an item completed further west has its next instance on another day`(every: String, next: String) throws {
    let test = try TestStore(zone: .fixed(seconds: 3600), now: "2031-01-30T12:00:00Z")
    // 05:00 in Berlin is 23:00 of the day before in New York.
    try test.add(arguments: "early", "due:2031-01-31T05:00", "every:\(every)")
    test.clock.set(.fixed(seconds: -18_000))
    test.clock.set("2031-01-31T05:30:00Z")
    let result = try test.store.done(Selection(1))
    #expect(result.next.map { $0.dueDay?.description } == [next])
    // It is computed in the zone of its anchor.
    #expect(result.next.first?.due?.description == "\(next)T04:00:00Z")
    test.clock.set(.fixed(seconds: 3600))
    test.clock.set("\(next)T11:00:00Z")
    let after = try #require(try test.store.done(Selection(2)).next.first)
    #expect(after.due?.description.hasSuffix("T04:00:00Z") == true)
    #expect(try #require(after.dueDay) > #require(result.next[0].dueDay))
  }

  @Test func `the next instance is later, wherever the item is completed`() throws {
    for zone in [50_400, 3600, 0, -43_200] {
      for other in [50_400, 3600, 0, -43_200] {
        for hour in [0, 5, 12, 23] {
          let test = try TestStore(zone: .fixed(seconds: zone), now: "2031-01-01T12:00:00Z")
          try test.add(arguments: "a", "due:2031-01-31T\(hour < 10 ? "0" : "")\(hour):00", "every:day")
          test.clock.set(.fixed(seconds: other))
          let former = try #require(try test.store.item(1).due)
          let next = try #require(try test.store.done(Selection(1)).next.first)
          guard case .instant(let before) = former, case .instant(let after)? = next.due else {
            Issue.record("no moments")
            continue
          }
          #expect(after > before && after.seconds - before.seconds <= 3 * 86_400, "\(zone) \(other) \(hour)")
        }
      }
    }
  }

  @Test func `a moment that was written far to the east is before one in the west`() throws {
    let east = try TestStore(zone: .fixed(seconds: 14 * 3600))
    try east.add(arguments: "call", "due:2031-01-04T00:10")
    for (hours, limit, isBefore) in [
      (-11, "2031-01-02T23:30", true), (-12, "2031-01-02T22:30", true), (-12, "2031-01-02T22:00", false),
    ] {
      let zone = LocalZone.fixed(seconds: hours * 3600)
      let west = try TestStore(path: east.path, zone: zone)
      #expect(try west.list(.list, "due:before:\(limit)") == (isBefore ? ["Inbox: call"] : []), "\(hours) \(limit)")
    }
  }

  @Test func `the last day of the calendar holds its moments`() throws {
    for zone in [0, 18_000, -18_000] {
      let test = try TestStore(zone: .fixed(seconds: zone))
      let time = zone < 0 ? "09:00" : "22:00"
      try test.add(arguments: "moment", "due:9999-12-31T\(time)")
      try test.add(arguments: "day", "due:9999-12-31")
      try test.add(arguments: "before", "due:9999-12-30T23:00")
      #expect(try test.list(.list, "due:9999-12-31") == ["Inbox: moment, day"])
      #expect(try test.list(.list, "due:before:9999-12-31") == ["Inbox: before"])
      #expect(try test.list(.list, "due:9999-12-30") == ["Inbox: before"])
    }
  }

  @Test(arguments: [
    "in 100000 years", "in-100000-years", "in 3000000 days", "in 96000 months", "in 500000 weeks", "in 8000 years 9:30",
    "9999-12-31T23:59-05:00", "9999-12-31T20:00",
  ]) func `a date beyond the calendar is refused`(date: String) throws {
    let moment = Moment(Instant(iso: "2031-01-01T12:00:00Z")!, in: .fixed(seconds: -18_000))
    for token in ["due:\(date)", "due:before:\(date)"] {
      let error = #expect(throws: TodoError.self) { try Token.parse(token, as: .filter, at: moment) }
      #expect(error?.exitCode == 64, "\(String(describing: error))")
    }
  }

  @Test(arguments: [
    ("in-3-days 9:30", "2031-01-04T09:30:00Z"), ("in_3_days 09:30", "2031-01-04T09:30:00Z"),
    ("end-of-month 23:59:59", "2031-01-31T23:59:59Z"), ("next-week 7:00", "2031-01-08T07:00:00Z"),
    ("in 7968 years", "9999-01-01"), ("in-0-days 0:00", "2031-01-01T00:00:00Z"),
  ]) func `a time may follow a day, however the day is spelt`(text: String, due: String) throws {
    let moment = Moment(Instant(iso: "2031-01-01T12:00:00Z")!, in: .fixed(seconds: 0))
    #expect(DueExpression.parse(text, at: moment)?.description == due)
  }

  @Test(arguments: ["in -3 days", "in--3-days", "in -1 week", "in -3 days 9:30"])
  func `a number of days in the past has an error of its own`(date: String) throws {
    let moment = Moment(Instant(iso: "2031-01-01T12:00:00Z")!, in: .fixed(seconds: 0))
    for token in ["due:\(date)", "due:before:\(date)"] {
      let error = #expect(throws: TodoError.self) { try Token.parse(token, as: .filter, at: moment) }
      #expect(error?.message.contains("9999") == false, "\(String(describing: error))")
      #expect(error?.message.contains("did you mean") == false, "\(String(describing: error))")
      #expect(error?.message.contains("past") == true, "\(String(describing: error))")
    }
  }

  @Test(arguments: ["Nowhere/Atall", "../../etc/passwd", "[", "", "+25:00"])
  func `an unknown zone is replaced by the current one`(zone: String) throws {
    let test = try TestStore(zone: .fixed(seconds: 3600), now: "2031-01-30T12:00:00Z")
    try test.add(arguments: "early", "due:2031-01-31T05:00", "every:month")
    try test.store.database.write { connection in
      try connection.asLibrary { try connection.execute("PRAGMA ignore_check_constraints = 1") }
      try connection.execute("UPDATE item SET zone = \(zone)")
    }
    #expect(try test.store.done(Selection(1)).next.first?.due?.description == "2031-02-28T04:00:00Z")
    #expect(NamedZone(name: zone) == nil)
  }
}
