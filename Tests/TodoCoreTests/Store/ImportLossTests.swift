import FixtureSupport
import SQLiteStore
import Testing

@testable import TodoCore

/// What a file says is imported, refused with its place, or reported: nothing is lost silently.
@Suite struct ImportLossTests {
  private func read(_ format: TransferFormat, _ text: String, _ test: TestStore) throws -> ImportBatch {
    try format.read(Array(text.utf8), at: test.clock.moment)
  }

  /// Imports what replaces items that are here.
  private func update(_ format: TransferFormat, _ text: String, _ test: TestStore) throws {
    var options = ImportOptions()
    options.isUpdating = true
    _ = try test.store.importItems(read(format, text, test), options)
  }

  private static let uuids = (1...3).map { "6f1c9a0e-1b2c-4d3e-8f90-01234567890\($0)" }

  // MARK: Texts

  @Test func `texts that differ in their bytes are other content`() throws {
    let test = try TestStore()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let item = try test.store.add(ItemDraft(title: "Tea", tags: [composed], notes: [composed])).items[0]
    let file = #"[{"uuid":"\#(item.uuid)","title":"Tea","notes":["\#(decomposed)"],"tags":["\#(decomposed)"]}]"#
    #expect(throws: TodoError.self) { try test.store.importItems(read(.json, file, test)) }
    try update(.json, file, test)
    let updated = try test.store.item(item.id)
    #expect(updated.notes.elementsEqual([decomposed]) { $0.utf8.elementsEqual($1.utf8) })
    #expect(updated.tags.elementsEqual([decomposed]) { $0.utf8.elementsEqual($1.utf8) })
    _ = try test.store.importItems(
      read(.json, #"[{"title":"A","notes":["\#(composed)"]},{"title":"A","notes":["\#(decomposed)"]}]"#, test))
    #expect(try test.list() == ["Inbox: Tea, A, A"])
  }

  @Test func `null empties the fields of other programs, and lines of a cell may end in any way`() throws {
    let test = try TestStore()
    #expect(try read(.json, #"[{"title":"Z","extra":null}]"#, test).items.map { $0.extra.isEmpty } == [true])
    for end in ["\n", "\r\n", "\r"] {
      let batch = try read(.csv, "title,notes\r\nA,\"one\(end)two\(end)\"\r\n", test)
      #expect(batch.items.map(\.notes) == [["one", "two"]])
    }
  }

  @Test func `no list has a blank name`() throws {
    let test = try TestStore()
    #expect(throws: TodoError.self) { try test.store.add(ItemDraft(title: "x", list: " ")) }
    #expect(try test.list().isEmpty)
  }

  // MARK: Lists

  @Test func `fields of a list that exists are added, and other values are a conflict`() throws {
    let test = try TestStore()
    try test.add("one", list: "Home")
    let file =
      #"{"lists":[{"name":"home","color":"red","icon":"h"}],"sections":[{"name":"Home","folded":true,"items":[]}]}"#
    let result = try test.store.importItems(read(.json, file, test))
    #expect(result.updatedLists == 1 && result.addedLists == 0 && result.change?.didChange == true)
    #expect(try test.exported().contains(#"{"name":"Home","color":"red","icon":"h"}"#))
    #expect(try test.store.importItems(read(.json, file, test)).change?.didChange == false)
    let other = "{\"lists\":[\n{\"name\":\"Home\",\"color\":\"blue\"}]}"
    for isDry in [false, true] {
      let error = #expect(throws: TodoError.self) {
        let batch = try read(.json, other, test)
        _ = try isDry ? test.store.importDryRun(batch) : test.store.importItems(batch)
      }
      #expect(error?.exitCode == 4)
      #expect(
        error?.message.hasPrefix("line 2, column 1: ") == true && error?.message.contains("\"color\"") == true
          && error?.message.contains("--update") == true, "\(String(describing: error))")
    }
    var options = ImportOptions()
    options.isUpdating = true
    #expect(try test.store.importItems(read(.json, other, test), options).updatedLists == 1)
    #expect(try test.exported().contains(#"{"name":"Home","color":"blue","icon":"h"}"#))
    _ = try test.store.undo()
    _ = try test.store.undo()
    #expect(try !test.exported().contains("color"))
  }

  @Test func `fields of sections are kept, also of those without items or of one name`() throws {
    for (file, expected) in [
      (
        #"{"sections":[{"name":"h","b":2,"items":[{"title":"a"}]},{"name":"h","c":3,"items":[{"title":"c"}]}]}"#,
        #"{"name":"h","b":2,"c":3,"items":["#
      ),
      (#"{"sections":[{"name":"e","b":2,"items":[]}]}"#, #"{"name":"e","b":2,"items":["#),
      (
        #"{"lists":[{"name":"k","todoSection":{"items":5,"name":"q","x":1}}],"sections":[]}"#,
        #"{"name":"k","x":1,"todoExtra":{"items":5,"name":"q"},"items":["#
      ),
      (
        #"{"lists":[{"name":"k","todoExtra":{"name":"n","todoExtra":7}}],"sections":[]}"#,
        #"{"name":"k","todoExtra":{"name":"n","todoExtra":7}}"#
      ),
    ] {
      let test = try TestStore()
      _ = try test.store.importItems(read(.json, file, test))
      let exported = try test.exported()
      #expect(exported.contains(expected), "\(exported)")
      #expect(try test.store.importItems(read(.json, exported, test)).change?.didChange == false)
      let other = try TestStore()
      _ = try other.store.importItems(read(.json, exported, other))
      #expect(try other.exported() == exported)
    }
    let test = try TestStore()
    let error = #expect(throws: TodoError.self) {
      try read(.json, #"{"sections":[{"name":"h","b":2,"items":[]},{"name":"h","b":3,"items":[]}]}"#, test)
    }
    #expect(error?.message.contains("earlier section") == true)
  }

  // MARK: Some fields

  @Test func `fields that a file does not name stay as they are`() throws {
    let uuid = Self.uuids[0]
    for (format, file, title, tags) in [
      (TransferFormat.csv, "uuid,title\n\(uuid),uno\n", "uno", ["a"]),
      (.csv, "uuid,title,tags\n\(uuid),uno,\n", "uno", []),
      (.csv, "uuid,title,color\n\(uuid),one,red\n", "one", ["a"]),
      (.json, #"[{"uuid":"\#(uuid)","title":"uno"}]"#, "uno", ["a"]),
      (.json, #"[{"uuid":"\#(uuid)","title":"uno","tags":[]}]"#, "uno", []),
      (.json, #"[{"uuid":"\#(uuid)","title":"uno","tags":null,"color":"red"}]"#, "uno", []),
    ] {
      let test = try TestStore()
      let whole =
        #"[{"uuid":"\#(uuid)","title":"one","list":"Home","tags":["a"],"priority":"high","due":"2031-01-01","every":"week","#
        + #""done":true,"completed":"2031-01-01T10:00:00Z","started":"2031-01-01T09:00:00Z","notes":["n"],"extra":{"size":3}}]"#
      _ = try test.store.importItems(read(.json, whole, test))
      let before = try test.store.item(1)
      try update(format, file, test)
      let item = try test.store.item(1)
      #expect(item.title == title && item.tags == tags, "\(file)")
      #expect(item.list == "Home" && item.priority == .high && item.due == before.due && item.every == .week, "\(file)")
      #expect(item.anchor == before.anchor && item.done && item.completed == before.completed, "\(file)")
      #expect(item.started == before.started && item.notes == ["n"], "\(file)")
      let fields = try item.extraFields()
      #expect(fields["size"] == 3 && fields["color"] == (file.contains("color") ? "red" : nil), "\(file)")
    }
  }

  @Test func `null and an empty cell empty the times too`() throws {
    let uuid = Self.uuids[0]
    for (format, file, isEmptied) in [
      (TransferFormat.json, #"[{"uuid":"\#(uuid)","title":"one","done":true,"created":null,"completed":null}]"#, true),
      (.json, #"[{"uuid":"\#(uuid)","title":"one","done":true}]"#, false),
      (.csv, "uuid,title,done,created,completed\n\(uuid),one,true,,\n", true),
      (.csv, "uuid,title,done\n\(uuid),one,true\n", false),
      (.todotxt, "x one todo-uuid:\(uuid)\n", false),
      (.markdown, "- [x] one todo-uuid:\(uuid)\n", false),
      (.taskwarrior, #"[{"uuid":"\#(uuid)","description":"one","status":"completed"}]"#, false),
    ] {
      let test = try TestStore()
      let whole =
        #"[{"uuid":"\#(uuid)","title":"one","done":true,"created":"2030-01-01T10:00:00Z","completed":"2031-01-01T10:00:00Z"}]"#
      _ = try test.store.importItems(read(.json, whole, test))
      let before = try test.store.item(1)
      try update(format, file, test)
      let item = try test.store.item(1)
      #expect(item.created == (isEmptied ? nil : before.created), "\(file)")
      #expect(item.completed == (isEmptied ? nil : before.completed), "\(file)")
    }
  }

  @Test func `what another program changes in the text of a line counts`() throws {
    for format in [TransferFormat.todotxt, .markdown] {
      for (title, from, to, expected, tags) in [
        ("Pay\nrent", "Pay rent", "Pay rent and gas @urgent", "Pay rent and gas", ["urgent"]),
        ("Pay\n@bob now", "now todo-title", "now please todo-title", "Pay @bob now please", []),
        ("Pay\nrent", "Pay rent ", "", "Pay\nrent", []),
        ("Pay\nrent", "Pay rent", "@urgent", "Pay\nrent", ["urgent"]),
        ("Pay\nrent", "Pay rent", "Pay rent due:2031-01-01 every:month", "Pay\nrent", []),
        ("Pay\nrent", "Pay rent", "Pay rent @urgent", "Pay\nrent", ["urgent"]),
        ("Pay\nrent", "\n", " and eggs\n", "Pay\nrent and eggs", []),
        ("Pay\nrent", "\n", " Pay rent\n", "Pay\nrent Pay rent", []),
        ("Tea", "Tea", "\u{301}Tea", "\u{301}Tea", []), ("\u{200D}join", "join", "join", "\u{200D}join", []),
      ] as [(String, String, String, String, [String])] {
        let test = try TestStore()
        _ = try test.store.add(ItemDraft(title: title))
        let text = try test.exported(as: format)
        #expect(text.contains(from), "\(text)")
        // Behind the last line, or in it.
        let changed = from == "\n" ? text.dropLast() + to : text.replacing(from, with: to)
        try update(format, changed, test)
        let item = try test.store.item(1)
        #expect(item.title == expected && item.tags == tags, "\(changed): \(item.title) \(item.tags)")
        #expect((item.due != nil) == to.contains("due:") && (item.every != nil) == to.contains("every:"), "\(changed)")
        #expect(item.list == "Inbox")
      }
    }
  }

  @Test func `words of a title that are moved behind our words are the same title`() throws {
    for format in [TransferFormat.todotxt, .markdown] {
      for moved in ["Pay rent", "rent"] {
        let test = try TestStore()
        _ = try test.store.add(ItemDraft(title: "Pay\nrent"))
        let text = try test.exported(as: format)
        let edited = text.replacing(" \(moved) todo-", with: " todo-").dropLast() + " " + moved + "\n"
        try update(format, edited, test)
        #expect(try test.store.item(1).title == "Pay\nrent", "\(edited)")
      }
    }
  }

  @Test func `a word added between our words in an exported line belongs to the title`() throws {
    let file =
      #"[{"title":"Pay rent","due":"2031-01-02","every":"week","priority":"high","tags":["home"],"created":"2030-01-01T10:00:00Z"}]"#
    for format in [TransferFormat.todotxt, .markdown] {
      for place in ["todo-id", "due:", "every:", "@home", "todo-uuid", "todo-created"] {
        let test = try TestStore()
        _ = try test.store.importItems(read(.json, file, test))
        let before = try test.store.item(1)
        let text = try test.exported(as: format)
        try update(format, text.replacing(" \(place)", with: " asap \(place)"), test)
        let items = try test.store.items(Selection(ids: [], filter: Filter(status: .any)))
        #expect(items.map(\.title) == ["Pay rent asap"], "\(place): \(text)")
        let item = try test.store.item(1)
        #expect(item.tags == before.tags && item.priority == before.priority && item.due == before.due, "\(text)")
        #expect(item.every == before.every && item.anchor == before.anchor && item.uuid == before.uuid, "\(text)")
      }
    }
  }

  @Test func `words added beside an exact title are all kept, whatever they are called`() throws {
    let added = " +work every:week due:2031-02-02 todo-title"
    let words = " call every tuesday list:groceries +second due:2031-03-03"
    for format in [TransferFormat.todotxt, .markdown] {
      let test = try TestStore()
      _ = try test.store.importItems(read(.json, #"[{"title":"Pay\n@rent now","due":"2031-01-02"}]"#, test))
      let text = try test.exported(as: format).replacing(" todo-title", with: added)
      try update(format, text.dropLast() + words + "\n", test)
      let item = try test.store.item(1)
      #expect(item.title == "Pay\n@rent now" + words && item.list == "work", "\(format) \(item.title)")
      #expect(item.every == .week && item.due?.description == "2031-02-02", "\(item)")
    }
  }

  @Test func `a mark that another program sets or removes changes nothing else`() throws {
    let created = #""created":"2026-11-01T10:00:00Z""#
    for (fields, isDone) in [
      (#""title":"Pay rent",\#(created),"priority":"high""#, false), (#""title":"order pri:B label""#, false),
      (#""title":"Pay  rent",\#(created)"#, false), (#""title":"2031-01-01  party",\#(created)"#, false),
      (#""title":"Pay rent",\#(created),"priority":"low","completed":"2026-11-20T09:00:00Z""#, true),
      (#""title":"Pay  rent",\#(created),"completed":"2026-11-20T09:00:00Z""#, true),
      (#""title":"Pay rent","completed":"2026-11-20T09:00:00Z""#, true),
    ] {
      for format in [TransferFormat.todotxt, .markdown] {
        let test = try TestStore()
        _ = try test.store.importItems(read(.json, "[{\(fields)}]", test))
        let before = try test.store.item(1)
        let text = try test.exported(as: format)
        let marked =
          switch (format, isDone) {
          case (.markdown, true): text.replacing("- [x]", with: "- [ ]")
          case (.markdown, false): text.replacing("- [ ]", with: "- [x]")
          case (_, true): String(text.dropFirst(2))
          case (_, false): "x " + text
          }
        try update(format, marked, test)
        let item = try test.store.item(1)
        #expect(item.done == !isDone && item.completed == nil, "\(marked): \(item)")
        #expect(item.title == before.title && item.created == before.created, "\(marked): \(item)")
        #expect(item.priority == before.priority && item.list == before.list, "\(marked): \(item)")
      }
    }
  }

  @Test func `a title in Markdown keeps its words when its last one is removed`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "Ask @bob now"))
    try update(.markdown, test.exported(as: .markdown).replacing(" now", with: ""), test)
    let item = try test.store.item(1)
    #expect(item.title == "Ask @bob" && item.tags == [])
  }

  @Test func `a day at the beginning of a line that another program has changed counts`() throws {
    let test = try TestStore()
    _ = try test.store.add(ItemDraft(title: "Tea"))
    _ = try test.store.done(Selection(1))
    let text = try test.exported(as: .todotxt)
    let day = try #require(text.split(separator: " ").dropFirst().first)
    var options = ImportOptions()
    options.isUpdating = true
    #expect(try test.store.importItems(read(.todotxt, text, test), options).unchanged == 1)
    // The line of another zone, 26 hours away, is no change.
    let west = text.replacing("x \(day)", with: "x \(try #require(CalendarDay(iso: day)).adding(days: -2))")
    #expect(try test.store.importDryRun(read(.todotxt, west, test)).unchanged == 1)
    _ = try test.store.importItems(read(.todotxt, text.replacing("x \(day)", with: "x 2029-03-04"), test), options)
    #expect(try test.exported(as: .todotxt).contains("x 2029-03-04"))
  }

  @Test func `an export is no conflict, however another program has written its fields`() throws {
    let test = try TestStore()
    try test.add("one", list: "Home")
    for extra in ["{\"estimate\": 3, \"a\":\\u0022}", "{ \"estimate\" : 3 }", "{}", "{\"a\":\"\\u00e9\"}"] {
      let isJSON = try test.store.database.write { try $0.value("SELECT json_valid(\(extra))") == 1 }
      if !isJSON { continue }
      try test.store.database.write { try $0.execute("UPDATE item SET extra = \(extra), tags = '[\"a\", \"a\"]'") }
      for format in TransferFormat.allCases {
        let result = try test.store.importItems(read(format, test.exported(as: format), test))
        #expect(result.unchanged == 1, "\(format) \(extra)")
      }
    }
  }

  // MARK: Completion and recurrence

  @Test func `a time of completion makes an item done, unless the file says that it is not`() throws {
    for (format, text) in [
      (TransferFormat.json, #"[{"title":"a","completed":"2031-01-01T10:00:00Z"}]"#),
      (.json, #"[{"title":"a","done":null,"completed":"2031-01-01T10:00:00Z"}]"#),
      (.csv, "title,completed\na,2031-01-01T10:00:00Z\n"), (.csv, "title,done,completed\na,,2031-01-01T10:00:00Z\n"),
      (.taskwarrior, #"[{"description":"a","end":"20310101T100000Z"}]"#),
    ] {
      let test = try TestStore()
      _ = try test.store.importItems(read(format, text, test))
      let item = try test.store.item(1)
      #expect(item.done && item.completed == Instant(iso: "2031-01-01T10:00:00Z"), "\(format)")
    }
    for (format, text, place) in [
      (
        TransferFormat.json, "[\n{\"title\":\"a\",\"done\":false,\"completed\":\"2031-01-01T10:00:00Z\"}]",
        "line 2, column "
      ),
      (.csv, "title,done,completed\na,false,2031-01-01T10:00:00Z\n", "line 2, column 9"),
    ] {
      let test = try TestStore()
      let error = #expect(throws: TodoError.self) { try read(format, text, test) }
      #expect(
        error?.message.hasPrefix(place) == true && error?.message.contains("\"completed\"") == true
          && error?.message.contains("done") == true, "\(String(describing: error))")
    }
  }

  @Test func `an end of an open task is kept for taskwarrior`() throws {
    let test = try TestStore()
    let task = #"[{"description":"a","status":"pending","end":"20310101T100000Z"}]"#
    _ = try test.store.importItems(read(.taskwarrior, task, test))
    #expect(try test.store.item(1).done == false)
    #expect(try test.exported(as: .taskwarrior).contains(#""end":"20310101T100000Z""#))
    _ = try test.store.done(Selection(1))
    #expect(try test.exported(as: .taskwarrior).contains(#""end":"20310101T120000Z""#))
  }

  @Test(arguments: [
    (TransferFormat.csv, "uuid,title,every\n%u,Rent,month\n"), (.csv, "uuid,title,due\n%u,Rent,2031-02-28\n"),
    (.csv, "uuid,title,completed\n%u,Rent,\n"), (.csv, "uuid,title,anchor\n%u,Rent,2031-01-31\n"),
    (.csv, "uuid,title,due_day\n%u,Rent,\n"), (.json, #"[{"uuid":"%u","title":"Rent","every":"month"}]"#),
    (.json, #"[{"uuid":"%u","title":"Rent","completed":null}]"#),
    (.json, #"[{"uuid":"%u","title":"Rent","anchor":"2031-01-31"}]"#),
    (.json, #"[{"uuid":"%u","title":"Rent","due":"2031-02-28","every":"month","extra":{"b":2}}]"#),
  ]) func `an update with one field of a recurrence keeps the others`(format: TransferFormat, text: String) throws {
    let test = try TestStore()
    let file = #"[{"title":"rent","due":"2031-02-28","every":"month","anchor":"2031-01-31","b":2}]"#
    _ = try test.store.importItems(read(.json, file, test))
    let before = try test.store.item(1)
    var options = ImportOptions()
    options.isUpdating = true
    let change = text.replacing("%u", with: before.uuid)
    #expect(try test.store.importItems(read(format, change, test), options).updated == 1)
    var expected = before
    expected.title = "Rent"
    let after = try test.store.item(1)
    #expect(after == expected && after.anchor == "2031-01-31" && after.dueDay == before.dueDay)
    #expect(after.extra == before.extra)
  }

  @Test func `what list --json prints can be imported with other titles`() throws {
    let test = try TestStore()
    let file = #"""
      [{"title":"rent","due":"2031-03-31T00:30:00Z","dueDay":"2031-03-30","every":"month","anchor":"2031-01-31",
      "jira":"ABC-1"}]
      """#
    _ = try test.store.importItems(read(.json, file, test))
    var writer = JSONWriter()
    let before = try test.store.item(1)
    writer.write(before)
    let listed = "[\(writer.text)]"
    #expect(try test.store.importItems(read(.json, listed, test)).unchanged == 1)
    var options = ImportOptions()
    options.isUpdating = true
    _ = try test.store.importItems(read(.json, listed.replacing("rent", with: "Rent"), test), options)
    let after = try test.store.item(1)
    #expect(after.title == "Rent" && after.anchor == before.anchor && after.dueDay == before.dueDay)
    #expect(after.extra == before.extra)
  }

  @Test func `an empty cell empties the column of another program`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(read(.json, #"[{"title":"a","jira":"ABC-1","own":"x"}]"#, test))
    var options = ImportOptions()
    options.isUpdating = true
    let uuid = try test.store.item(1).uuid
    _ = try test.store.importItems(read(.csv, "uuid,title,jira,new\n\(uuid),a,,\n", test), options)
    #expect(try test.store.item(1).extra == #"{"own":"x"}"#)
  }

  @Test func `an anchor without a recurrence is refused with its place`() throws {
    for (format, text) in [
      (TransferFormat.json, "[\n{\"title\":\"a\",\"anchor\":\"2031-01-01\"}]"), (.csv, "title,anchor\na,2031-01-01\n"),
    ] {
      let test = try TestStore()
      let error = #expect(throws: TodoError.self) { try test.store.importItems(read(format, text, test)) }
      #expect(
        error?.message.hasPrefix("line 2, column ") == true && error?.message.contains("\"anchor\"") == true
          && error?.message.contains("\"every\"") == true, "\(String(describing: error))")
    }
  }

  @Test func `words that no longer fit their line are left out with a warning`() throws {
    for (format, text) in [
      (TransferFormat.markdown, "# A\n- [ ] a todo-completed:2031-01-01T10:00:00Z\n- [ ] b todo-anchor:2031-01-01\n"),
      (.todotxt, "x\na todo-completed:2031-01-01T10:00:00Z\nb todo-anchor:2031-01-01\n"),
    ] {
      let test = try TestStore()
      let batch = try read(format, text, test)
      #expect(batch.warnings.count == 2, "\(batch.warnings)")
      #expect(
        batch.warnings.first?.hasPrefix("line 2") == true && batch.warnings.first?.contains("todo-completed") == true)
      #expect(batch.warnings.last?.hasPrefix("line 3") == true && batch.warnings.last?.contains("todo-anchor") == true)
      _ = try test.store.importItems(batch)
      #expect(try test.list().contains { $0.contains("a, b") })
    }
    let test = try TestStore()
    let batch = try read(.taskwarrior, #"[{"description":"a","todoAnchor":"2031-01-01"}]"#, test)
    #expect(batch.warnings.count == 1 && batch.warnings[0].contains("todoAnchor"), "\(batch.warnings)")
  }

  @Test func `a word that is nearly a date or a recurrence stays in the title with a warning`() throws {
    for (format, text) in [
      (TransferFormat.markdown, "# A\n- [ ] a due:2026-02-30 every:fortnight\n- [ ] b due:2031-01-01 every:day\n"),
      (.todotxt, "\na due:2026-02-30 every:fortnight\nb due:2031-01-01 every:day\nwhat is due: all of it\n"),
    ] {
      let batch = try read(format, text, TestStore())
      #expect(batch.items[0].title == "a due:2026-02-30 every:fortnight" && batch.items[1].title == "b")
      #expect(batch.warnings.count == 2, "\(batch.warnings)")
      #expect(
        batch.warnings.first?.hasPrefix("line 2") == true && batch.warnings.first?.contains("due:2026-02-30") == true)
      #expect(
        batch.warnings.last?.contains("every:fortnight") == true && batch.warnings.last?.contains("month") == true)
    }
  }

  @Test func `a batch of another source must not have such values either`() throws {
    let test = try TestStore()
    for change in [
      { $0.completed = Instant(seconds: 0) }, { $0.anchor = "2031-01-01" },
    ] as [(inout ImportedItem) -> Void] {
      var item = ImportedItem(title: "a")
      change(&item)
      var batch = ImportBatch()
      batch.items = [item]
      let error = #expect(throws: TodoError.self) { try test.store.importItems(batch) }
      #expect(error?.exitCode == 65)
    }
  }

  // MARK: Fields of taskwarrior

  @Test func `fields beside todoExtra are kept`() throws {
    let test = try TestStore()
    let task = """
      [{"description":"a","status":"pending","wait":"20310201T000000Z","urgency":2.5,
      "todoExtra":{"title":"theirs","urgency":1}}]
      """
    _ = try test.store.importItems(read(.taskwarrior, task, test))
    let extra = try test.store.item(1).extraFields()
    #expect(JSONValue.object(extra).text == #"{"title":"theirs","urgency":2.5,"wait":"20310201T000000Z"}"#)
    for format in TransferFormat.allCases {
      #expect(try test.store.importDryRun(read(format, test.exported(as: format), test)).unchanged == 1, "\(format)")
    }
  }

  // MARK: Previous instances

  @Test func `an update links an item to its previous instance`() throws {
    let test = try TestStore()
    func item(_ number: Int, _ previous: Int?, _ title: String = "t") -> String {
      let link = previous.map { ",\"previous\":\"\(Self.uuids[$0])\"" } ?? ""
      return "{\"title\":\"\(title)\",\"uuid\":\"\(Self.uuids[number])\"\(link)}"
    }
    func importing(_ items: String..., update: Bool = false) throws -> ImportResult {
      var options = ImportOptions()
      options.isUpdating = update
      return try test.store.importItems(read(.json, "[\(items.joined(separator: ",\n"))]", test), options)
    }
    // The previous one is not here yet, as after an export of open items only.
    #expect(try importing(item(1, 0)).added == 1)
    #expect(try test.store.item(1).previous == nil)
    #expect(try importing(item(1, 0)).change?.didChange == false)
    let second = try importing(item(0, nil), item(1, 0))
    #expect(second.added == 1 && second.unchanged == 1)
    #expect(try test.store.item(1).previous == 2)
    // Another one is other content.
    #expect(try importing(item(2, nil)).added == 1)
    let error = #expect(throws: TodoError.self) { try importing(item(1, 2)) }
    #expect(error?.exitCode == 4)
    #expect(try importing(item(1, 2), update: true).updated == 1)
    #expect(try test.store.item(1).previous == 3)
    #expect(try importing(item(1, nil, "other"), update: true).updated == 1)
    #expect(try test.store.item(1).previous == 3)
    for _ in 0..<6 where try test.store.nextUndo() != nil { _ = try test.store.undo() }
    #expect(try test.content() == [])
  }
}
