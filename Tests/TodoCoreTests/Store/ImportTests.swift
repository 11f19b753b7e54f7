import FixtureSupport
import SQLiteStore
import Testing

@testable import TodoCore

@Suite struct ImportTests {
  private func item(_ title: String, _ change: (inout ImportedItem) -> Void = { _ in }) -> ImportedItem {
    var item = ImportedItem(title: title)
    change(&item)
    return item
  }

  private func batch(_ items: ImportedItem...) -> ImportBatch {
    var batch = ImportBatch()
    batch.items = items
    return batch
  }

  private let uuid = "6f1c9a0e-0000-4000-8000-00000000000a"

  @Test func `items that are imported twice are not new the second time`() throws {
    let test = try TestStore()
    var batch = batch(item("a") { $0.uuid = uuid }, item("b") { $0.list = "L" }, item("b") { $0.list = "L" }, item("c"))
    batch.lists = [ImportedList(name: "Empty", extra: JSONObject([("colour", "red")]))]
    var result = try test.store.importItems(batch)
    #expect(result.added == 4 && result.unchanged == 0 && result.addedLists == 3 && result.change?.revision == 1)
    #expect(try test.list() == ["Inbox: a, c", "L: b, b"])
    result = try test.store.importItems(batch)
    #expect(result.added == 0 && result.unchanged == 4 && result.change?.didChange == false)
    _ = try test.store.undo()
    #expect(try test.store.lists().isEmpty)
    #expect(try test.store.doctor().allSatisfy(\.isWell))
  }

  @Test func `other content under a known UUID is a conflict or an update`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(batch(item("a") { $0.uuid = uuid }))
    let changed = batch(
      item("new"),
      item("b") {
        $0.uuid = uuid; $0.list = "L"; $0.tags = ["t"]; $0.place = TextPlace(line: 3, column: 2)
      })
    #expect {
      try test.store.importItems(changed)
    } throws: { error in
      guard case .conflict(let message)? = error as? TodoError else { return false }
      return message.contains("line 3, column 2") && message.contains("--update")
    }
    #expect(try test.list() == ["Inbox: a"])
    var options = ImportOptions()
    options.isUpdating = true
    options.collectsItems = true
    #expect(try test.store.importDryRun(changed, options).updated == 1)
    #expect(try test.list() == ["Inbox: a"])
    let result = try test.store.importItems(changed, options)
    #expect(result.updated == 1 && result.added == 1 && result.change?.items.map(\.title) == ["new", "b"])
    #expect(try test.list() == ["Inbox: new", "L: b"])
    #expect(try test.store.item(1).tags == ["t"])
  }

  @Test func `numbers are kept where they are free`() throws {
    let test = try TestStore()
    let first = batch(
      item("none"), item("five") { $0.id = 5 }, item("two") { $0.id = 2 }, item("five too") { $0.id = 5 },
      item("huge") { $0.id = 9_000_000_000 })
    let result = try test.store.importItems(first)
    #expect(result.renumbered == 2)
    #expect(
      try test.store.items(Selection(ids: [1...100])).map(\.title) == ["two", "five", "none", "five too", "huge"])
    #expect(try test.store.items(Selection(ids: [1...100])).map(\.id) == [2, 5, 6, 7, 8])
    _ = try test.store.remove(Selection(8))
    // Given once, never again; and what was never given here is behind the greatest.
    _ = try test.store.importItems(batch(item("eight") { $0.id = 8 }, item("three") { $0.id = 3 }))
    #expect(try test.store.items(Selection(ids: [8...100])).map(\.id) == [9, 10])
  }

  @Test func `an export holds all that an import needs`() throws {
    let test = try TestStore()
    try test.add(arguments: "rent", "+Home", "@m", "!high", "due:2031-01-01", "every:month")
    _ = try test.store.done(Selection(1))
    try test.add("other")
    _ = try test.store.move(Selection(3), .before(1))
    _ = try test.store.addList("Empty")
    func copy(_ store: TodoStore) throws -> ImportBatch {
      var batch = ImportBatch()
      try store.export(begin: { batch.lists = $0.lists }) { item, previous in
        batch.items.append(
          self.item(item.title) {
            $0.id = item.id
            $0.uuid = item.uuid
            $0.list = item.list
            $0.tags = item.tags
            $0.priority = item.priority
            $0.due = item.due
            $0.every = item.every
            $0.anchor = item.anchor
            $0.previous = previous
            $0.done = item.done
            $0.created = item.created
            $0.completed = item.completed
          })
      }
      return batch
    }
    let batch = try copy(test.store)
    #expect(batch.items.map(\.title) == ["other", "rent", "rent"] && batch.items[2].previous == batch.items[1].uuid)
    let other = try TestStore()
    _ = try other.store.importItems(batch)
    #expect(try copy(other.store) == batch)
    // The next instance exists, so none is created again.
    _ = try other.store.undone(Selection(1))
    #expect(try other.store.done(Selection(1)).next.isEmpty)
  }

  @Test func `the same UUID twice in a file is bad data`() throws {
    let test = try TestStore()
    let twice = batch(item("a") { $0.uuid = uuid }, item("b") { $0.uuid = uuid })
    #expect { try test.store.importItems(twice) } throws: { ($0 as? TodoError)?.exitCode == 65 }
    #expect(try test.store.revision() == 0)
  }

  @Test func `values that the tables would refuse are bad data`() throws {
    let test = try TestStore()
    let bad: [ImportedItem] = [
      item(""), item("a") { $0.uuid = "6F1C9A0E-0000-4000-8000-00000000000A" }, item("a") { $0.uuid = "a" },
      item("a") { $0.tags = [""] }, item("a") { $0.list = "" },
    ]
    for item in bad {
      #expect { try test.store.importItems(batch(self.item("good"), item)) } throws: { error in
        (error as? TodoError)?.exitCode == 65
      }
    }
    #expect(try test.store.revision() == 0)
  }

  @Test func `into nothing everything is new`() throws {
    #expect(try batch(item("a"), item("b")).dryRunIntoNothing().added == 2)
  }

  @Test func `a bulk import has the same result as the triggers`() throws {
    // With tags, notes and lists, more than go into one statement, and one that follows another.
    var large = ImportBatch()
    for number in 1...1_017 {
      large.items.append(
        item("item \(number)") {
          $0.id = Int64(number * 2)
          $0.uuid = "6f1c9a0e-0000-4000-8000-\(String(900_000_000_000 + number))"
          $0.list = "List \(number % 7)"
          $0.tags = number % 3 == 0 ? ["x\(number % 5)", "ä", "x\(number % 5)"] : []
          $0.notes = number % 4 == 0 ? ["note \(number)", "more"] : []
          $0.done = number % 10 == 0
          $0.due = number % 6 == 0 ? Due(iso: "2031-02-03") : nil
          $0.created = Instant(iso: "2031-01-01T12:00:00Z")
        })
    }
    large.items[5].previous = large.items[2].uuid
    large.items.append(
      item("there already") {
        $0.uuid = uuid; $0.list = "New"
      })
    func imported(_ trigger: String) throws -> (TestStore, [[RawDatabase.Value]]) {
      let test = try TestStore()
      _ = try test.store.importItems(batch(item("there") { $0.uuid = uuid }))
      try RawDatabase(path: test.path).execute(trigger)
      #expect(try test.store.database.write { try BulkInsertion.isPossible($0) } == trigger.isEmpty)
      var options = ImportOptions()
      options.isUpdating = true
      let result = try test.store.importItems(large, options)
      #expect(result.added == 1_017 && result.updated == 1)
      #expect(try test.store.doctor().filter { !$0.isWell } == [])
      return (test, try everything(test))
    }
    let (bulk, bulkContent) = try imported("")
    // The same triggers fire, and one more, which prevents leaving the triggers out.
    let (single, singleContent) = try imported("CREATE TRIGGER one_more AFTER INSERT ON item BEGIN SELECT 1; END")
    #expect(bulkContent == singleContent && bulkContent.count > 3_000)
    let notesOf512 = Filter(.text(["note 512"]), status: .any)
    for test in [bulk, single] {
      #expect(try test.store.items(Selection(filter: notesOf512)).map(\.title) == ["item 512"])
      _ = try test.store.undo()
      #expect(try test.list() == ["Inbox: there"])
      _ = try test.store.redo()
      #expect(try test.store.doctor().filter { !$0.isWell } == [])
    }
    #expect(try everything(bulk) == everything(single))
  }

  @Test func `a bulk import keeps the constraints`() throws {
    let test = try TestStore()
    var many = ImportBatch()
    for number in 0..<240 {
      many.items.append(
        item("item \(number)") {
          // All that an item can hold.
          $0.due = [nil, Due(iso: "0000-01-01"), Due(iso: "9999-12-31"), Due(iso: "2031-01-02T23:59:59Z")][number % 4]
          $0.dueDay = number % 3 == 0 ? CalendarDay(iso: "1970-01-01") : nil
          $0.every = number % 2 == 0 ? Recurrence.allCases[number / 2 % 4] : nil
          $0.anchor = number % 10 == 0 ? "2031-01-31T09:00:00" : nil
          $0.done = number % 7 == 0
          $0.completed = $0.done ? Instant(iso: "2031-01-01T12:00:00Z") : nil
          $0.id = number % 11 == 0 ? .max - Int64(number) : nil
          $0.extra = number % 6 == 0 ? JSONObject([("a", .array([]))]) : JSONObject()
        })
    }
    _ = try test.store.importItems(many)
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
    // The last number but a few has been used: there are not enough numbers left.
    try test.store.database.write {
      _ = try $0.execute("UPDATE sqlite_sequence SET seq = 9007199254740900 WHERE name = 'item'")
    }
    for index in many.items.indices { many.items[index].title += "!" }
    #expect(throws: TodoError.self) { try test.store.importItems(many) }
    let statement = "INSERT INTO item(list, position, title, every) VALUES (1, 1, 'x', 'often')"
    #expect(throws: DatabaseError.self) { try test.store.database.write { _ = try $0.execute(SQL(raw: statement)) } }
    #expect(try test.store.doctor().filter { !$0.isWell } == [])
  }

  /// All rows of all tables, except the search index.
  private func everything(_ test: TestStore) throws -> [[RawDatabase.Value]] {
    let raw = try RawDatabase(path: test.path, readOnly: true)
    var rows: [[RawDatabase.Value]] = []
    for table in ["list", "item", "item_tag", "item_to_index", "change", "journal", "sqlite_sequence"] {
      rows += try raw.rows("SELECT * FROM \(table) ORDER BY 1, 2")
    }
    return rows
  }
}
