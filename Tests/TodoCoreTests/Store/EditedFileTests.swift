import DataSourcesTestSupport
import FixtureSupport
import TestSupport
import Testing
import TodoCore

/// Files that people and programs have edited, wrapped, joined or taken apart.
@Suite struct EditedFileTests {
  private func read(_ format: TransferFormat, _ text: String, _ test: TestStore) throws -> ImportBatch {
    try format.read(Array(text.utf8), at: test.clock.moment)
  }

  @discardableResult
  private func update(_ batch: ImportBatch, _ test: TestStore) throws -> ImportResult {
    var options = ImportOptions()
    options.isUpdating = true
    return try test.store.importItems(batch, options)
  }

  @discardableResult
  private func update(_ format: TransferFormat, _ text: String, _ test: TestStore) throws -> ImportResult {
    try update(read(format, text, test), test)
  }

  // MARK: Recurrences

  @Test func `a due date or a recurrence that was changed in a file is changed as edit does it`() throws {
    for seed in Seeds.all(20, of: "edited recurrences", perSoak: 0.1) {
      var random = SeededGenerator(seed: seed)
      func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
      let dues = ["2031-01-31", "2031-01-31T23:30:00Z", "2031-03-30T01:30:00Z", "2030-12-29"].map { Due(iso: $0) }
      let rules: [Recurrence] = [.day, .week, .month, .year]
      let zone = pick([0, 20_700, -18_000, 50_400].map { LocalZone.fixed(seconds: $0) })
      let (due, every) = (pick(dues), pick(rules))
      let (isRuleChanged, count) = (pick([true, false]), pick([0, 1, 2]))
      let (newDue, newEvery) = (
        pick(dues + [nil, Due(iso: "2031-02-15"), Due(iso: "2031-02-01T01:00:00Z")]), pick(rules)
      )
      func world() throws -> TestStore {
        let test = try TestStore.copyOfNew()
        test.clock.set(zone)
        var id = try test.store.add(ItemDraft(title: "Rent", due: due, every: every)).items[0].id
        for _ in 0..<count { id = try #require(test.store.done(Selection(id)).items.last?.id) }
        return test
      }
      /// What follows from the date and the recurrence.
      func next(_ test: TestStore) throws -> [String] {
        let id = Int64(count + 1)
        let item = try test.store.item(id)
        _ = try test.store.done(Selection(id))
        let next = try test.store.item(id + 1)
        return [item, next].map {
          "\($0.due?.description ?? "-") \($0.dueDay?.description ?? "-") \($0.anchor ?? "-") \($0.every?.rawValue ?? "-")"
        }
      }
      let expected = try world()
      var edit = ItemEdit()
      if isRuleChanged { edit.every = .set(newEvery) } else { edit.due = .set(newDue) }
      _ = try? expected.store.edit(Selection(Int64(count + 1)), edit)
      let afterEdit = try next(expected)
      for format in TransferFormat.allCases {
        let test = try world()
        var batch = try format.read(test.store.exported(as: format), at: test.clock.moment)
        let index = try #require(batch.items.firstIndex { $0.id == Int64(count + 1) })
        if isRuleChanged { batch.items[index].every = newEvery } else { batch.items[index].due = newDue }
        try update(batch, test)
        let found = try next(test)
        if found != afterEdit { Issue.record("SEED=\(seed) \(format): \(found), and after edit \(afterEdit)") }
      }
    }
  }

  @Test func `a recurring item that a file completes has no next instance, and the import says so`() throws {
    for format in [TransferFormat.todotxt, .markdown] {
      let test = try TestStore()
      try test.add(arguments: "Rent", "due:2031-01-31", "every:month")
      let text = try test.exported(as: format)
      let ticked = format == .markdown ? text.replacing("[ ]", with: "[x]") : "x " + text
      let result = try update(format, ticked, test)
      #expect(result.warnings.count == 1 && result.warnings[0].contains("has no next instance"), "\(result.warnings)")
      // As the warning says.
      _ = try test.store.undone(Selection(1))
      _ = try test.store.done(Selection(1))
      #expect(try test.store.item(2).due?.description == "2031-02-28")
      // Now it has one.
      #expect(try update(format, test.exported(as: format), test).warnings == [])
    }
  }

  // MARK: Wrapped and joined lines

  @Test func `a todo.txt line of our words alone is refused`() throws {
    let test = try TestStore()
    try test.add(arguments: "Buy milk", "+home", "@shop", "due:2031-12-05")
    let text = try test.exported(as: .todotxt)
    for word in ["todo-uuid", "todo-created", "todo-id", "due:"] {
      let wrapped = text.replacing(" \(word)", with: "\n\(word)")
      let error = #expect(throws: TodoError.self, "\(wrapped)") { try read(.todotxt, wrapped, test) }
      #expect(error?.message.contains("line 2") == true && error?.message.contains("wrapped") == true)
    }
    #expect(try read(.todotxt, "@alice +home\n", test).items.map(\.title) == ["@alice +home"])
  }

  @Test func `a Markdown item that was wrapped is read as one line`() throws {
    for (width, note) in zip(
      [12, 20, 31, 47, 60, 80], ["second", "sec\nond", "sec\nond", "second", "sec\nond", "second"])
    {
      let test = try TestStore()
      _ = try test.store.add(
        ItemDraft(
          title: "Buy milk, @bread and 3 eggs", list: "home", tags: ["shop"], priority: .high,
          due: Due(iso: "2031-12-05"), notes: ["first", note]))
      var lines: [String] = []
      for line in try test.exported(as: .markdown).split(separator: "\n", omittingEmptySubsequences: false) {
        guard line.hasPrefix("- ") else {
          lines.append(String(line))
          continue
        }
        var part = "- [ ]"
        for word in line.dropFirst(6).split(separator: " ") {
          if part.count + word.count >= width, part != "- [ ]" {
            lines.append(part)
            part = " "
          }
          part += " \(word)"
        }
        lines.append(part)
      }
      let wrapped = lines.joined(separator: "\n")
      #expect(try test.store.importDryRun(read(.markdown, wrapped, test)).unchanged == 1, "\(wrapped)")
    }
  }

  @Test func `a byte order mark before any line is no text`() throws {
    let test = try TestStore()
    let files = "(A) one\n\u{FEFF}x 2031-01-01 two\n\u{FEFF}(B) three\r\n"
    let items = try read(.todotxt, files, test).items
    #expect(items.map(\.title) == ["one", "two", "three"] && items[1].done && items[2].priority == .medium)
    let lists = "\u{FEFF}# Home\n- [ ] one\n\u{FEFF}# Work\n- [ ] two\n"
    #expect(try read(.markdown, lists, test).items.map(\.list) == ["Home", "Work"])
  }

  // MARK: Text

  @Test(arguments: ["2031-12-24 Christmas dinner", "x marks the spot", "(x) or (y)", "(A) is better than (B)"])
  func `a word before a title that begins like a line is added to it`(title: String) throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: title, list: "home"))
    let text = try test.exported(as: .todotxt)
    #expect(text.contains("+home \(title)"))
    try update(.todotxt, text.replacing("+home ", with: "+home Plan "), test)
    #expect(try test.store.item(1).title == "Plan \(title)")
  }

  @Test func `words around a title that only a word holds are added to it`() throws {
    for title in ["x ray", "(B) call Ann", "2031-12-24 party", "say todo-title:x"] {
      for format in [TransferFormat.todotxt, .markdown] {
        let test = try TestStore()
        _ = try test.store.add(ItemDraft(title: title, list: "My list"))
        let text = try test.exported(as: format)
        if format == .markdown, !text.contains("] todo-title") { continue }
        #expect(text.contains(" todo-title") || text.hasPrefix("todo-title"))
        try update(
          format, text.replacing("todo-title", with: "urgent todo-title", maxReplacements: 1).dropLast() + " now\n",
          test)
        #expect(try test.store.item(1).title == "urgent \(title) now", "\(text)")
      }
    }
  }

  @Test func `a date that taskwarrior sets in place of a time is a day`() throws {
    let test = try TestStore()
    try test.add(arguments: "Rent", "due:2031-01-31T09:00", "every:month")
    let text = try test.exported(as: .taskwarrior)
    try update(.taskwarrior, text.replacing("\"due\":\"20310131T090000Z\"", with: "\"due\":\"20310205T000000Z\""), test)
    let item = try test.store.item(1)
    #expect(item.due?.description == "2031-02-05" && item.anchor == "2031-02-05", "\(text)")
  }

  @Test(arguments: [
    "todo-uuid:6f1c9a0e-1b2c-4d3e", "`todo-uuid:6f1c9a0e-1b2c-4d3e-8f90-012345678901`",
    "Todo-uuid:6f1c9a0e-1b2c-4d3e-8f90-012345678901", "todo-uuid:", "todo-created:yesterday", "todo-note:a%2",
  ]) func `a word that an export cannot have written stays in the title, with a warning`(word: String) throws {
    for (format, mark) in [(TransferFormat.todotxt, ""), (.markdown, "- [ ] ")] {
      let batch = try read(format, "\(mark)Milk \(word)\n", TestStore())
      #expect(batch.items.map(\.title) == ["Milk \(word)"])
      #expect(batch.warnings == ["line 1, column 1: \(word) stays in the title; it is not as an export writes it"])
      #expect(try read(format, "\(mark)Milk todo-list-app: x todo-foo:bar\n", TestStore()).warnings == [])
    }
  }

  // MARK: Markdown

  @Test func `a note belongs to the item below which it is indented`() throws {
    let file = """
      - [ ] Trip
        - [ ] New
          - [ ] Deep
          > of New
          of New too
        > of Trip
      \t- plain, of Trip
      - [ ] Other
      > of Other
        - [ ] Last
      lazy, of Last
      """
    let items = try read(.markdown, file, TestStore()).items
    let notes = Dictionary(uniqueKeysWithValues: items.map { ($0.title, $0.notes) })
    #expect(
      notes == [
        "Trip": ["of Trip", "- plain, of Trip"], "New": ["of New", "of New too"], "Deep": [], "Other": ["of Other"],
        "Last": ["lazy, of Last"],
      ])
  }

  @Test func `an underlined line is a heading`() throws {
    let file = """
      ---
      title: not a list
      ---
      Home
      ====
      - [ ] one

      At work,
      on Monday
      -
      - [ ] two

      ***
      some text

      ---
      - [ ] three
      """
    let batch = try read(.markdown, file, TestStore())
    #expect(batch.items.map(\.list) == ["Home", "At work, on Monday", "At work, on Monday"])
    #expect(batch.lists.map(\.name) == ["Home", "At work, on Monday"] && batch.leftOut == [2, 14])
  }

  @Test(arguments: [
    "- note to self", "1. first", "> intro", "    code", "<!-- c -->", "[a]: http://x", "a | b", "- note\ntext",
    "> a\nb",
  ]) func `a rule behind what can't be a heading is a rule`(text: String) throws {
    let batch = try read(.markdown, "# Work\n\n\(text)\n---\n- [ ] a\n", TestStore())
    #expect(batch.items.map(\.list) == ["Work"] && batch.leftOut.count == text.split(separator: "\n").count)
  }

  @Test func `an empty box or a rule ends only the items that it is not below`() throws {
    let file = "- [ ] a\n  - [ ]\n  - [ ] b\n  note of a\n  ***\n  also of a\n"
    let items = try read(.markdown, file, TestStore()).items
    #expect(items.map(\.notes) == [["note of a", "also of a"], []])
  }

  @Test func `a rule at the beginning is no beginning of settings if boxes follow`() throws {
    let file = "---\n\n# H\n\n- [ ] a\n\n---\n\n# G\n\n- [ ] b\n"
    #expect(try read(.markdown, file, TestStore()).items.map(\.list) == ["H", "G"])
  }

  @Test(arguments: [TransferFormat.todotxt, .markdown])
  func `a word that was mistyped in an exported line is named in a warning`(format: TransferFormat) throws {
    let test = try TestStore()
    try test.add(arguments: "Rent", "due:2031-01-31", "every:month")
    // Titles with such words are as they were meant.
    try test.add(arguments: "the word due:tomorrow every:fortnight todo-note:x")
    _ = try test.store.add(ItemDraft(title: "every:2weeks", due: .day(CalendarDay(iso: "2031-02-01")!)))
    let text = try test.exported(as: format)
    #expect(try read(format, text, test).warnings == [])
    let before = try test.content()
    for (word, wrong) in [
      ("due:2031-01-31", "due:tomorrow"), ("due:2031-01-31", "due:2031-02-30"), ("every:month", "every:fortnight"),
      ("due:2031-01-31", "Due:2031-01-31"),
      ("todo-created:", "Todo-created:"),
    ] {
      let batch = try read(format, text.replacing(word, with: wrong, maxReplacements: 1), test)
      let warnings = batch.warnings
      try update(batch, test)
      #expect(warnings.contains { $0.contains(wrong) && $0.contains("stays in the title") }, "\(wrong): \(warnings)")
      _ = try test.store.undo()
      #expect(try test.content() == before)
    }
  }

  @Test func `the text of a heading counts if it was changed beside our word`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "a", list: " lead"))
    let text = try test.exported(as: .markdown)
    #expect(text.contains("# lead todo-list:"))
    try update(.markdown, text, test)
    #expect(try test.store.item(1).list == " lead")
    try update(.markdown, text.replacing("# lead ", with: "# new *name* "), test)
    #expect(try test.store.item(1).list == "new *name*")
  }

  @Test func `a list that was put before our word for it moves the item`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "q", list: "two words"))
    let text = try test.exported(as: .todotxt)
    #expect(text.contains("todo-list:"))
    try update(.todotxt, text.replacing("todo-list:", with: "+new todo-list:"), test)
    #expect(try test.store.item(1).list == "new" && test.store.item(1).title == "q")
    // A person's own word for a second list stays.
    let item = try read(.todotxt, "q +one todo-list:two +three", test).items[0]
    #expect(item.title == "q todo-list:two +three" && item.list == "one")
  }

  @Test(arguments: [
    ("20310131T000000Z", "20330228T000000Z", "monthly", "2031-01-31"),
    ("20280229T000000Z", "20330228T000000Z", "yearly", "2028-02-29"),
    ("20310131T093000Z", "20330228T093000Z", "monthly", "2031-01-31T09:30:00[+00:00]"),
    ("20310131T000000Z", "20330331T000000Z", "monthly", nil), ("20310131T000000Z", "20330227T000000Z", "monthly", nil),
    ("20310131T093000Z", "20330228T100000Z", "monthly", nil), ("20310131T000000Z", "20310228T000000Z", "weekly", nil),
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

  @Test func `a row of an exported table that ends early keeps what it leaves out`() throws {
    let test = try TestStore()
    try test.add(arguments: "Rent", "@a", "!high", "due:2031-01-31", "every:month", "+Home")
    let text = try test.exported(as: .csv)
    let before = try test.content()
    let header = text.prefix { $0 != "\r\n" }
    let uuid = try test.store.item(1).uuid
    try update(.csv, "\(header)\r\n1,\(uuid),Rent\r\n", test)
    #expect(try test.content() == before)
    try update(.csv, "\(header)\r\n1,\(uuid),New,Home,b\r\n", test)
    let item = try test.store.item(1)
    #expect(item.title == "New" && item.tags == ["b"] && item.every == .month && item.priority == .high)
    // A row without a UUID was typed.
    #expect(try read(.csv, "\(header)\r\n,,x", test).items.map(\.title) == ["x"])
  }

  @Test(arguments: TransferFormat.allCases) func `a file that was cut off is refused or named`(format: TransferFormat)
    throws
  {
    let test = try TestStore()
    try test.add(arguments: "Rent", "@a", "due:2031-01-31", "every:month")
    try test.add(arguments: "Call", "mum")
    _ = try test.store.note("about Sunday", to: Selection(2))
    let bytes = Array(try test.exported(as: format).utf8)
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    // Within the last line that has a sign, or behind its text.
    let last = bytes.count - lines.last { $0.count > 3 }!.count - (format == .json ? 8 : 1)
    for count in (last + 1)..<(bytes.count - (format == .csv ? 2 : 1)) {
      let text = String(decoding: bytes[..<count], as: UTF8.self)
      do {
        #expect(try !read(format, text, test).warnings.isEmpty, "\(text)")
      } catch is TodoError {}
    }
    #expect(try read(format, String(decoding: bytes, as: UTF8.self), test).warnings == [])
  }

  @Test func `an item in another section of an export has a warning`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "+Home")
    let text = try test.exported(as: .json)
    #expect(try read(.json, text, test).warnings == [])
    let batch = try read(
      .json, text.replacing("{\"name\":\"Home\",\"items\"", with: "{\"name\":\"Work\",\"items\""), test)
    #expect(batch.items.map(\.list) == ["Home"] && batch.warnings.count == 1)
    #expect(batch.warnings.allSatisfy { $0.contains("section \"Work\"") && $0.contains("\"list\" is \"Home\"") })
    // The sections of other views are no lists.
    let view = "{\"schema\":1,\"sections\":[{\"name\":\"high\",\"items\":[{\"title\":\"a\",\"list\":\"Home\"}]}]}"
    #expect(try read(.json, view, test).warnings == [])
  }

  @Test func `an array that was mistyped in a table is refused`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "a", tags: ["b c", "d"]))
    let text = try test.exported(as: .csv)
    #expect(text.contains("\"[\"\"b c\"\",\"\"d\"\"]\""))
    #expect(throws: TodoError.self) { try read(.csv, text.replacing("\"\"d\"\"]", with: "\"\"d]"), test) }
    #expect(throws: TodoError.self) { try read(.csv, "title,extra\na,\"{\"\"b\"\":1\"\n", test) }
    #expect(try read(.csv, "title,tags,extra\na,[b] c,{d\n", test).items.map(\.tags) == [["[b]", "c"]])
  }

  @Test(arguments: [TransferFormat.todotxt, .markdown]) func `two items in one line are refused`(format: TransferFormat)
    throws
  {
    let test = try TestStore()
    try test.add(arguments: "one", "@a")
    try test.add(arguments: "two")
    let text = try test.exported(as: format)
    let line = try #require(text.split(separator: "\n").first { $0.contains("one") })
    #expect(throws: TodoError.self) { try read(format, text.replacing("\(line)\n", with: "\(line) "), test) }
    // A title that has such a word is its title.
    _ = try test.store.add(ItemDraft(title: "see todo-uuid:10000000-0000-4000-8000-000000000005"))
    #expect(try read(format, test.exported(as: format), test).items.count == 3)
  }

  @Test func `two lines of todo.txt that were joined without a blank are refused`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "one", notes: ["a"]))
    _ = try test.store.add(ItemDraft(title: "two", list: "two words", due: Due(iso: "2031-01-31")))
    let text = try test.exported(as: .todotxt)
    #expect(text.contains("todo-note:a\n"))
    let error = #expect(throws: TodoError.self) {
      try read(.todotxt, text.replacing("todo-note:a\n", with: "todo-note:a"), test)
    }
    #expect(error?.message.contains("two items") == true)
  }

  @Test(arguments: [TransferFormat.todotxt, .markdown])
  func `an exported line that lost the word with its UUID is named`(format: TransferFormat) throws {
    let test = try TestStore()
    try test.add(arguments: "one")
    let text = try test.exported(as: format)
    #expect(try read(format, text, test).warnings == [])
    let warnings = try read(format, text.replacing(" todo-uuid:", with: " uuid:"), test).warnings
    #expect(warnings.contains { $0.contains("counts as a new item") }, "\(warnings)")
    // Words that people may type.
    let mark = format == .markdown ? "- [ ] " : ""
    #expect(
      try read(format, "\(mark)a todo-note:b todo-list:c todo-started:2031-01-01T10:00:00Z\n", test).warnings == [])
  }

  @Test func `a todo.txt line that was broken within its first words is named`() throws {
    let test = try TestStore()
    try test.add(arguments: "Buy milk", "!high")
    let text = try test.exported(as: .todotxt)
    for part in ["(A)", "(A) 2031-01-01", "(A) 2031-01-01 +Inbox Buy"] {
      let broken = text.replacing("\(part) ", with: "\(part)\n")
      #expect(broken != text)
      #expect(try !read(.todotxt, broken, test).warnings.isEmpty, "\(broken)")
    }
    #expect(try read(.todotxt, "(A) a\n2031-01-01 b\n(see below)\n(x)\n", test).warnings == [])
  }

  @Test(arguments: [TransferFormat.todotxt, .markdown])
  func `a second due date or recurrence in a line is named`(format: TransferFormat) throws {
    let mark = format == .markdown ? "- [ ] " : ""
    let text = "\(mark)Rent due:2031-01-31 due:2031-02-28 every:month every:year\n"
    let batch = try read(format, text, TestStore())
    #expect(batch.warnings.count == 2, "\(batch.warnings)")
    #expect(batch.warnings.contains { $0.contains("the item has another due date") })
    #expect(batch.warnings.contains { $0.contains("the item has another recurrence") })
  }

  @Test(arguments: [TransferFormat.todotxt, .markdown])
  func `a word of ours with a value that no export has stays in the title`(format: TransferFormat) throws {
    let mark = format == .markdown ? "- [ ] " : ""
    for word in ["todo-archived:no", "todo-note:a%+2", "todo-note:a%4", "todo-note:a%zz"] {
      let batch = try read(format, "\(mark)a \(word)\n", TestStore())
      #expect(batch.items[0].title == "a \(word)" && !batch.items[0].archived && batch.items[0].notes == [])
      #expect(batch.warnings.count == 1, "\(word) \(batch.warnings)")
    }
  }

  @Test func `what another program changed in the annotations of an exported task is kept`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "a", notes: ["one", "two"]))
    let text = try test.exported(as: .taskwarrior)
    for (old, new) in [("\"description\":\"two\"", "\"text\":\"two\""), ("\"description\":\"two\"", "\"by\":\"x\"")] {
      let batch = try read(.taskwarrior, text.replacing(old, with: new), test)
      #expect(JSONValue.object(batch.items[0].extra).text.contains(new), "\(batch.items[0])")
    }
    #expect(try read(.taskwarrior, text, test).items[0].extra.isEmpty)
  }

  @Test func `fields of ours that were damaged in an exported task are refused`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "due:2031-01-31", "every:month")
    let text = try test.exported(as: .taskwarrior)
    for (old, new) in [
      ("\"todoEvery\":\"month\"", "\"todoEvery\":\"mont\""), ("\"todoDue\":\"2031-01-31 ", "\"todoDue\":\"2031-01-3 "),
    ] {
      let damaged = text.replacing(old, with: new)
      #expect(damaged != text)
      let error = #expect(throws: TodoError.self) { try read(.taskwarrior, damaged, test) }
      #expect(error?.message.contains(old.prefix(9)) == true)
    }
  }

  @Test func `fields of a JSON document that have no place here are named`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "+Home")
    let text = try test.exported(as: .json)
    let document = try read(.json, text.replacing("\"sections\"", with: "\"SECTIONS\""), test)
    #expect(document.warnings.count == 1 && document.warnings[0].contains("\"SECTIONS\" of the whole document"))
    let section = try read(
      .json, text.replacing("{\"name\":\"Home\",\"items\"", with: "{\"nam\":\"Home\",\"items\""), test)
    #expect(section.warnings.count == 1 && section.warnings[0].contains("\"nam\" of a section"), "\(section.warnings)")
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

  @Test func `a note below an item that somebody indented is named`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "one"))
    _ = try test.store.add(ItemDraft(title: "two", notes: ["of two"]))
    let text = try test.exported(as: .markdown)
    #expect(try read(.markdown, text, test).warnings == [])
    let batch = try read(.markdown, text.replacing("- [ ] two", with: "  - [ ] two"), test)
    #expect(batch.items.map(\.notes) == [["of two"], []])
    #expect(batch.warnings.count == 1 && batch.warnings[0].contains("this note is one of \"one\""))
    #expect(try read(.markdown, "- [ ] Trip\n  - [ ] New\n  > of Trip\n", test).warnings == [])
  }

  @Test(arguments: TransferFormat.allCases)
  func `texts that hold a word with a UUID are exported without a warning`(format: TransferFormat) throws {
    let test = try TestStore()
    let word = "todo-uuid:10000000-0000-4000-8000-000000000005"
    for title in ["a", "see \(word) too", "todo-title:b \(word)", "xtodo-id:3 +todo-id:4 todo-title:c every: month"] {
      _ = try test.store.add(ItemDraft(title: title, list: "of \(word)", tags: [word], notes: ["as \(word)", "x"]))
    }
    let batch = try read(format, test.exported(as: format), test)
    #expect(batch.warnings == [] && batch.leftOut == [])
    #expect(try test.store.importDryRun(batch).unchanged == 4)
  }

  @Test func `of instances that taskwarrior made of an exported task only the last goes on`() throws {
    let test = try TestStore()
    try test.add(arguments: "Rent", "due:2030-11-30", "every:month")
    try test.add("old")
    let uuids = try [test.store.item(1).uuid, test.store.item(2).uuid]
    func child(_ number: Int) -> String {
      """
      {"description":"Rent","status":"pending","recur":"monthly","todoEvery":"month","imask":\(number),"parent":"\(uuids[0])",
      "due":"2031010\(number + 1)T000000Z","uuid":"10000000-0000-4000-8000-00000000000\(number)"}
      """
    }
    let file = """
      [{"description":"Rent","status":"recurring","recur":"monthly","uuid":"\(uuids[0])","due":"20301130T000000Z"},
      {"description":"old","status":"deleted","uuid":"\(uuids[1])"},\(child(0)),\(child(1)),\(child(2))]
      """
    let batch = try read(.taskwarrior, file, test)
    #expect(batch.items.map(\.every) == [nil, nil, .month])
    // What is here, and is not imported, is named.
    let warnings = try update(batch, test).warnings
    #expect(warnings.count == 2, "\(warnings)")
    #expect(warnings[0].contains("\"Rent\" is a recurring task in the file") && warnings[0].contains("`todo rm 1`"))
    #expect(warnings[1].contains("\"old\" is deleted in the file") && warnings[1].contains("`todo rm 2`"))
  }

  @Test func `what taskwarrior makes of our fields is read`() throws {
    let test = try TestStore()
    let extra = "[{\"title\":\"b\",\"done\":true,\"archived\":true,\"extra\":{\"status\":\"zz\",\"n\":5}}]"
    _ = try test.store.importItems(read(.json, extra, test))
    let text = try test.exported(as: .taskwarrior)
    let stored = text.replacing("\"todoArchived\":true", with: "\"todoArchived\":\"true\"")
      .replacing("{\"status\":\"zz\",\"n\":5}", with: "\"{\\\"status\\\":\\\"zz\\\",\\\"n\\\":5}\"")
    #expect(stored != text && stored.contains("\\\"zz\\\""))
    #expect(try test.store.importDryRun(read(.taskwarrior, stored, test)).unchanged == 1)
    #expect(throws: TodoError.self) { try read(.taskwarrior, stored.replacing("\"true\"", with: "\"no\""), test) }
  }

  @Test func `what programs that format Markdown change is read as it was`() throws {
    let test = try TestStore()
    try test.add(arguments: "Ask", "@kim", "about", "+1")
    _ = try test.store.add(ItemDraft(title: "Ask @kim about +1 due:2031-01-02 !high", due: Due(iso: "2031-01-31")))
    _ = try test.store.add(
      ItemDraft(
        title: "Pay *rent*", due: Due(iso: "2031-01-31T09:00:00Z"), every: .month,
        notes: ["first", "second\\", "", "third"]))
    let text = try test.exported(as: .markdown)
    #expect(text.contains("\n  > first\\\n"))
    // Escapes that have no meaning there are removed, and those of brackets are added.
    var formatted = text
    for sign in ["@", "+", ":", "!", "#"] { formatted = formatted.replacing("\\\(sign)", with: sign) }
    formatted = formatted.replacing("[+", with: "\\[+").replacing("00:00]", with: "00:00\\]")
    let batch = try read(.markdown, formatted, test)
    #expect(try test.store.importDryRun(batch).unchanged == 3, "\(formatted)")
    #expect(batch.warnings == [])
  }

  @Test func `a wrapped line stays in the list of its heading`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "Vote due:tomorrow +1"))
    let text = try test.exported(as: .markdown)
    let wrapped = text.replacing(" todo-title:", with: "\n  todo-title:")
    #expect(wrapped != text)
    #expect(try test.store.importDryRun(read(.markdown, wrapped, test)).unchanged == 1)
  }

  @Test func `a done todo.txt line without a time keeps its priority when the mark is removed`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(read(.markdown, "- [x] Call !low\n", test))
    let text = try test.exported(as: .todotxt)
    #expect(text.hasPrefix("x ") && text.contains(" pri:C "))
    try update(.todotxt, String(text.dropFirst(2)), test)
    let item = try test.store.item(1)
    #expect(item.title == "Call" && item.priority == .low && !item.done)
  }

  @Test(arguments: [TransferFormat.todotxt, .markdown, .csv])
  func `a file with two versions of the same lines is refused`(format: TransferFormat) throws {
    let test = try TestStore()
    let mark = format == .markdown ? "- [ ] " : ""
    let header = format == .csv ? "title,list\n" : ""
    let text = "\(header)\(mark)one\n<<<<<<< HEAD\n\(mark)two\n=======\n\(mark)three\n>>>>>>> other\n"
    let error = #expect(throws: TodoError.self) { try read(format, text, test) }
    let line = format == .csv ? 3 : 2
    #expect(error?.message.contains("line \(line), column 1: here the file has two versions") == true)
    #expect(try read(format, "\(header)\(mark)a\n\(mark)<<<<<<< b\n\(mark)=======\n", test).items.count == 3)
  }

  @Test func `a day on which an item is not due is named`() throws {
    let test = try TestStore()
    try test.add(arguments: "Call", "due:2031-02-03T14:00")
    let text = try test.exported(as: .csv)
    #expect(try update(.csv, text, test).warnings == [])
    for edited in [text.replacing(",2031-02-03,,,", with: ",2031-02-10,,,"), "title,due_day\nb,2031-05-05\n"] {
      let warnings = try update(.csv, edited, test).warnings
      #expect(
        warnings.count == 1 && warnings[0].contains("is left out, because the item is not due then"), "\(warnings)")
    }
  }

  @Test func `a blank before the quotes of a cell is refused`() throws {
    for text in ["title,list\n\"Buy milk\", \"Home, sweet\"\n", "title,list\na,  \"b\"\n"] {
      let error = #expect(throws: TodoError.self) { try read(.csv, text, TestStore()) }
      #expect(error?.message.contains("a blank precedes the opening quote") == true)
    }
    #expect(try read(.csv, "title,list\n\" \"\"b\"\"\",c\n", TestStore()).items.map(\.title) == [" \"b\""])
    #expect(throws: TodoError.self) { try read(.csv, "title,extra\na,{\n", TestStore()) }
  }

  @Test func `a line that was probably meant as a box is no note`() throws {
    let file = "- [ ] One\n-[ ] Two\n- []Three\n  - [ ]Four\n- [x](http://example.org)\n- [ ] Five\n"
    let batch = try read(.markdown, file, TestStore())
    #expect(batch.items.map(\.title) == ["One", "Five"] && batch.leftOut == [2, 3, 4, 5])
    let link = try read(.markdown, "- [ ] One\n  - [x](http://example.org)\n", TestStore())
    #expect(link.items[0].notes == ["- [x](http://example.org)"])
  }

  @Test func `words of an item that end in a note or a heading are named`() throws {
    let words = "todo-id:1 todo-uuid:10000000-0000-4000-8000-000000000005"
    for text in [
      "- [ ] Sell\n\n  - all \(words)\n", "- [ ] Sell\n  > all \(words)\n", "- [ ] Sell\n\n  # 2 \(words)\n",
    ] {
      let warnings = try read(.markdown, text, TestStore()).warnings
      #expect(warnings.count == 1 && warnings[0].contains("todo-uuid:"), "\(text)")
    }
  }

  @Test(arguments: ["quarterly", "biweekly", "2mo", "weekdays"])
  func `a recurrence of taskwarrior's that is none here is named`(recur: String) throws {
    let test = try TestStore()
    let task = "{\"description\":\"a\",\"status\":\"pending\",\"due\":\"20310131T000000Z\",\"recur\":\"\(recur)\"}"
    let batch = try read(.taskwarrior, "[\(task)]", test)
    #expect(batch.warnings.count == 1 && batch.warnings[0].contains("\"\(recur)\""))
    _ = try test.store.importItems(batch)
    // Our own export says that it does not recur.
    let text = try test.exported(as: .taskwarrior)
    #expect(try read(.taskwarrior, text, test).warnings == [] && text.contains("\"recur\":\"\(recur)\""))
    #expect(try read(.taskwarrior, task.replacing("pending", with: "completed"), test).warnings == [])
    // So do fields that are in one of ours.
    let extra = "[{\"title\":\"b\",\"recur\":\"\(recur)\",\"description\":\"c\"}]"
    _ = try test.store.importItems(read(.json, extra, test))
    #expect(try read(.taskwarrior, test.exported(as: .taskwarrior), test).warnings == [])
  }

  @Test func `taskwarrior's spellings of a recurrence are known`() throws {
    for (recur, every) in [
      ("1mo", .month), ("mth", .month), ("months", .month), ("1 month", .month), ("P1M", .month), ("7d", .week),
      ("1wk", .week),
      ("d", .day), ("1yr", .year), ("annual", .year), ("11mo", nil), ("", nil),
    ] as [(String, Recurrence?)] {
      let text = "{\"description\":\"a\",\"due\":\"20310131T000000Z\",\"recur\":\"\(recur)\"}"
      #expect(try read(.taskwarrior, text, TestStore()).items.map(\.every) == [every], "\(recur)")
    }
  }

  @Test func `a recurrence that was added to an exported task counts`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "due:2031-01-31", "every:month")
    let text = try test.exported(as: .taskwarrior)
    let batch = try read(
      .taskwarrior, text.replacing("\"todoEvery\"", with: "\"recur\":\"weekly\",\"todoEvery\""), test)
    #expect(batch.items.map(\.every) == [.week])
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

  @Test func `a box without anything behind it is left out`() throws {
    let batch = try read(.markdown, "- [ ] one\n- [ ]\n- [x] two\n", TestStore())
    #expect(batch.items.map(\.title) == ["one", "two"] && batch.leftOut == [2])
    let words = "- [ ] todo-id:1 @home todo-uuid:6f1c9a0e-1b2c-4d3e-8f90-012345678901\n"
    #expect(throws: TodoError.self) { try read(.markdown, words, TestStore()) }
  }
}
