import FetchedResults
import TodoCore

/// The first byte says which database and what is done with it; what follows is laid over its file.
enum DatabaseCheck {
  private static let moment = Moment(
    Instant(iso: "2031-01-01T12:00:00Z") ?? Instant(seconds: 0), in: .fixed(seconds: 3600))

  static func run(_ bytes: [UInt8]) throws {
    var source = ByteSource(bytes)
    let choice = source.byte()
    let original = try DamagedFile.original(Int(choice & 3))
    let file = try DamagedFile(DamagedFile.damaged(original, &source))
    defer { file.remove() }
    let location = DatabaseLocation(path: file.path)
    let opened = try attempt("opening") { try TodoStore.openToRead(location) { moment } }
    guard let store = opened ?? nil else { return }
    try read(store, isLooking: choice & 4 != 0)
    _ = try attempt("closing") { try store.close() }
    if choice & 8 == 0 { return }
    guard let writing = try attempt("opening", { try TodoStore.open(location) { moment } }) else { return }
    try write(writing, undoesFirst: choice & 16 != 0)
    try read(writing, isLooking: false)
  }

  // MARK: Reading

  private static func read(_ store: TodoStore, isLooking: Bool) throws {
    let all = Filter(status: .any)
    var counts: [Int?] = [
      try attempt("items") { try store.items(Selection(filter: all)) }?.count,
      try attempt("export") { try exported(store) },
    ]
    for view in ItemView.allCases {
      let query = ListQuery(view, filter: all, zone: moment.zone)
      var listed = ListedRows()
      let isListed = try attempt("list") { try store.list(query, into: &listed) } != nil
      if view != .tag, view != .next { counts.append(isListed ? listed.count : nil) }
    }
    let query = ListQuery(.list, filter: all, zone: moment.zone)
    if let controller = try attempt("controller", { try store.controller(query) }) {
      let isFetched = try attempt("fetching") { try controller.performFetch() } != nil
      counts.append(isFetched ? controller.snapshot.numberOfItems : nil)
    }
    let search = Filter(.text(["milk", "re"]), status: .any)
    _ = try attempt("search") { try store.items(Selection(filter: search)) }
    _ = try attempt("statistics") { try store.statistics() }
    _ = try attempt("log") { try store.log() }
    _ = try attempt("lists") { try store.lists() }
    guard isLooking, let findings = try attempt("doctor", { try store.doctor() }) else { return }
    // Where the doctor has nothing to say, nothing is left out anywhere.
    if findings.allSatisfy({ $0.isWell || $0.subject == "permissions" }) {
      try expect(Set(counts).count == 1 && counts[0] != nil, "all is well, but the rows are \(counts)")
    }
  }

  private static func exported(_ store: TodoStore) throws -> Int {
    var count = 0
    var writer = TransferFormat.json.writer(at: moment)
    try store.export(begin: { _ = try writer.begin($0) }) { item, previous in
      _ = try writer.write(item, previous: previous)
      count += 1
    }
    return count
  }

  // MARK: Writing

  private static func write(_ store: TodoStore, undoesFirst: Bool) throws {
    if undoesFirst {
      _ = try attempt("undo") { try store.undo() }
      _ = try attempt("undo") { try store.undo() }
      _ = try attempt("redo") { try store.redo() }
    }
    let before = try attempt("counting") { try exported(store) }
    let draft = ItemDraft(title: "New", list: "Another", tags: ["new"], due: .day(moment.today), every: .week)
    let added = try attempt("add") { try store.add(draft) }
    if added != nil, let before, let after = try attempt("counting", { try exported(store) }) {
      try expectSame(after, before + 1, "the number of items after one was added")
    }
    let everything = Selection(filter: Filter(status: .any))
    var edit = ItemEdit()
    edit.title = "Edited"
    let changes: [() throws -> ChangeResult] = [
      { try store.done(Selection(filter: Filter())) }, { try store.edit(everything, edit) },
      { try store.note("note", to: everything) }, { try store.move(Selection(1), .last(list: nil)) },
      { try store.undo() }, { try store.remove(everything) }, { try store.undo() }, { try store.redo() },
      { try store.undo() },
    ]
    for change in changes { _ = try attempt("a change", change) }
  }

  /// Nil where it failed with an error for people, which is right for a damaged file.
  private static func attempt<T>(_ what: String, _ body: () throws -> T) throws -> T? {
    do {
      return try body()
    } catch let error as TodoError {
      try expect(!error.message.isEmpty, "an error without words")
      if case .busy = error { throw Finding("\(what): \(error)") }
      return nil
    } catch let error as DatabaseError where what == "fetching" {
      try expect(!error.message.isEmpty, "an error without words")
      return nil
    } catch is JSONError where what == "fetching" {
      return nil  // what an item's own initializer throws comes through a controller as it is
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding("\(what) failed with \(type(of: error)): \(error)")
    }
  }
}

/// Counts what is listed.
private struct ListedRows: ListVisitor {
  var count = 0
  mutating func begin(revision: Int64) {}
  mutating func beginSection(name: String) {}
  mutating func row(_ item: Item) { count += 1 }
  mutating func endSection() {}
  mutating func end() {}
}
