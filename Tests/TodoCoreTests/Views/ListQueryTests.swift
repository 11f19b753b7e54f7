import FetchedResults
import FixtureSupport
import Testing

@testable import TodoCore

@Suite struct ListQueryTests {
  private func sample() throws -> TestStore {
    let test = try TestStore(zone: .fixed(seconds: 7200))
    try test.add(arguments: "Milk", "+Errands", "@shop", "@town", "!low", "due:2031-01-02")
    try test.add(arguments: "Parcel", "+Errands", "@town", "due:2031-01-02T08:00")
    try test.add(arguments: "Slides", "+Career", "!high")
    try test.add(arguments: "Raise", "+Career", "!high", "due:2030-12-24", "every:year")
    try test.add(arguments: "Café crème", "+Errands")
    _ = try test.store.note("at the Post-Office", to: Selection(3))
    _ = try test.store.done(Selection(5))
    return test
  }

  @Test func `views cut and order as they should`() throws {
    let test = try sample()
    #expect(try test.list() == ["Errands: Milk, Parcel", "Career: Slides, Raise"])
    #expect(try test.list(.due) == ["2030-12-24: Raise", "2031-01-02: Milk, Parcel", "no date: Slides"])
    #expect(try test.list(.priority) == ["high: Slides, Raise", "low: Milk", "no priority: Parcel"])
    #expect(try test.list(.tag) == ["shop: Milk", "town: Milk, Parcel", "untagged: Slides, Raise"])
    #expect(try test.list(status: .done) == ["Errands: Café crème"])
    #expect(try test.list(status: .all) == ["Errands: Milk, Parcel, Café crème", "Career: Slides, Raise"])
    #expect(try test.list(ListQuery(limit: 3)) == ["Errands: Milk, Parcel", "Career: Slides"])
    #expect(try test.list(ListQuery(limit: 0)) == [])
  }

  @Test(arguments: [
    (["+errands"], "Milk, Parcel"), (["@town", "@shop"], "Milk"), (["!high", "+Career"], "Slides, Raise"),
    (["!none"], "Parcel"), (["due:none"], "Slides"), (["due:2031-01-02"], "Milk, Parcel"),
    (["due:2031-01-02T08:00"], "Parcel"), (["due:before:2031-01-02"], "Raise"),
    (["due:before:2031-01-03"], "Milk, Parcel, Raise"),
    (["due:before:2031-01-02T09:00"], "Parcel, Raise"), (["every:year"], "Raise"),
    (["every:none", "+Career"], "Slides"),
    (["+errands", "+career"], ""), (["+nowhere"], ""), (["@TOWN"], ""),
  ])
  func `filters are joined by and`(arguments: [String], titles: String) throws {
    let test = try sample()
    let filter = try Filter(arguments: arguments, at: test.store.moment)
    let items = try test.store.items(Selection(filter: filter))
    #expect(items.map(\.title).joined(separator: ", ") == titles)
  }

  @Test(arguments: [
    ("milk", "Milk"), ("MIL", "Milk"), ("cafe", "Café crème"), ("creme caf", "Café crème"), ("office", "Slides"),
    ("post-office", "Slides"), ("\"", ""), ("arcel", ""), ("mil parcel", ""), ("-", "Slides"), ("nothing", ""),
    ("AND", ""),
  ])
  func `search finds words in titles and notes`(words: String, titles: String) throws {
    let test = try sample()
    let query = ListQuery(filter: try Filter(arguments: [], text: [words], status: .all))
    let found = try test.list(query).map { $0.split(separator: ": ")[1] }.joined(separator: ", ")
    #expect(found == titles)
  }

  @Test func `search finds what another program has written`() throws {
    let test = try sample()
    let raw = try RawDatabase(path: test.path)
    try raw.execute("UPDATE item SET title = 'Butter' WHERE id = 1")
    func titles(_ word: String) throws -> [String] {
      try test.list(ListQuery(filter: Filter(arguments: [], text: [word])))
    }
    #expect(try titles("milk") == [])
    #expect(try titles("butter") == ["Errands: Butter"])
    try test.add("x")
    #expect(try titles("butt") == ["Errands: Butter"])
  }

  @Test func `text in scripts without spaces is found anywhere`() throws {
    let test = try TestStore()
    try test.add("牛奶を買う", "🎉 party")
    #expect(try test.list(ListQuery(filter: Filter(arguments: [], text: ["奶"]))) == ["Inbox: 牛奶を買う"])
    #expect(try test.list(ListQuery(filter: Filter(arguments: [], text: ["🎉"]))) == ["Inbox: 🎉 party"])
  }

  /// The day of a moment is the reader's, also where the writer's clock showed another one.
  @Test func `a moment is listed under the reader's day`() throws {
    let test = try sample()
    #expect(try test.list(.due).contains("2031-01-02: Milk, Parcel"))
    test.clock.set(.fixed(seconds: -36_000))
    #expect(try test.list(.due) == ["2030-12-24: Raise", "2031-01-01: Parcel", "2031-01-02: Milk", "no date: Slides"])
    #expect(try test.list(.list, "due:2031-01-01") == ["Errands: Parcel"])
    #expect(try test.list(.list, "due:before:2031-01-02") == ["Errands: Parcel", "Career: Raise"])
  }

  /// A list that is read once and the same list when followed must be equal to the byte.
  @Test(arguments: ItemView.allCases, [Filter.Status.open, .done, .all]) func `reading and following give the same`(
    view: ItemView, status: Filter.Status
  ) throws {
    let test = try sample()
    for zone in [LocalZone.fixed(seconds: 7200), .fixed(seconds: -36_000)] {
      test.clock.set(zone)
      for limit in [nil, 0, 2] {
        let query = test.here(ListQuery(view, filter: Filter(status: status), limit: limit))
        #expect(try followed(query, test.store) == test.json(query))
      }
    }
  }

  private func followed(_ query: ListQuery, _ store: TodoStore) throws -> String {
    let bytes = Bytes()
    var writer = JSONListWriter { bytes.append($0) }
    if query.view == .tag {
      let controller = try store.taggedController(query)
      try controller.performFetch()
      try controller.snapshot.visit(revision: store.revision(), &writer)
    } else {
      let controller = try store.controller(query)
      try controller.performFetch()
      try controller.snapshot.visit(revision: store.revision(), &writer)
    }
    return bytes.text
  }

  /// A page of a view costs a page, however many items there are.
  @Test(arguments: ItemView.allCases) func `a view is read in the order of an index`(view: ItemView) throws {
    let test = try TestStore()
    let query = ListQuery(view, limit: 20)
    let raw = try TodoDatabase().raw
    _ = test
    var sql = query.statement(ownDays: false).text
    sql = sql.split(separator: "?", omittingEmptySubsequences: false).joined(separator: "20")
    let plan = try raw.strings("EXPLAIN QUERY PLAN \(sql)").map { $0[3] }
    for step in plan {
      #expect(step.contains(" INDEX ") || step.contains("INTEGER PRIMARY KEY"), "\(plan)")
      #expect(!step.contains("TEMP B-TREE"), "\(plan)")
    }
  }

  /// A change costs what it changed, in every view.
  @Test(arguments: ItemView.allCases, [Filter.Status.all, .open])
  func `following reads the changed rows only`(view: ItemView, status: Filter.Status) async throws {
    let test = try sample()
    let query = test.here(ListQuery(view, filter: Filter(status: status)))
    func check<E: ListedItem>(_ controller: FetchedResultsController<E>) async throws {
      try await controller.performFetch()
      _ = try test.store.edit(Selection(2), ItemEdit(Attributes(arguments: ["!medium", "@new", "due:fri", "Box"])))
      try await controller.settled()
      #expect(controller.statistics.requeried == 0, "\(controller.statistics.reasons)")
      #expect(controller.statistics.incremental == 1)
      let bytes = Bytes()
      var writer = JSONListWriter { bytes.append($0) }
      try controller.snapshot.visit(revision: test.store.revision(), &writer)
      #expect(try bytes.text == test.json(query))
    }
    if view == .tag {
      try await check(test.store.taggedController(query))
    } else {
      try await check(test.store.controller(query))
    }
  }

  @Test func `another process is followed row by row too`() async throws {
    let test = try sample()
    let other = try TestStore(path: test.path)
    try test.store.recordHistory()
    try test.store.recordHistory()
    let controller = try test.store.controller(ListQuery())
    try await controller.performFetch()
    try other.add("from elsewhere", list: "Errands")
    try await controller.settled()
    #expect(controller.snapshot[0].items.map(\.title).last == "from elsewhere")
    #expect(controller.statistics.requeried == 0, "\(controller.statistics.reasons)")
  }

  @Test func `filters by text and tag are followed`() async throws {
    let test = try sample()
    let filter = try Filter(arguments: ["@shop"], text: ["milk"])
    let controller = try test.store.controller(ListQuery(filter: filter))
    try await controller.performFetch()
    #expect(controller.snapshot.items.map(\.title) == ["Milk"])
    try test.add(arguments: "More milk", "@shop")
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.title) == ["Milk", "More milk"])
    _ = try test.store.edit(Selection(1), ItemEdit(Attributes(arguments: ["Butter"])))
    try await controller.settled()
    #expect(controller.snapshot.items.map(\.title) == ["More milk"])
  }

  @Test func `an item as JSON has all its fields`() throws {
    let test = try TestStore()
    try test.add("a")
    let uuid = try test.store.item(1).uuid
    #expect(
      try test.json() == """
        {"schema":1,"revision":1,"sections":[{"name":"Inbox","items":[{"id":1,"uuid":"\(uuid)","title":"a","list":"Inbox",\
        "tags":[],"priority":null,"due":null,"every":null,"done":false,"created":"2031-01-01T12:00:00Z",\
        "completed":null,"started":null,"notes":[],"archived":false,"wait":null}]}]}

        """)
  }
}
