import FixtureSupport
import Foundation
import SQLiteStore
import Testing
import TodoCore

/// Files of other programs, and what people write by hand: nothing of them is lost or bent.
@Suite struct ForeignFileTests {
  private func read(_ format: TransferFormat, _ text: String, _ test: TestStore? = nil) throws -> ImportBatch {
    try format.read(Array(text.utf8), at: test?.clock.moment ?? Moment(Instant(seconds: 0), in: .fixed(seconds: 0)))
  }

  private func titles(_ format: TransferFormat, _ text: String) throws -> [String] {
    try read(format, text).items.map(\.title)
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return (error as? TodoError)?.message ?? "\(error)"
    }
  }

  @Test func `a letter beyond C in todo txt is kept beside other extra fields and can be changed`() throws {
    for (mark, word) in [("", "(H) "), ("x ", " pri:H")] {
      let done = mark.isEmpty ? "" : #","done":true,"completed":"2030-09-23T17:46:40Z""#
      let json = #"[{"title":"Paint"\#(done),"extra":{"own":1,"todotxtPriority":"H","last":[2]}}]"#
      let test = try TestStore()
      _ = try test.store.importItems(read(.json, json, test))
      let line = try test.exported(as: .todotxt)
      #expect(line.hasPrefix(mark) && line.contains(word))
      #expect(try test.store.importDryRun(read(.todotxt, line, test)).unchanged == 1)
      // What another program does to the line.
      var options = ImportOptions()
      options.isUpdating = true
      for (new, letter) in [(word.replacing("H", with: "J"), "J"), ("", nil)] {
        _ = try test.store.importItems(read(.todotxt, line.replacing(word, with: new), test), options)
        let extra = try test.store.item(1).extraFields()
        #expect(extra["todotxtPriority"]?.string == letter && extra["own"] == 1, "\(line)")
      }
    }
  }

  // MARK: What constraints refuse

  @Test(arguments: [1, 250]) func `an anchor is normalised or refused however many items there are`(count: Int) throws {
    for (anchor, stored) in [
      ("2031-01-01T09:00", "2031-01-01T09:00:00"), ("2031-01-01T09:00:07", "2031-01-01T09:00:07"),
      ("2031-01-01", "2031-01-01"), ("rubbish", nil), ("2031-02-30", nil), ("2031-01-01T25:00", nil),
    ] {
      let items = (0..<count).map { number in
        #"{"title":"t\#(number)","every":"day","due":"2031-01-01T09:00:00Z","anchor":"\#(anchor)"}"#
      }
      let rows = (0..<count).map { "t\($0),day,2031-01-01T09:00:00Z,\(anchor)\n" }
      let files: [(TransferFormat, String)] = [
        (.json, "[\n" + items.joined(separator: ",\n") + "]"), (.csv, "title,every,due,anchor\n" + rows.joined()),
      ]
      for (format, text) in files {
        let test = try TestStore()
        let message = message { _ = try test.store.importItems(read(format, text, test)) }
        #expect(try test.store.database.integrityCheck() == [])
        guard let stored else {
          #expect(message.hasPrefix("line 2, column ") && message.contains("nchor\""), "\(format): \(message)")
          continue
        }
        #expect(message == "", "\(format) \(anchor)")
        #expect(try test.store.item(1).anchor == stored)
        _ = try test.store.remove(Selection(1))
        _ = try test.store.undo()
        _ = try test.store.undo()
        #expect(try test.content() == [])
      }
    }
  }

  @Test func `a missing title and a name with NUL are refused with their place`() throws {
    for (format, text, place) in [
      (TransferFormat.json, "[\n{\"title\":\" \\t\"}]", "line 2"), (.csv, "title,list\na,b\n\"  \",c\n", "line 3"),
      (.json, "[\n{\"title\":\"a\",\"tags\":[\"b\\u0000c\"]}]", "line 2"),
      (.json, "[\n{\"title\":\"a\",\"list\":\"b\\u0000c\"}]", "line 2"),
      (.taskwarrior, "[\n{\"description\":\"a\",\"project\":\"b\\u0000c\"}]", "line 2"),
      (.todotxt, "a\nb @x\u{0}y\n", "line 2"), (.todotxt, "a\nb +x\u{0}y\n", "line 2"),
    ] as [(TransferFormat, String, String)] {
      let test = try TestStore()
      let message = message { _ = try test.store.importItems(read(format, text, test)) }
      #expect(message.hasPrefix(place), "\(format) \(text): \(message)")
    }
  }

  // MARK: Fields of others

  @Test func `fields of taskwarrior named like ours come back through JSON`() throws {
    let test = try TestStore()
    let task = """
      [{"description":"real","project":"Home","status":"pending","title":"theirs","list":"theirs","done":true,
      "notes":["x"],"tags":["t"],"extra":{"a":1},"id":3,"todoown":1,"dueDay":"soon","anchor":7,"previous":"no"}]
      """
    _ = try test.store.importItems(read(.taskwarrior, task, test))
    let item = try test.store.items(Selection(ids: [], filter: Filter(status: .any)))[0]
    #expect(item.title == "real" && item.list == "Home" && !item.done && item.notes == [] && item.tags == ["t"])
    let other = try TestStore()
    _ = try other.store.importItems(read(.json, test.exported(as: .json), test))
    let back = try other.exported(as: .taskwarrior)
    #expect(try back == test.exported(as: .taskwarrior))
    for part in [#""title":"theirs""#, #""done":true"#, #""extra":{"a":1}"#, #""dueDay":"soon""#, #""anchor":7"#] {
      #expect(back.contains(part), "\(part)")
    }
  }

  @Test(arguments: ["sep=", "SEP=", "Sep="]) func `a first line names the separator in any case`(word: String) throws {
    #expect(try titles(.csv, "\(word),\ntitle,list\n\"a;b\",c\n") == ["a;b"])
    #expect(try titles(.csv, "\u{FEFF}\(word)|\r\ntitle|list\r\na;b|c\r\n") == ["a;b"])
  }

  @Test func `other programs' columns keep their names and cells`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(read(.csv, "title,colour,Colour,extra\na,red,Blue,soon\n", test))
    let extra = try test.store.item(1).extraFields()
    #expect(extra["colour"] == "red" && extra["Colour"] == "Blue" && extra["extra"] == "soon")
  }

  @Test func `a field that can be imported can be exported and imported again`() throws {
    for depth in [1, 100, 200, 253, 279, 280, 281, 290] {
      let test = try TestStore()
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let message = message {
        _ = try test.store.importItems(read(.json, "[{\"title\":\"a\",\"own\":\(value)}]", test))
      }
      #expect(message.contains("nested") == (depth > 280), "\(depth): \(message)")
      if !message.isEmpty { continue }
      #expect(try test.store.importDryRun(read(.json, test.exported(as: .json), test)).unchanged == 1)
    }
  }

  // MARK: Markdown, lines and tables

  @Test func `fences follow CommonMark`() throws {
    #expect(try titles(.markdown, "- [ ] a\n```npm install```\n- [ ] b\n") == ["a", "b"])
    #expect(try titles(.markdown, "````\n- [ ] no\n```\n- [ ] no\n````\n- [ ] b\n") == ["b"])
    #expect(try titles(.markdown, "~~~ a`b\n- [ ] no\n```\n~~~~\n- [ ] b\n") == ["b"])
    #expect(try titles(.markdown, "```swift\n- [ ] no\n``` x\n- [ ] no\n```\n- [ ] b\n") == ["b"])
    #expect(try titles(.markdown, "- [ ] a\n``x``\n- [ ] b\n```\n- [ ] never closed\n") == ["a", "b"])
  }

  @Test func `words of a title in Markdown are no attributes, on the way out and back`() throws {
    let text = "- [ ] due:2031-01-31 Pay rent\n- [ ] Pay every:month (all of it)\n- [ ] @alice\n"
    let test = try TestStore()
    _ = try test.store.importItems(read(.markdown, text, test))
    try test.add("Ask @kim", "!high", "ends due:2031-01-01")
    let titles = [
      "due:2031-01-31 Pay rent", "Pay every:month (all of it)", "@alice", "Ask @kim", "!high", "ends due:2031-01-01",
    ]
    let exported = try test.exported(as: .markdown)
    let items = try read(.markdown, exported, test).items
    #expect(items.map(\.title) == titles && items.map(\.tags) == [[], [], ["alice"], [], [], []], "\(exported)")
    #expect(items.allSatisfy { $0.due == nil && $0.every == nil && $0.priority == nil })
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func `lines end as on any system`(end: String) throws {
    #expect(try titles(.todotxt, ["a", "b", "c", ""].joined(separator: end)) == ["a", "b", "c"])
    #expect(try titles(.markdown, ["# L", "- [ ] a", "- [x] b", ""].joined(separator: end)) == ["a", "b"])
    #expect(try titles(.csv, ["title,due", "a,", "b,2031-01-01", ""].joined(separator: end)) == ["a", "b"])
    let text = ["title,due", "a,", "b,soon"].joined(separator: end)
    #expect(message { _ = try read(.csv, text) }.hasPrefix("line 3, column 3"))
  }

  @Test func `a table may end in empty rows and name its separator`() throws {
    #expect(try titles(.csv, "title,due\na,\n,\n,,,\n\"\",\" \"\nb,\n") == ["a", "b"])
    #expect(try titles(.csv, "title,due\na,,,\n") == ["a"])
    #expect(try titles(.csv, "sep=;\r\ntitle;due\r\n\"a;b\";2031-01-01\r\n") == ["a;b"])
    #expect(try titles(.csv, "title\tdue\na b\t2031-01-01\n") == ["a b"])
  }

  // MARK: Numbers and UUIDs

  @Test func `each item has a number of its own`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(
      read(.json, #"[{"id":9999999,"title":"a"},{"title":"b"},{"id":10000000,"title":"c"}]"#))
    #expect(try test.list() == ["Inbox: a, b, c"])
    #expect(
      try test.store.items(Selection(ids: [], filter: Filter())).map(\.id) == [9_999_999, 10_000_000, 10_000_001])
  }

  // MARK: Taskwarrior

  private static let stream: String = {
    let parent = "00000000-0000-4000-8000-000000000009"
    func task(_ status: String, _ more: String) -> String {
      #"{"description":"Bins","status":"\#(status)","recur":"weekly",\#(more)}"#
    }
    func instance(_ mask: Int, _ day: Int) -> String {
      task("pending", #""parent":"\#(parent)","imask":\#(mask),"due":"203012\#(day)T000000Z""#)
    }
    let other = #"{"description":"Other","status":"pending","recur":"daily","due":"20301201T000000Z"}"#
    let tasks = [task("recurring", #""uuid":"\#(parent)""#), instance(0, 10), instance(2, 24), instance(1, 17), other]
    return "[" + tasks.joined(separator: ",\n") + "]"
  }()

  @Test func `of the instances of a recurring task, the last one recurs`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(read(.taskwarrior, Self.stream, test))
    let items = try test.store.items(Selection(1, 2, 3, 4))
    #expect(items.map(\.every) == [nil, .week, nil, .day])
    for id: Int64 in 1...3 { _ = try test.store.done(Selection(id)) }
    #expect(try test.list(.list, "every:week").count == 1)
    #expect(try test.store.items(Selection(ids: [], filter: Filter())).filter { $0.title == "Bins" }.count == 1)
    #expect(try test.store.importDryRun(read(.json, test.exported(as: .json), test)).unchanged == 5)
  }

  @Test(arguments: [0, 3600, -18_000]) func `a task that is due at midnight is due on a day`(offset: Int) throws {
    let test = try TestStore(zone: .fixed(seconds: offset))
    try test.add(arguments: "moment", "due:2031-01-02T00:00")
    try test.add(arguments: "day", "due:2031-01-02")
    let items = try read(.taskwarrior, test.exported(as: .taskwarrior), test).items
    #expect(items.map { $0.due?.description } == ["2031-01-02", "2031-01-02"])
  }

  // MARK: Texts are bytes

  @Test func `two spellings of a letter are two lists and two tags everywhere`() throws {
    let test = try TestStore()
    for (index, name) in ["caf\u{E9}", "cafe\u{301}", "CAF\u{E9}"].enumerated() {
      try test.add(arguments: "item \(index)", "+\(name)", "@\(name)")
    }
    try test.add(arguments: "both", "+caf\u{E9}", "@caf\u{E9}", "@cafe\u{301}")
    #expect(try test.store.lists().map(\.total) == [3, 1])
    #expect(try test.store.item(4).tags.count == 2)
    for format in TransferFormat.allCases where format != .markdown {
      let file = try test.exported(as: format)
      #expect(try test.store.importDryRun(read(format, file, test)).unchanged == 4, "\(format)")
      let other = try TestStore()
      _ = try other.store.importItems(read(format, file, test))
      #expect(try other.list() == test.list() && other.list(.tag).count == 3, "\(format)")
      #expect(try other.store.lists().map(\.total) == [3, 1], "\(format)")
    }
    #expect(try test.list(.tag).count == 3)
    let result = try test.store.done(Selection(1, 2, 3))
    var lines = Lines()
    try result.visit(&lines)
    #expect(lines.lines.count == 2)
  }

  @Test(arguments: [1, 250]) func `an invalid anchor is refused in small and large batches`(count: Int) throws {
    let anchors = ["rubbish", "2031-01-01T09:00", "2031-02-30", "2031-01-01[UTC]", "2031-01-01T09:00:00[../x]"]
    for anchor in anchors {
      let test = try TestStore()
      var batch = ImportBatch()
      batch.items = (0..<count).map { number in
        var item = ImportedItem(title: "t\(number)")
        item.every = .day
        item.due = Due(iso: "2031-01-01T09:00:00Z")
        item.anchor = anchor
        return item
      }
      let message = message { _ = try test.store.importItems(batch) }
      #expect(message.contains("the anchor of \"t0\" is \"\(anchor)\""), "\(message)")
      #expect(try test.content().isEmpty)
    }
  }

  // MARK: How tables begin

  @Test(arguments: [
    "\u{FEFF}sep=;\ntitle;list\na,b;c\n", "sep=;\r\ntitle;list\r\na,b;c\r\n", "\u{FEFF}title;list\na,b;c\n",
    "\u{FEFF}sep=;\r\n\r\ntitle;list\r\na,b;c\r\n", "\n\r\n  \ntitle;list\na,b;c\n",
    "\"list, of whom\";list;title\n;c;\"a,b\"\n", "list;title;\"own\nand, more\"\nc;a,b;\n", ";;\ntitle;list;\na,b;c\n",
    "title\tlist\na,b\tc\n", "\"a,b;c\"\ttitle\tlist\n\ta,b\tc\n", "sep=\t\ntitle\tlist\na,b\tc\n",
  ]) func `a table is read, however it begins`(text: String) throws {
    let items = try read(.csv, text).items
    #expect(items.map(\.title) == ["a,b"] && items.map(\.list) == ["c"], "\(items)")
  }

  @Test func `an error names the right line of a table that doesn't begin on the first line`() throws {
    let message = message { _ = try read(.csv, "\u{FEFF}sep=;\n\ntitle;due\na;soon\n") }
    #expect(message.hasPrefix("line 4, column 3: "), "\(message)")
  }

  // MARK: Days, notes and recurrences

  @Test func `a blank before the quotes of a cell is refused`() throws {
    for text in ["title,list\n\"Buy milk\", \"Home, sweet\"\n", "title,list\na,  \"b\"\n"] {
      let error = #expect(throws: TodoError.self) { try read(.csv, text, TestStore()) }
      #expect(error?.message.contains("a blank precedes the opening quote") == true)
    }
    #expect(try read(.csv, "title,list\n\" \"\"b\"\"\",c\n", TestStore()).items.map(\.title) == [" \"b\""])
  }

  @Test func `taskwarrior's spellings of a recurrence are known`() throws {
    for (recur, every) in [
      ("1mo", .month), ("mth", .month), ("months", .month), ("1 month", .month), ("P1M", .month), ("7d", .week),
      ("1wk", .week),
      ("d", .day), ("1yr", .year), ("annual", .year), ("11mo", Recurrence("11months")),
      ("quarterly", Recurrence("quarter")), ("P2W", Recurrence("2weeks")),
      ("weekdays", Recurrence("weekday")), ("7days", .week), ("3 qtrs", Recurrence("9months")), ("hourly", nil),
      ("", nil),
    ] as [(String, Recurrence?)] {
      let text = "{\"description\":\"a\",\"due\":\"20310131T000000Z\",\"recur\":\"\(recur)\"}"
      #expect(try read(.taskwarrior, text, TestStore()).items.map(\.every) == [every], "\(recur)")
    }
  }

  @Test func `a recurring task without an open instance is named`() throws {
    let parent =
      "{\"description\":\"rent\",\"status\":\"recurring\",\"recur\":\"monthly\",\"uuid\":\"10000000-0000-4000-8000-000000000001\",\"due\":\"20310131T000000Z\"}"
    let child =
      "{\"description\":\"rent\",\"status\":\"completed\",\"recur\":\"monthly\",\"parent\":\"10000000-0000-4000-8000-000000000001\"}"
    for text in [parent, "[\(parent),\(child)]"] {
      let warnings = try read(.taskwarrior, text, TestStore()).warnings
      #expect(warnings.count == 1 && warnings[0].contains("\"rent\" is left out"))
    }
    let open = child.replacing("completed", with: "pending")
    #expect(try read(.taskwarrior, "[\(open),\(child),\(parent)]", TestStore()).warnings == [])
  }

  @Test(arguments: [
    "x 2026-11-29 (A) 2026-11-28 Call mum", "x (A) 2026-11-29 2026-11-28 Call mum",
    "x 2026-11-29 2026-11-28 (A) Call mum",
  ])
  func `the days of a completed todo.txt line may have the priority anywhere`(line: String) throws {
    let test = try TestStore.copyOfNew()
    let item = try read(.todotxt, line, test).items[0]
    let zone = test.clock.moment.zone
    #expect(item.title == "Call mum" && item.priority == .high && item.done)
    #expect(item.created.map { zone.day(of: $0).description } == "2026-11-28")
    #expect(item.completed.map { zone.day(of: $0).description } == "2026-11-29")
    let open = try read(.todotxt, "(A) 2026-11-28 2026-11-29 is a day", test).items[0]
    #expect(open.title == "2026-11-29 is a day")
  }

  @Test func `a byte order mark before any line is no text`() throws {
    let test = try TestStore()
    let files = "(A) one\n\u{FEFF}x 2031-01-01 two\n\u{FEFF}(B) three\r\n"
    let items = try read(.todotxt, files, test).items
    #expect(items.map(\.title) == ["one", "two", "three"] && items[1].done && items[2].priority == .medium)
    let lists = "\u{FEFF}# Home\n- [ ] one\n\u{FEFF}# Work\n- [ ] two\n"
    #expect(try read(.markdown, lists, test).items.map(\.list) == ["Home", "Work"])
  }

  @Test(arguments: [
    ("20310131T000000Z", "20330228T000000Z", "monthly", "2031-01-31"),
    ("20280229T000000Z", "20330228T000000Z", "yearly", "2028-02-29"),
    ("20310131T093000Z", "20330228T093000Z", "monthly", "2031-01-31T09:30:00[+00:00]"),
    ("20310131T000000Z", "20330331T000000Z", "monthly", nil), ("20310131T000000Z", "20310228T000000Z", "weekly", nil),
  ])
  func `a series of taskwarrior's goes on from its own start`(
    start: String, due: String, rhythm: String, anchor: String?
  )
    throws
  {
    let test = try TestStore()
    test.clock.set(.fixed(seconds: 0))
    let text = """
      [{"description":"rent","status":"recurring","recur":"\(rhythm)","uuid":"10000000-0000-4000-8000-00000000000A",
      "due":"\(start)"},{"description":"rent","status":"pending","recur":"\(rhythm)","imask":1,
      "parent":"10000000-0000-4000-8000-00000000000a","uuid":"10000000-0000-4000-8000-000000000005","due":"\(due)"}]
      """
    let batch = try read(.taskwarrior, text, test)
    #expect(batch.items.map(\.anchor) == [anchor])
    #expect(batch.items.map(\.every) == [rhythm == "weekly" ? .week : rhythm == "yearly" ? .year : .month])
    _ = try test.store.importItems(batch)
    if anchor == "2031-01-31" {
      #expect(try test.store.done(Selection(1)).next[0].due == Due(iso: "2033-03-31"))
    }
  }

  @Test func `a column whose name is almost one of ours is named`() throws {
    let test = try TestStore()
    try test.add(arguments: "a")
    let text = try test.exported(as: .csv)
    #expect(try read(.csv, text, test).warnings == [])
    let batch = try read(.csv, text.replacing(",uuid,", with: ",uud,"), test)
    #expect(batch.warnings.count == 1 && batch.warnings[0].contains("did you mean \"uuid\""), "\(batch.warnings)")
    #expect(try read(.csv, "title,colour,Assigned to,tags,tag\na,b,c,d,e\n", test).warnings == [])
  }

  @Test(arguments: ["hourly", "PT2H", "90sols", "0d"])
  func `a recurrence of taskwarrior's that is none here is named`(recur: String) throws {
    let test = try TestStore()
    let task = "{\"description\":\"a\",\"status\":\"pending\",\"due\":\"20310131T000000Z\",\"recur\":\"\(recur)\"}"
    let batch = try read(.taskwarrior, "[\(task)]", test)
    #expect(batch.warnings.count == 1 && batch.warnings[0].contains("\"\(recur)\""))
    _ = try test.store.importItems(batch)
    #expect(try test.exported(as: .taskwarrior).contains("\"recur\":\"\(recur)\""))
    #expect(try read(.taskwarrior, task.replacing("pending", with: "completed"), test).warnings == [])
  }

  @Test func `a recurring task whose instances are in the file, and which is here, is named`() throws {
    let test = try TestStore()
    try test.add(arguments: "Rent", "due:2030-11-30", "every:month")
    let uuid = try test.store.item(1).uuid
    let file = """
      [{"description":"Rent","status":"recurring","recur":"monthly","uuid":"\(uuid)","due":"20301130T000000Z"},
      {"description":"Rent","status":"pending","recur":"monthly","imask":0,"parent":"\(uuid)","due":"20310130T000000Z"}]
      """
    let result = try test.store.importItems(read(.taskwarrior, file, test))
    #expect(result.added == 1 && result.warnings.count == 1 && result.warnings[0].contains("`todo rm 1`"))
  }

  @Test func `an export without UUIDs is known by what its format can say`() throws {
    let test = try TestStore()
    _ = try test.store.add(
      ItemDraft(title: "Rent", tags: ["a"], due: Due(iso: "2031-01-31"), every: .month, notes: ["n"]))
    try test.add("Milk", "Milk")
    _ = try test.store.done(Selection(2))
    for format in TransferFormat.allCases {
      var writer = format.writer(at: test.clock.moment)
      var bytes: [UInt8] = []
      try test.store.export(
        begin: { bytes += try writer.begin($0) }, item: { bytes += try writer.write($0, previous: $1) })
      let batch = try format.read(bytes + writer.end(), at: test.clock.moment)
      #expect(try test.store.importDryRun(batch).unchanged == 3, "\(format)")
      #expect(batch.items.allSatisfy { $0.uuid == nil } == (format != .json && format != .taskwarrior))
    }
    // A new item like one that is done is new.
    #expect(try test.store.importDryRun(read(.todotxt, "Milk\nMilk\n", test)).added == 1)
  }

  @Test func `what a format can't hold is counted in a sentence`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "Rent", tags: ["two words"], notes: ["n"]))
    try test.add("Ask @kim", list: "My list")
    try test.add("Milk")
    func sentence(_ format: TransferFormat) throws -> String? {
      var writer = format.writer(at: test.clock.moment)
      try test.store.export(begin: { _ = try writer.begin($0) }, item: { _ = try writer.write($0, previous: $1) })
      return writer.loss.sentence(about: format)
    }
    #expect(
      try sentence(.todotxt)
        == "2 items have titles, lists, tags or notes that todotxt can't hold; --format json keeps everything")
    #expect(try sentence(.markdown) == "1 item has tags that markdown can't hold; --format json keeps everything")
    #expect(try sentence(.csv) == "1 item has tags that csv can't hold; --format json keeps everything")
    for format in [TransferFormat.json, .taskwarrior] { #expect(try sentence(format) == nil) }
  }
}
