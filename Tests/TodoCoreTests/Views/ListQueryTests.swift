import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport
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
    (["+errands", "+career"], "Milk, Parcel, Slides, Raise"), (["!high", "!low", "@shop"], "Milk"), (["+nowhere"], ""),
    (["@TOWN"], ""), (["+Career", "or", "@shop"], "Milk, Slides, Raise"), (["not", "@town"], "Slides, Raise"),
    (["(", "+Career", "or", "@shop", ")", "not", "due:any"], "Slides"),
    (["(+Career or @shop)", "due:any"], "Milk, Raise"),
    (["+Career", "or", "@town", "not", "@shop"], "Parcel, Slides, Raise"),
    (["not", "(", "@town", ")"], "Slides, Raise"),
    (["not", "due:before:2031-01-02"], "Milk, Parcel, Slides"), (["due:after:2030-12-24"], "Milk, Parcel"),
    (["due:after:2031-01-02"], ""), (["due:after:2031-01-02T07:59"], "Parcel"), (["due:this-week"], "Milk, Parcel"),
    (["due:last-week"], "Raise"), (["due:this month", "due:none"], "Milk, Parcel, Slides"), (["due:next-month"], ""),
    (["done:today"], "Café crème"), (["done:after:today"], ""), (["not", "done:any"], "Milk, Parcel, Slides, Raise"),
    (["list:career", "pri:high", "tag:town"], ""), (["text:mil"], "Milk"), (["not", "text:mil", "@town"], "Parcel"),
  ])
  func `filters are joined as they say`(arguments: [String], titles: String) throws {
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
        for sort in ItemSort.allCases {
          var query = query
          (query.sort, query.isReversed) = (sort, zone == .fixed(seconds: 7200))
          #expect(try followed(query, test.store) == test.json(query), "\(sort)")
        }
      }
    }
  }

  @Test func `lists of days have what is due, the overdue first`() throws {
    let test = try sample()
    test.clock.set("2031-01-01T12:00:00Z")
    try test.add(arguments: "Bank", "due:2031-01-01T10:00")
    try test.add(arguments: "Lunch", "due:today", "!high")
    try test.add(arguments: "Late", "due:2031-01-08")
    _ = try test.store.start(Selection(3))
    func list(_ list: DayList, _ arguments: String...) throws -> [String] {
      var query = test.here(ListQuery(filter: try Filter(arguments: arguments, at: test.store.moment)))
      list.apply(to: &query)
      #expect(try followed(query, test.store) == test.json(query))
      return try test.list(query)
    }
    #expect(try list(.today) == ["overdue: Raise", "2031-01-01: Lunch, Bank"])
    #expect(try list(.overdue) == ["overdue: Raise"])
    #expect(try list(.week) == ["overdue: Raise", "2031-01-01: Lunch, Bank", "2031-01-02: Milk, Parcel"])
    #expect(try list(.week, "+Errands", "not", "@shop") == ["2031-01-02: Parcel"])
    #expect(
      try list(.next)
        == ["started: Slides", "overdue: Raise", "today: Lunch, Bank", "this week: Milk, Parcel"])
    // Days are the reader's: the parcel is due on the evening before, there.
    test.clock.set(.fixed(seconds: -36_000))
    #expect(try list(.week) == ["overdue: Raise, Bank", "2031-01-01: Lunch, Parcel", "2031-01-02: Milk"])
    #expect(
      try list(.next)
        == ["started: Slides", "overdue: Raise, Bank", "today: Lunch, Parcel", "this week: Milk"])
    _ = try test.store.done(Selection(2, 4))
    #expect(try test.list(test.here(ListQuery(.agenda, filter: Filter(status: .done)))).first == "2030-12-24: Raise")
  }

  /// `next` reads the first items of three indices, and so must find what all items in order begin with.
  @Test func `the first of what matters are the same as those of all in order`() throws {
    let test = try TestStore()
    for seed in Seeds.range(40) {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<10 {
        let words = ["due:in-\(random.below(12))-days", "due:yesterday", "!high", "!low", "@x"]
        var arguments = words.filter { _ in random.once(in: 3) }
        if arguments.first?.hasPrefix("due:in") == true { arguments.removeAll { $0 == "due:yesterday" } }
        if arguments.contains("!high") { arguments.removeAll { $0 == "!low" } }
        let draft = ItemDraft(try Attributes(arguments: ["title"] + arguments, at: test.store.moment))
        let id = try test.store.add(draft).items[0].id
        if random.once(in: 8) { _ = try test.store.start(Selection(id)) }
        if random.once(in: 2) { _ = try test.store.done(Selection(id)) }
      }
      func ids(_ limit: Int, _ arguments: String...) throws -> [Int64] {
        var query = test.here(ListQuery(filter: try Filter(arguments: arguments, at: test.store.moment), limit: limit))
        DayList.next.apply(to: &query)
        var found = Numbers()
        try test.store.list(query, into: &found)
        return found.ids
      }
      for limit in [0, 1, 5, 10, 30] {
        #expect(try ids(limit) == Array(try ids(100_000).prefix(limit)), "\(Seeds.hint(seed))")
        #expect(try ids(limit, "@x") == Array(try ids(100_000, "@x").prefix(limit)), "\(Seeds.hint(seed))")
      }
    }
  }

  private struct Numbers: ListVisitor {
    var ids: [Int64] = []
    mutating func begin(revision: Int64) {}
    mutating func beginSection(name: String) {}
    mutating func row(_ item: Item) { ids.append(item.id) }
    mutating func endSection() {}
    mutating func end() {}
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
  @Test(arguments: [ItemView.list, .due, .priority, .tag, .undivided]) func `a view is read in the order of an index`(
    view: ItemView
  ) throws {
    for step in try plan(ListQuery(view, limit: 20)) {
      #expect(step.contains(" INDEX ") || step.contains("INTEGER PRIMARY KEY"), "\(step)")
      #expect(!step.contains("TEMP B-TREE"), "\(step)")
    }
  }

  /// Lists of days read the range of an index, and sort only what they show.
  @Test(arguments: DayList.allCases) func `a list of days reads the range of an index`(list: DayList) throws {
    for arguments in [[], ["+Errands", "or", "@shop"], ["not", "@shop"]] {
      var query = ListQuery(filter: try Filter(arguments: arguments))
      list.apply(to: &query)
      let plan = try plan(query)
      #expect(!plan.contains("SCAN item"), "\(plan)")
      let indices = list == .next ? ["item_open_started", "item_open_by_due", "item_open_high"] : ["item_open_by_due"]
      for index in indices {
        #expect(plan.contains { $0.contains("INDEX \(index)") }, "\(index) \(plan)")
      }
      #expect(list != .next || !arguments.isEmpty || !plan.contains { $0.contains("B-TREE FOR RIGHT") }, "\(plan)")
    }
  }

  private func plan(_ query: ListQuery) throws -> [String] {
    var sql = query.statement(ownDays: false).text
    sql = sql.split(separator: "?", omittingEmptySubsequences: false).joined(separator: "20")
    return try TodoDatabase().raw.strings("EXPLAIN QUERY PLAN \(sql)").map { $0[3] }
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
