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
    for done in ["", #","done":true,"completed":"2030-09-23T17:46:40Z""#] {
      let json = #"[{"title":"Paint"\#(done),"extra":{"own":1,"todotxtPriority":"H","last":[2]}}]"#
      let test = try TestStore()
      _ = try test.store.importItems(read(.json, json, test))
      let line = try test.exported(as: .todotxt)
      let again = try read(.todotxt, line).items[0].extra
      let text = JSONValue.object(again).text
      #expect(text == #"{"own":1,"todotxtPriority":"H","last":[2]}"#, "\(line)")
      // What another program does to the line.
      let word = done.isEmpty ? ("(H) ", "(J) ") : ("pri:H", "pri:J")
      #expect(line.contains(word.0))
      let changed = try read(.todotxt, line.replacing(word.0, with: word.1)).items[0]
      #expect(changed.extra["todotxtPriority"]?.string == "J")
      let removed = try read(.todotxt, line.replacing(word.0, with: "")).items[0]
      #expect(removed.extra["todotxtPriority"] == nil && removed.extra["own"] != nil, "\(line)")
    }
  }

  // MARK: What constraints refuse

  @Test(arguments: [1, 250]) func `an anchor is normalised or refused however many items there are`(count: Int) throws {
    for (anchor, stored) in [
      ("2031-01-01T09:00", "2031-01-01T09:00:00"), ("2031-01-01T09:00:07", "2031-01-01T09:00:07"),
      ("2031-01-01", "2031-01-01"), ("rubbish", nil), ("2031-02-30", nil), ("2031-01-01T25:00", nil),
    ] {
      let tasks = (0..<count).map { number in
        #"{"description":"t\#(number)","todoEvery":"day","due":"20310101T090000Z","todoAnchor":"\#(anchor)"}"#
      }
      let items = (0..<count).map { number in
        #"{"title":"t\#(number)","every":"day","due":"2031-01-01T09:00:00Z","anchor":"\#(anchor)"}"#
      }
      let rows = (0..<count).map { "t\($0),day,2031-01-01T09:00:00Z,\(anchor)\n" }
      let files: [(TransferFormat, String)] = [
        (.taskwarrior, "[\n" + tasks.joined(separator: ",\n") + "]"),
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
      (.markdown, "# A\n- [ ] todo-title:%20\n- [ ] todo-id:4\n", "line 3"),
      (.todotxt, "a\nb todo-tag:x%00y\n", "line 2"), (.todotxt, "a\nb todo-list:x%00y\n", "line 2"),
    ] as [(TransferFormat, String, String)] {
      let test = try TestStore()
      let message = message { _ = try test.store.importItems(read(format, text, test)) }
      #expect(message.hasPrefix(place), "\(format) \(text): \(message)")
    }
  }

  // MARK: Fields of others

  @Test func `fields named like ours come back under every format`() throws {
    let test = try TestStore()
    let task = """
      [{"description":"real","project":"Home","status":"pending","title":"theirs","list":"theirs","done":true,
      "notes":["x"],"tags":["t"],"extra":{"a":1},"id":3,"todoown":1,"dueDay":"soon","anchor":7,"previous":"no"}]
      """
    _ = try test.store.importItems(read(.taskwarrior, task, test))
    let item = try test.store.items(Selection(ids: [], filter: Filter(status: .any)))[0]
    #expect(item.title == "real" && item.list == "Home" && !item.done && item.notes == [] && item.tags == ["t"])
    for format in TransferFormat.allCases {
      let again = try read(format, test.exported(as: format), test)
      #expect(try test.store.importDryRun(again).unchanged == 1, "\(format)")
      let other = try TestStore()
      _ = try other.store.importItems(again)
      let back = try other.exported(as: .taskwarrior)
      for part in [#""title":"theirs""#, #""done":true"#, #""extra":{"a":1}"#, #""dueDay":"soon""#, #""anchor":7"#] {
        #expect(back.contains(part), "\(format): \(part)")
      }
    }
  }

  @Test(arguments: ["sep=", "SEP=", "Sep="]) func `a first line names the separator in any case`(word: String) throws {
    #expect(try titles(.csv, "\(word),\ntitle,list\n\"a;b\",c\n") == ["a;b"])
    #expect(try titles(.csv, "\u{FEFF}\(word)|\r\ntitle|list\r\na;b|c\r\n") == ["a;b"])
  }

  @Test func `other programs' columns keep their names and cells`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(read(.csv, "title,colour,Colour,colour,extra\na,red,Blue,green,soon\n", test))
    let extra = try test.store.item(1).extraFields()
    #expect(extra["colour"] == "red" && extra["Colour"] == "Blue" && extra["colour 2"] == "green")
    #expect(extra["extra"] == "soon")
    #expect(message { _ = try read(.csv, "title,Title\na,b\n") }.contains("twice"))
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
      for format in TransferFormat.allCases {
        #expect(try test.store.importDryRun(read(format, test.exported(as: format), test)).unchanged == 1, "\(format)")
      }
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

  @Test func `comments in Markdown are left out`() throws {
    let text = """
      <!-- - [ ] no -->
      - [ ] a
        <!-- a line
        - [ ] no

      - [ ] no --> - [ ] no
        > note
      - [ ] b <!-- c -->
      ```
      <!--
      ```
      - [ ] d
      <!-- e --> <!-- f
      - [ ] no
      g -->
      - [ ] h
      <!-- never closed
      - [ ] no
      """
    let batch = try read(.markdown, text, TestStore())
    #expect(batch.items.map(\.title) == ["a", "b <!-- c -->", "d", "h"])
    #expect(batch.items.map(\.notes) == [["note"], [], [], []])
    #expect(batch.leftOut == [1, 3, 4, 6, 10, 13, 14, 15, 17, 18])
  }

  @Test func `words of ours before the end of a title in Markdown have a warning`() throws {
    let text =
      "- [ ] due:2031-01-31 Pay rent\n- [ ] Pay every:month (all of it)\n- [ ] due:2031-01-31 twice due:2031-02-28\n"
    let test = try TestStore()
    let batch = try read(.markdown, text, test)
    #expect(
      batch.items.map(\.title) == ["due:2031-01-31 Pay rent", "Pay every:month (all of it)", "due:2031-01-31 twice"])
    #expect(batch.warnings.count == 3 && batch.warnings[..<2].allSatisfy { $0.contains("after the whole title") })
    #expect(batch.warnings[2].contains("due:2031-01-31 stays in the title; the item has another due date"))
    _ = try test.store.importItems(batch)
    #expect(try read(.markdown, test.exported(as: .markdown), test).warnings == [])
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
    for format in TransferFormat.allCases {
      #expect(try test.store.importDryRun(read(format, test.exported(as: format), test)).unchanged == 5, "\(format)")
    }
    #expect(try test.exported(as: .taskwarrior).components(separatedBy: "\"recur\":\"weekly\"").count == 5)
  }

  @Test(arguments: [0, 3600, -18_000]) func `a moment at midnight stays a moment`(offset: Int) throws {
    let test = try TestStore(zone: .fixed(seconds: offset))
    try test.add(arguments: "moment", "due:2031-01-02T00:00")
    try test.add(arguments: "day", "due:2031-01-02")
    let file = try test.exported(as: .taskwarrior)
    #expect(try test.store.importDryRun(read(.taskwarrior, file, test)).unchanged == 2)
    // Also where midnight is another moment.
    let other = try TestStore(zone: .fixed(seconds: 7200))
    _ = try other.store.importItems(read(.taskwarrior, file, other))
    #expect(try other.store.items(Selection(1, 2)).map(\.due) == test.store.items(Selection(1, 2)).map(\.due))
    // What taskwarrior has changed since counts.
    let changed = file.replacing("\"due\":\"", with: "\"due\":\"2032").replacing("\"20322031", with: "\"2032")
    #expect(try read(.taskwarrior, changed, test).items.allSatisfy { $0.due?.description.hasPrefix("2032") == true })
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
    for format in TransferFormat.allCases {
      let file = try test.exported(as: format)
      #expect(try test.store.importDryRun(read(format, file, test)).unchanged == 4, "\(format)")
      let other = try TestStore()
      _ = try other.store.importItems(read(format, file, test))
      let sections = try [other, test].map { try $0.json().drop { $0 != "[" } }
      #expect(sections[0] == sections[1], "\(format)")
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
}
