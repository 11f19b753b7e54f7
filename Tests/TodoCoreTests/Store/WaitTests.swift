import FixtureSupport
import SQLiteStore
import Testing
import TodoCore

@Suite struct WaitTests {
  @Test func `an item is hidden until its time comes`() throws {
    let test = try TestStore(zone: .fixed(seconds: 3600))
    try test.add(arguments: "Day", "wait:tomorrow")
    try test.add(arguments: "Hour", "wait:2h")
    try test.add(arguments: "Past", "wait:yesterday")
    try test.add(arguments: "Now")
    #expect(try test.list() == ["Inbox: Past, Now"])
    #expect(try test.list(.list, status: .all) == ["Inbox: Day, Hour, Past, Now"])
    #expect(try test.list(.list, "wait:any") == ["Inbox: Day, Hour, Past, Now"])
    #expect(try test.list(.list, "wait:tomorrow") == ["Inbox: Day"] && test.list(.list, "wait:none") == ["Inbox: Now"])
    test.clock.set("2031-01-01T14:00:00Z")
    #expect(try test.list() == ["Inbox: Hour, Past, Now"])
    test.clock.set("2031-01-01T22:59:59Z")
    #expect(try test.list() == ["Inbox: Hour, Past, Now"] && test.store.item(1).isHidden(at: test.store.moment))
    test.clock.set("2031-01-01T23:00:00Z")
    #expect(try test.list() == ["Inbox: Day, Hour, Past, Now"] && !test.store.item(1).isHidden(at: test.store.moment))
  }

  @Test func `a filter changes only items that are seen, and a number any item`() throws {
    let test = try TestStore()
    try test.add(arguments: "Hidden", "@a", "wait:fri")
    try test.add(arguments: "Seen", "@a")
    #expect(try test.store.done(Selection(arguments: ["@a"])).items.map(\.title) == ["Seen"])
    #expect(try test.store.edit(Selection(1), ItemEdit(Attributes(arguments: ["wait:none"]))).items[0].wait == nil)
    #expect(try test.list() == ["Inbox: Hidden"])
    _ = try test.store.undo()
    #expect(try test.list() == [] && test.store.item(1).wait == Due(iso: "2031-01-03"))
  }

  @Test func `an item that has waited long enough is noticed once`() throws {
    let test = try TestStore()
    let waiting = try WaitingItems(test.store)
    let start = test.clock.moment.instant
    func appear(after seconds: Int64, until end: Int64) -> Bool {
      waiting.appear(
        after: start.adding(seconds: seconds), until: Moment(start.adding(seconds: end), in: .fixed(seconds: 0)))
    }
    #expect(!appear(after: 0, until: 100_000))
    try test.add(arguments: "Hour", "wait:1h")
    try test.add(arguments: "Day", "wait:tomorrow")
    try test.add(arguments: "Later", "wait:in-3-weeks")
    let limit = ContinuousClock.now + .seconds(60)
    while !appear(after: 1_000_000, until: 3_000_000), ContinuousClock.now < limit {}
    #expect(appear(after: 0, until: 3600) && !appear(after: 0, until: 3599) && !appear(after: 3600, until: 43_199))
    #expect(appear(after: 3600, until: 43_200) && appear(after: 1_000_000, until: 3_000_000))
  }

  @Test(arguments: [
    ("any", Token.Use.attributes, "dates"), ("ayn", .filter, "wait:any"), ("nnoe", .attributes, "wait:none"),
  ])
  func `a wrong wait names what is right there`(word: String, use: Token.Use, named: String) {
    let error = #expect(throws: TodoError.self) { try Token.parse("wait:\(word)", as: use) }
    #expect(error?.message.contains(named) == true, "\(String(describing: error))")
  }

  @Test func `a day is no wait where the database refuses it`() throws {
    let test = try TestStore()
    try test.add("a")
    let raw = try RawDatabase(path: test.path)
    for wait in ["soon", "2031-02-30", "2031-01-01T10:00"] {
      #expect(throws: RawDatabase.Failure.self) { try raw.execute("UPDATE item SET wait = '\(wait)'") }
    }
  }
}
