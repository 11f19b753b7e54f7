import FixtureSupport
import SQLiteStore
import Testing
import TodoCore

@Suite struct ListTests {
  @Test func `lists are added, renamed, reordered and removed`() throws {
    let test = try TestStore()
    for name in ["A", "B", "C"] { _ = try test.store.addList(name) }
    #expect(try test.store.lists().map(\.name) == ["A", "B", "C"])
    #expect(try test.store.reorderList("c", .first).label == "reorder list \"c\"")
    _ = try test.store.reorderList("A", .last)
    #expect(try test.store.lists().map(\.name) == ["C", "B", "A"])
    _ = try test.store.reorderList("A", .before("B"))
    #expect(try test.store.lists().map(\.name) == ["C", "A", "B"])
    #expect(try !test.store.reorderList("A", .before("B")).didChange)
    #expect(try test.store.renameList("a", to: "Alpha").label == "rename list \"A\" to \"Alpha\"")
    _ = try test.store.renameList("ALPHA", to: "alpha")
    _ = try test.store.removeList("C")
    #expect(try test.store.lists().map(\.name) == ["alpha", "B"])
    for _ in 0..<3 { _ = try test.store.undo() }
    #expect(try test.store.lists().map(\.name) == ["C", "A", "B"])
  }

  @Test func `a name in use and open items are conflicts`() throws {
    let test = try TestStore()
    try test.add("a", list: "Home")
    _ = try test.store.addList("Work")
    let conflicts: [() throws -> Void] = [
      { _ = try test.store.addList("HOME") }, { _ = try test.store.renameList("Work", to: "home") },
      { _ = try test.store.removeList("Home") },
    ]
    for conflict in conflicts {
      // The list is named as it is written, and not as somebody has typed it.
      #expect { try conflict() } throws: { ($0 as? TodoError)?.exitCode == 4 && "\($0)".contains("\"Home\"") }
    }
    _ = try test.store.done(Selection(1))
    #expect(try test.store.removeList("Home").removed.map(\.title) == ["a"])
    _ = try test.store.undo()
    #expect(try test.list(status: .all) == ["Home: a"])
  }

  @Test func `an unknown list is an error with the nearest name`() throws {
    let test = try TestStore()
    _ = try test.store.addList("Errands")
    let unknown: [() throws -> Void] = [
      { _ = try test.store.renameList("Erands", to: "x") }, { _ = try test.store.removeList("Erands") },
      { _ = try test.store.reorderList("Erands", .first) },
      { _ = try test.store.reorderList("Errands", .before("Erands")) },
    ]
    for operation in unknown {
      #expect { try operation() } throws: { error in
        guard case .noSuchItem(let message)? = error as? TodoError else { return false }
        return message.contains("did you mean \"Errands\"?")
      }
    }
  }
}

@Suite struct UndoTests {
  @Test func `every change is undone and redone by any process`() throws {
    let test = try TestStore()
    let other = try TestStore(path: test.path)
    let steps: [() throws -> ChangeResult] = [
      { try test.store.add(ItemDraft(title: "a", tags: ["x"])) },
      { try other.store.add(ItemDraft(title: "b", list: "L")) },
      { try test.store.done(Selection(1)) },
      { try other.store.edit(Selection(2), ItemEdit(Attributes(arguments: ["c"]))) },
      { try test.store.move(Selection(2), .first(list: "Inbox")) }, { try test.store.note("n", to: Selection(2)) },
      { try other.store.tag(Selection(1, 2), adding: ["t"]) }, { try test.store.start(Selection(2)) },
      { try test.store.archive(Selection()) }, { try test.store.addList("New") },
      { try test.store.reorderList("New", .first) }, { try test.store.remove(Selection(1, 2)) },
    ]
    var states = [try test.content()]
    var labels: [String] = []
    for step in steps {
      labels.append(try #require(try step().label))
      states.append(try test.content())
    }
    #expect(labels[4] == "move \"c\"" && labels[6] == "tag \"a\" and 1 more" && labels[11] == "remove \"a\" and 1 more")
    for (label, state) in zip(labels, states).reversed() {
      #expect(try other.store.nextUndo()?.label == label)
      #expect(try test.store.undo().label == label)
      #expect(try test.content() == state)
    }
    #expect { try test.store.undo() } throws: { ($0 as? TodoError)?.exitCode == 1 }
    for (label, state) in zip(labels, states.dropFirst()) {
      #expect(try other.store.redo().label == label)
      #expect(try test.content() == state)
    }
    #expect { try other.store.redo() } throws: { ($0 as? TodoError)?.exitCode == 1 }
    #expect(try test.store.revision() == Int64(3 * steps.count))
    let log = try test.store.log(limit: 2)
    #expect(log.map(\.kind) == [.redo, .redo] && log[0].label == labels[11])
  }

  @Test func `an undo reports the removed and restored items`() throws {
    let test = try TestStore()
    try test.add("a")
    let undone = try test.store.undo()
    #expect(undone.removed.map(\.title) == ["a"] && undone.items.isEmpty && undone.revision == 2)
    let redone = try test.store.redo()
    #expect(redone.items.map(\.title) == ["a"] && redone.removed.isEmpty && redone.revision == 3)
  }

  @Test func `something new ends what can be redone`() throws {
    let test = try TestStore()
    try test.add("a", "b")
    _ = try test.store.undo()
    try test.add("c")
    #expect(try test.store.nextRedo() == nil)
    #expect(try test.store.nextUndo()?.label == "add \"c\"")
  }

  @Test(arguments: ["2305843009213693952", "-9223372036854775808"])
  func `other lists can be added after a list at any position that leaves room`(position: String) throws {
    let test = try TestStore()
    try test.add("a", list: "Home")
    try test.add("b", list: "Work")
    let backup = test.path + ".backup"
    try test.store.backup(to: backup)
    let before = try test.content()
    for first in ["Home", "Work"] {
      let raw = try RawDatabase(path: test.path)
      try raw.execute("UPDATE list SET position = \(position) WHERE name = '\(first)'")
      try raw.execute("UPDATE item SET position = \(position) WHERE title = 'a'")
      let order = try test.store.lists().map(\.name)
      try test.add("c", "d", list: "New")
      try test.add("e", list: "Home")
      _ = try test.store.addList("Empty")
      #expect(try test.store.lists().map(\.name) == order + ["New", "Empty"])
      #expect(try test.list().contains { $0 == "Home: a, e" })
      var batch = ImportBatch()
      batch.lists = [ImportedList(name: "One"), ImportedList(name: "Two")]
      batch.items = [ImportedItem(title: "f")]
      _ = try test.store.importItems(batch)
      #expect(try test.store.lists().map(\.name) == order + ["New", "Empty", "One", "Two", "Inbox"])
      _ = try test.store.reorderList("Two", .first)
      _ = try test.store.move(Selection(1), .first(list: nil))
      _ = try test.store.move(Selection(2), .before(1))
      #expect(try test.store.lists().map(\.name) == ["Two"] + order + ["New", "Empty", "One", "Inbox"])
      #expect(try test.store.doctor().filter { !$0.isWell } == [])
      if first == "Home" { while try test.content() != before { _ = try test.store.undo() } }
    }
    let (store, result) = try TodoStore.restore(DatabaseLocation(path: test.path), from: backup)
    #expect(!result.isWhole && result.change.didChange)
    #expect(try store.lists().map(\.name) == ["Home", "Work"])
    try store.close()
  }

  @Test func `a list after which there is no room is named, and can be given a smaller position`() throws {
    let test = try TestStore()
    try test.add("a", list: "Home")
    for position in ["4611686018427387904", "9223372036854775807"] {
      let raw = try RawDatabase(path: test.path)
      try raw.execute("UPDATE list SET position = \(position)")
      for change in [{ try test.store.addList("New") }, { try test.store.add(ItemDraft(title: "b", list: "New")) }]
        as [() throws -> ChangeResult]
      {
        let error = #expect(throws: TodoError.self) { try change() }
        #expect(error?.exitCode == 65 && error?.message.contains(position) == true, "\(String(describing: error))")
      }
      try raw.execute("UPDATE list SET position = 1")
    }
    _ = try test.store.addList("New")
    #expect(try test.store.lists().map(\.name) == ["Home", "New"])
  }

  @Test func `lists can be added after the greatest number, also by an import`() throws {
    let test = try TestStore()
    try test.store.database.write {
      try $0.execute("INSERT INTO list(id, name, position) VALUES (\(Int64.max - 1), 'last', 1)")
    }
    var batch = ImportBatch()
    for name in ["a", "b"] {
      var item = ImportedItem(title: name)
      item.list = name
      batch.items.append(item)
    }
    _ = try test.store.importItems(batch)
    try test.add("c", list: "c")
    #expect(try test.store.lists().map(\.name).sorted() == ["a", "b", "c", "last"])
  }

  @Test func `an undo that goes past others does not change a list that took a former one's number`() throws {
    let test = try TestStore()
    try test.add("one", list: "home")
    _ = try test.store.addList("A")
    _ = try test.store.removeList("A")
    _ = try test.store.addList("B")
    try test.add("thing", list: "B")
    _ = try test.store.skipUndo()
    _ = try test.store.skipUndo()
    // The new list has the position of the one that would come back.
    #expect(throws: TodoError.self) { try test.store.undo() }
    #expect(try test.list() == ["home: one", "B: thing"])
    _ = try test.store.reorderList("B", .first)
    _ = try test.store.skipUndo()
    _ = try test.store.undo()
    #expect(try test.store.lists().map(\.name).sorted() == ["A", "B", "home"])
  }
}
