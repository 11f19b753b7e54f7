import DataSources
import DataSourcesTestSupport
import FetchedResults
import Foundation
import Synchronization
import TestSupport
import Testing
import TodoCore

/// The lines that `watch` writes, against a reader that knows nothing but them.
@Suite struct LiveListTests {
  /// What a reader of the lines has: names of sections, and ids in them.
  private struct Reader: Equatable {
    var sections: [(name: String, rows: [JSONValue])] = []

    static func == (left: Reader, right: Reader) -> Bool {
      left.sections.elementsEqual(right.sections) { $0.name == $1.name && $0.rows == $1.rows }
    }

    init(_ document: String) throws {
      for section in try JSONValue.parse(document).object?["sections"]?.array ?? [] {
        sections.append((section.object?["name"]?.string ?? "", section.object?["items"]?.array ?? []))
      }
    }

    var rows: [JSONValue] { sections.flatMap(\.rows) }

    /// Applies a line: removes everything that is deleted, then inserts everything new, as documented.
    mutating func apply(_ line: [UInt8]) throws {
      let changes = try #require(try JSONValue.parse(line).object?["changes"]?.array).compactMap(\.object)
      func path(_ value: JSONValue?) -> (section: Int, item: Int)? {
        guard let object = value?.object, let section = object["section"]?.integer, let item = object["item"]?.integer
        else { return nil }
        return (Int(section), Int(item))
      }
      func all(_ kinds: String...) -> [JSONObject] { changes.filter { kinds.contains($0["change"]?.string ?? "") } }
      let old = sections
      var rows: [[JSONValue?]] = sections.map { $0.rows }
      for change in all("delete", "move", "update") {
        let from = try #require(path(change["from"]))
        rows[from.section][from.item] = nil
      }
      // The target of each section; unmentioned ones keep their order in the remaining places.
      var target: [Int: (name: String, rows: [JSONValue])] = [:]
      var goneSections = Set(all("deleteSection").compactMap { $0["from"]?.integer.map { Int($0) } })
      for change in all("insertSection") {
        let to = Int(try #require(change["to"]?.integer))
        let section = try #require(change["section"]?.object)
        target[to] = (section["name"]?.string ?? "", section["items"]?.array ?? [])
      }
      var origin: [Int: Int] = [:]
      for change in all("moveSection") {
        let from = Int(try #require(change["from"]?.integer))
        origin[Int(try #require(change["to"]?.integer))] = from
        goneSections.insert(from)
      }
      var rest = sections.indices.filter { !goneSections.contains($0) }[...]
      let count = old.count - all("deleteSection").count + all("insertSection").count
      var result: [(name: String, rows: [JSONValue])] = []
      for index in 0..<count {
        if let inserted = target[index] {
          result.append(inserted)
          continue
        }
        let from = try #require(origin[index] ?? rest.popFirst())
        result.append((old[from].name, rows[from].compactMap { $0 }))
      }
      var incoming: [(to: (section: Int, item: Int), row: JSONValue)] = []
      for change in all("insert", "move", "update") {
        let to = try #require(path(change["to"]))
        var row = change["item"]
        if row == nil, let from = path(change["from"]) { row = old[from.section].rows[from.item] }
        incoming.append((to, try #require(row)))
      }
      for (to, row) in incoming.sorted(by: { ($0.to.section, $0.to.item) < ($1.to.section, $1.to.item) }) {
        result[to.section].rows.insert(row, at: to.item)
      }
      for change in all("updateSection") {
        let to = Int(try #require(change["to"]?.integer))
        result[to].name = change["section"]?.object?["name"]?.string ?? ""
      }
      sections = result
    }
  }

  @Test(arguments: ItemView.allCases, [1, 2, 3] as [UInt64])
  func `a reader of the lines has the list at every revision`(view: ItemView, seed: UInt64) async throws {
    let test = try TestStore()
    let query = test.here(ListQuery(view))
    if view == .tag {
      try await follow(LiveList(test.store.taggedController(query), test.store), test, query, seed)
    } else {
      try await follow(LiveList(test.store.controller(query), test.store), test, query, seed)
    }
  }

  private func follow<Row: ListedItem>(
    _ live: sending LiveList<Row>, _ test: TestStore, _ query: ListQuery, _ seed: UInt64
  ) async throws {
    var live = live
    var random = SeededGenerator(seed: seed)
    for number in 0..<6 { try test.add("item \(number)", list: ["A", "B", "C"][number % 3]) }
    try await live.begin()
    let bytes = Bytes()
    var writer = JSONListWriter { bytes.append($0) }
    try live.snapshot.visit(revision: live.revision, &writer)
    #expect(try bytes.text == test.json(query))
    var reader = try Reader(bytes.text)
    for step in 0..<40 {
      let before = live.controller.snapshot
      let result = try edit(test, &random)
      try await live.controller.settled()
      if live.controller.snapshot.changes(from: before).isEmpty { continue }
      let update = try #require(await live.next())
      #expect(live.revision == result.revision, "seed \(seed), step \(step)")
      let line = try #require(ChangesWriter.line(update, revision: live.revision))
      #expect(String(decoding: line, as: UTF8.self).hasPrefix("{\"revision\":\(live.revision),\"changes\":[{"))
      try reader.apply(line)
      try #require(try reader == Reader(test.json(query)), "seed \(seed), step \(step)")
    }
  }

  @Test(arguments: ItemView.allCases.filter { $0 != .next }, [4, 5] as [UInt64])
  func `a revision is that of the list, however quickly others commit`(view: ItemView, seed: UInt64) async throws {
    let test = try TestStore()
    let query = test.here(ListQuery(view))
    try test.store.recordHistory()
    if view == .tag {
      try await chase(LiveList(test.store.taggedController(query), test.store), test, query, seed)
    } else {
      try await chase(LiveList(test.store.controller(query), test.store), test, query, seed)
    }
  }

  /// Another connection commits as fast as it can, and writes down what the list is at each revision.
  private func chase<Row: ListedItem>(
    _ live: sending LiveList<Row>, _ test: TestStore, _ query: ListQuery, _ seed: UInt64
  ) async throws {
    for number in 0..<6 { try test.add("item \(number)", list: ["A", "B", "C"][number % 3]) }
    var live = live
    try await live.begin()
    let beginning = try test.json(query)
    let path = test.path
    let other = Task.detached {
      let other = try TestStore(path: path)
      var random = SeededGenerator(seed: seed)
      var documents: [Int64: String] = [:]
      for _ in 0..<120 {
        let result = try edit(other, &random)
        documents[result.revision] = try other.json(query)
      }
      _ = try other.store.add(ItemDraft(title: "the last one"))
      let last = try other.store.revision()
      documents[last] = try other.json(query)
      return (documents, last)
    }
    var states = [(live.revision, try Reader(beginning))]
    while states.last?.1.rows.contains(where: { $0.object?["title"] == "the last one" }) == false {
      let update = try #require(await live.next())
      let line = try #require(ChangesWriter.line(update, revision: live.revision))
      var reader = states[states.count - 1].1
      try reader.apply(line)
      states.append((live.revision, reader))
    }
    let (documents, last) = try await other.value
    #expect(states.last?.0 == last)
    for ((former, _), (revision, reader)) in zip(states, states.dropFirst()) {
      #expect(revision > former)
      let document = try #require(documents[revision])
      #expect(try reader == Reader(document), "revision \(revision)")
    }
  }

  @Test func `a list begins although there is a commit after each of its updates`() async throws {
    let test = try TestStore()
    try test.add("item")
    let query = test.here(ListQuery(.list))
    let other = try TestStore(path: test.path)
    let commits = Atomic(0)
    var live = LiveList(try test.store.controller(query), test.store)
    let observation = live.controller.observeOnAnyThread { _ in
      // Not so often that many commits fall into one attempt.
      usleep(5000)
      if commits.add(1, ordering: .relaxed).newValue < 20_000 { _ = try? other.store.note("x", to: Selection([1])) }
    }
    try await live.begin()
    #expect(commits.load(ordering: .relaxed) < 20_000)
    #expect(live.snapshot.count == 1)
    observation.cancel()
  }

  private func edit(_ test: TestStore, _ random: inout SeededGenerator) throws -> ChangeResult {
    let store = test.store
    let ids = try store.items(Selection(filter: Filter(status: .any))).map(\.id)
    let some = Selection(Array(ids.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))))
    let list = ["A", "B", "C", "D"].randomElement(using: &random) ?? "A"
    switch ids.isEmpty ? 0 : Int.random(in: 0..<9, using: &random) {
    case 0: return try store.add(ItemDraft(title: "new", list: list, tags: ["x"]))
    case 1: return try store.done(some)
    case 2: return try store.undone(some)
    case 3: return try store.move(some, .last(list: list))
    case 4:
      var edit = ItemEdit()
      edit.priority = .set([nil, .low, .high].randomElement(using: &random) ?? nil)
      edit.due = .set(Bool.random(using: &random) ? Due(iso: "2031-01-0\(Int.random(in: 1...3, using: &random))") : nil)
      return try store.edit(some, edit)
    case 5: return try store.tag(some, adding: [["x", "y", "z"].randomElement(using: &random) ?? "x"])
    case 6:
      return try store.tag(some, removing: ["x", "y"])
    case 7:
      let names = try store.lists().map(\.name)
      return try store.reorderList(names.randomElement(using: &random) ?? "A", .first)
    default: return try store.undo()
    }
  }

  @Test func `rows that move into a new section are not reported one by one`() async throws {
    let test = try TestStore()
    try test.add("a", "b", list: "A")
    var live = LiveList(try test.store.controller(test.here(ListQuery())), test.store)
    try await live.begin()
    _ = try test.store.move(Selection(2), .last(list: "New"))
    let update = try #require(await live.next())
    let line = try #require(ChangesWriter.line(update, revision: live.revision))
    let changes = try #require(try JSONValue.parse(line).object?["changes"]?.array)
    #expect(changes.compactMap { $0.object?["change"]?.string } == ["delete", "insertSection"])
  }

  @Test func `a renamed list is an updated section`() async throws {
    let test = try TestStore()
    try test.add("a", list: "A")
    var live = LiveList(try test.store.controller(test.here(ListQuery())), test.store)
    try await live.begin()
    _ = try test.store.renameList("A", to: "B")
    let update = try #require(await live.next())
    let line = try #require(ChangesWriter.line(update, revision: 2))
    let changes = try #require(try JSONValue.parse(line).object?["changes"]?.array)
    #expect(changes.compactMap { $0.object?["change"]?.string } == ["update", "updateSection"])
    #expect(changes.last?.object?["section"] == ["name": "B"])
  }
}
