import FixtureSupport
import Testing
import TodoCore

@Suite struct ItemTests {
  @Test func `an added item is last in its list, with all its attributes`() throws {
    let test = try TestStore()
    try test.add("first", "second")
    let item = try test.add(
      arguments: "Pay rent", "+Home", "@errand", "@money", "!high", "due:2031-01-31T09:00", "every:month")
    #expect(item.title == "Pay rent" && item.list == "Home" && item.tags == ["errand", "money"])
    #expect(item.priority == .high && item.due == Due(iso: "2031-01-31T09:00:00Z") && item.every == .month)
    #expect(
      item.created == Instant(iso: "2031-01-01T12:00:00Z") && !item.done && item.anchor == "2031-01-31T09:00:00[+00:00]"
    )
    try test.add("third", list: "inbox")
    #expect(try test.list() == ["Inbox: first, second, third", "Home: Pay rent"])
    #expect(try test.store.revision() == 4)
    #expect(item.uuid.utf8.count == 36)
  }

  @Test(arguments: [
    "a\u{0}b", "\u{1B}[31mred\n\t", "  spaces  ", "e\u{301}", "é", "👩‍👩‍👧 \u{202E}x", "'; DROP TABLE item; --",
  ])
  func `titles are kept as given`(title: String) throws {
    let test = try TestStore()
    try test.add(title)
    #expect(try test.store.item(1).title.utf8.elementsEqual(title.utf8))
  }

  @Test func `an item without a title is not added`() throws {
    let test = try TestStore()
    for title in ["", "  \n"] {
      #expect { try test.add(title) } throws: { ($0 as? TodoError)?.exitCode == 64 }
    }
    #expect(try test.store.revision() == 0)
    #expect(try test.store.lists().isEmpty)
  }

  @Test func `done and undone set and clear the time`() throws {
    let test = try TestStore()
    try test.add("a", "b")
    test.clock.set("2031-01-02T08:00:00Z")
    let result = try test.store.done(Selection(2))
    #expect(result.label == "done \"b\"" && result.items.map(\.done) == [true] && result.revision == 3)
    #expect(result.items[0].completed == Instant(iso: "2031-01-02T08:00:00Z"))
    let again = try test.store.done(Selection(2))
    #expect(!again.didChange && again.unchanged.map(\.id) == [2] && again.revision == 3)
    #expect(try test.store.revision() == 3)
    let undone = try test.store.undone(Selection(2, 1))
    #expect(undone.items.map(\.id) == [2] && undone.unchanged.map(\.id) == [1] && undone.items[0].completed == nil)
  }

  @Test func `a change of an item that was changed since it was seen is refused`() throws {
    let test = try TestStore()
    try test.add("first", "second")
    var selection = Selection(1)
    selection.seenState = try test.store.item(1).tagOfState
    #expect(try test.store.start(selection).didChange)
    #expect(throws: TodoError.conflict("item 1 was changed meanwhile; look at it and try again")) {
      try test.store.done(selection)
    }
    #expect(throws: TodoError.self) { try test.store.remove(selection) }
    #expect(try test.store.revision() == 3 && !test.store.item(1).done)
    // An undo restores what was seen.
    _ = try test.store.undo()
    #expect(try test.store.done(selection).didChange)
  }

  @Test func `an unknown number anywhere changes nothing at all`() throws {
    let test = try TestStore()
    try test.add("a", "b", "c")
    let before = try test.content()
    let unknown = Selection([1, 9, 2])
    let operations: [() throws -> ChangeResult] = [
      { try test.store.done(unknown) },
      { try test.store.remove(unknown) },
      { try test.store.start(unknown) },
      { try test.store.note("x", to: unknown) },
      { try test.store.tag(unknown, adding: ["x"]) },
      { try test.store.archive(unknown) },
      { try test.store.move(unknown, .first(list: "New")) },
      { try test.store.move(Selection(1), .before(9)) },
      { try test.store.done(Selection(ids: [1...1, 7...9])) },
    ]
    for operation in operations {
      #expect { try operation() } throws: { error in
        guard case .noSuchItem(let message)? = error as? TodoError else { return false }
        return message.contains("9")
      }
    }
    #expect(try test.content() == before)
    #expect(try test.store.revision() == 3)
  }

  @Test func `ranges skip gaps and keep the order given`() throws {
    let test = try TestStore()
    try test.add("a", "b", "c", "d", "e")
    _ = try test.store.remove(Selection(2, 4))
    #expect(try test.store.items(Selection(ids: [5...5, 1...4, 3...3])).map(\.id) == [5, 1, 3])
  }

  @Test func `a filter alone is about open items`() throws {
    let test = try TestStore()
    try test.add("a", "b", list: "Home")
    try test.add("c")
    _ = try test.store.done(Selection(1))
    let home = try Selection(arguments: ["+home"])
    #expect(try test.store.items(home).map(\.id) == [2])
    #expect(try test.store.done(home).items.map(\.id) == [2])
    #expect(try test.store.undone(home).items.map(\.id) == [1, 2])
    #expect(try test.store.items(Selection(arguments: ["1-3", "+home"])).map(\.id) == [1, 2])
    #expect(try test.store.remove(try Selection(arguments: ["+nowhere"])).didChange == false)
  }

  @Test func `editing changes only the given fields`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "@x", "!low", "due:fri", "every:week")
    var result = try test.store.edit(
      Selection(1), ItemEdit(try Attributes(arguments: ["b", "c", "@y", "!none", "+Home"], at: test.store.moment)))
    #expect(result.items[0].title == "b c" && result.items[0].tags == ["x", "y"] && result.items[0].priority == nil)
    #expect(result.items[0].list == "Home" && result.items[0].every == .week)
    #expect(result.label == "edit \"b c\"")
    result = try test.store.edit(Selection(1), ItemEdit(try Attributes(arguments: ["due:none", "every:none"])))
    #expect(result.items[0].due == nil && result.items[0].every == nil && result.items[0].anchor == nil)
    #expect(result.items[0].dueDay == nil)
    let same = try test.store.edit(Selection(1), ItemEdit(try Attributes(arguments: ["b", "c", "@x", "+HOME"])))
    #expect(!same.didChange && same.unchanged.count == 1)
    #expect(try test.store.tag(Selection(1), removing: ["x", "z"]).items[0].tags == ["y"])
    try test.add("d")
    #expect(throws: TodoError.self) { try test.store.edit(Selection(1, 2), ItemEdit(Attributes(arguments: ["t"]))) }
    #expect(throws: TodoError.self) { try test.store.edit(Selection(1), ItemEdit()) }
  }

  @Test func `items are started, annotated, archived and removed`() throws {
    let test = try TestStore()
    try test.add("a", "b")
    #expect(try test.store.start(Selection(1)).items[0].started == test.clock.moment.instant)
    #expect(try test.store.start(Selection(1)).didChange == false)
    #expect(try test.store.stop(Selection(1)).items[0].started == nil)
    _ = try test.store.note("first \"one\"", to: Selection(1))
    #expect(try test.store.note("second", to: Selection(1)).items[0].notes == ["first \"one\"", "second"])
    _ = try test.store.done(Selection(2))
    #expect(try test.store.archive(Selection()).items.map(\.id) == [2])
    #expect(try test.list(status: .all) == ["Inbox: a"])
    #expect(try test.list(status: .done) == [])
    #expect(try test.list(status: .archived) == ["Inbox: b"])
    #expect(try test.store.unarchive(Selection(2)).items[0].archived == false)
    #expect(try test.store.remove(Selection(2)).removed.map(\.title) == ["b"])
    #expect(try test.add("c") == [3])
  }

  @Test func `a number is not used again, even after its add was undone`() throws {
    let test = try TestStore()
    try test.add("a")
    _ = try test.store.undo()
    #expect(try test.add("b") == [2])
  }
}

@Suite struct RecurrenceTests {
  @Test func `completing makes the next instance once`() throws {
    let test = try TestStore(now: "2031-01-31T10:00:00Z")
    try test.add(arguments: "rent", "+Home", "@m", "!high", "due:today", "every:month")
    _ = try test.store.note("n", to: Selection(1))
    let done = try test.store.done(Selection(1))
    #expect(done.items.map(\.id) == [1, 2] && done.next.map(\.id) == [2] && done.label == "done \"rent\"")
    let next = done.next[0]
    #expect(next.due == Due(iso: "2031-02-28") && next.every == .month && next.anchor == "2031-01-31")
    #expect(next.list == "Home" && next.tags == ["m"] && next.priority == .high && next.notes == ["n"] && !next.done)
    _ = try test.store.undone(Selection(1))
    #expect(try test.store.done(Selection(1)).next.isEmpty)
    #expect(try test.store.done(Selection(2)).next[0].due == Due(iso: "2031-03-31"))
    _ = try test.store.undo()
    #expect(try test.list(status: .all) == ["Home: rent, rent"])
    #expect(try test.store.done(Selection(2)).next[0].due == Due(iso: "2031-03-31"))
  }

  @Test func `a late item keeps its recurrence`() throws {
    let test = try TestStore(now: "2031-03-10T10:00:00Z")
    try test.add(arguments: "late", "due:2031-01-06", "every:week")
    #expect(try test.store.done(Selection(1)).next[0].due == Due(iso: "2031-03-10"))
    try test.add(arguments: "early", "due:2031-03-20", "every:week")
    #expect(try test.store.done(Selection(3)).next[0].due == Due(iso: "2031-03-27"))
    try test.add(arguments: "undated", "every:week")
    #expect(try test.store.done(Selection(5)).next[0].due == Due(iso: "2031-03-17"))
  }

  @Test func `nine o'clock stays nine o'clock`() throws {
    let berlin = try #require(NamedZone(name: "Europe/Berlin"))
    let test = try TestStore(zone: .named(berlin), now: "2031-03-01T12:00:00Z")
    try test.add(arguments: "stand up", "due:2031-03-29T09:00", "every:day")
    test.clock.set("2031-03-29T12:00:00Z")
    let next = try test.store.done(Selection(1)).next[0]
    #expect(next.due == Due(iso: "2031-03-30T07:00:00Z") && next.dueDay == CalendarDay(iso: "2031-03-30"))
    #expect(next.anchor == "2031-03-29T09:00:00[Europe/Berlin]")
  }

  @Test func `an edited date restarts the recurrence`() throws {
    let test = try TestStore()
    try test.add(arguments: "rent", "due:2031-01-31", "every:month")
    _ = try test.store.edit(Selection(1), ItemEdit(try Attributes(arguments: ["due:2031-01-15"])))
    #expect(try test.store.done(Selection(1)).next[0].due == Due(iso: "2031-02-15"))
  }
}
