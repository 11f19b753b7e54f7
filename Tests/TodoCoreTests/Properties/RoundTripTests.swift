import DataSourcesTestSupport
import FixtureSupport
import SQLiteStore
import TestSupport
import Testing

@testable import TodoCore

/// Random items through all formats, both ways, and through both ways of importing: JSON holds everything, and what
/// another format doesn't hold it counts. `SEED=n` repeats the case that failed.
@Suite struct RoundTripTests {
  private static let zones = [0, 20_700, -18_000, 50_400, -43_200].map { LocalZone.fixed(seconds: $0) }

  /// All that a batch says of its items, each as text, byte by byte.
  private func said(_ batch: ImportBatch, numbers: Bool = true) -> [[UInt8]] {
    batch.items.map { item in
      var item = item
      item.place = nil
      item.absent = []
      if !numbers { item.id = nil }
      let extra = JSONValue.object(item.extra).text
      item.extra = JSONObject()
      return Array("\(item) \(extra)".utf8)
    }
  }

  private func expect(_ found: [[UInt8]], _ expected: [[UInt8]], _ what: String) throws {
    let differing = zip(found, expected).first { $0 != $1 }
    let words = differing.map { [$0, $1].map { String(decoding: $0, as: UTF8.self).debugDescription } } ?? []
    let isSame = found == expected
    try #require(isSame, "\(what): \(found.count) of \(expected.count), \(words.joined(separator: " not "))")
  }

  @Test func `an export as JSON is imported unchanged`() throws {
    let clock = TestClock("2031-01-01T12:00:00Z", Self.zones[0])
    // A few databases serve all seeds: to make one takes longer than all that is done with it.
    var source = try TodoStore.inMemory { clock.moment }
    var other = source
    for seed in Seeds.all(300, of: "round trips") {
      var items = RandomItems(seed: seed)
      clock.set(Self.zones[Int(seed % 5)])
      let moment = clock.moment
      var batch = ImportBatch()
      var uuids: Set<String> = []
      for _ in 0..<(1 + items.below(4)) {
        var item = items.item(moment.zone)
        if let last = batch.items.last, last.previous == nil, items.once(in: 4) { item.previous = last.uuid }
        if let uuid = item.uuid, !uuids.insert(uuid).inserted { continue }
        batch.items.append(item)
      }
      let isBulk = seed % 40 == 7
      if isBulk { batch.items += (0..<200).map { ImportedItem(title: "filler \($0)") } }
      if other === source || seed % 20 == 0 {
        source = try TodoStore.inMemory { clock.moment }
        other = try TodoStore.inMemory { clock.moment }
      }
      #expect(try source.importItems(batch).added == batch.items.count, "SEED=\(seed)")
      if isBulk || seed % 20 == 0 { #expect(try source.database.integrityCheck() == [], "SEED=\(seed)") }
      let file = try source.exported(as: .json)
      let again = try TransferFormat.json.read(file, at: moment)
      let text = String(decoding: file.prefix(3000), as: UTF8.self).debugDescription
      try #require(again.warnings == [] && again.leftOut == [], "SEED=\(seed) \(text)")
      try #require(try source.importDryRun(again).unchanged == batch.items.count, "SEED=\(seed) \(text)")
      #expect(try other.importItems(again).added == batch.items.count, "SEED=\(seed)")
      // A number beyond what people type is replaced by a fresh one.
      let there = try said(TransferFormat.json.read(other.exported(as: .json), at: moment), numbers: false)
      try expect(there, said(again, numbers: false), "SEED=\(seed) \(text)")
      for store in [source, other] {
        _ = try store.undo()
        #expect(try store.items(Selection(ids: [], filter: Filter(status: .any))) == [], "SEED=\(seed)")
      }
    }
  }

  /// What a format can hold of an item besides days and numbers, byte by byte.
  private func content(_ item: ImportedItem) -> [UInt8] {
    let extra = item.extra.members.map { "\($0.key) \($0.value.text)" }.sorted()
    let text = "\(item.title) \(item.list ?? "") \(item.tags) \(item.done) \(item.notes) \(item.archived) \(extra)"
    let times = [
      item.due?.description, item.every?.rawValue, item.wait?.description, item.priority?.name,
      item.started?.description,
    ]
    return Array("\(text) \(times)".utf8)
  }

  @Test(arguments: TransferFormat.allCases.filter { $0 != .json })
  func `what a format holds comes back, and what it doesn't hold is counted`(format: TransferFormat) throws {
    let clock = TestClock("2031-01-01T12:00:00Z", Self.zones[0])
    for seed in Seeds.all(200, of: "round trips through \(format)", perSoak: 0.5) {
      var items = RandomItems(seed: seed &+ 3_000_017)
      clock.set(Self.zones[Int(seed % 5)])
      let moment = clock.moment
      let isPlain = seed % 2 == 0
      var batch = ImportBatch()
      for _ in 0..<(1 + items.below(4)) {
        var item = isPlain ? items.plainItem(moment.zone) : items.item(moment.zone)
        (item.id, item.uuid) = (nil, items.uuid())
        // Only JSON holds names of blanks, which another program has stored.
        if item.title.words.isEmpty || item.list?.words.isEmpty == true { continue }
        batch.items.append(item)
      }
      if Set(batch.items.compactMap(\.uuid)).count < batch.items.count { continue }
      let store = try TodoStore.inMemory { moment }
      _ = try store.importItems(batch)
      var writer = format.writer(at: moment, ids: true)
      var (file, expected, isHeld): ([UInt8], [ImportedItem], [Bool]) = ([], [], [])
      try store.export(begin: { file += try writer.begin($0) }) { item, previous in
        let before = writer.loss.items
        file += try writer.write(item, previous: previous)
        isHeld.append(writer.loss.items == before)
        expected.append(try ImportedItem(item, previous: nil))
      }
      file += try writer.end()
      let text = "SEED=\(seed) \(String(decoding: file, as: UTF8.self).debugDescription)"
      let read = try format.read(file, at: moment)
      try #require(read.items.count == expected.count && read.leftOut == [], "\(text)")
      for (index, item) in expected.enumerated() where isHeld[index] {
        try expect([content(read.items[index])], [content(item)], text)
        if format != .markdown { #expect(read.items[index].uuid == item.uuid, "\(text)") }
      }
      if isPlain { #expect(writer.loss.items == 0 && read.warnings == [], "\(text)") }
      guard writer.loss.items == 0 else {
        #expect(writer.loss.sentence(about: format)?.contains("--format json") == true)
        continue
      }
      #expect(writer.loss.sentence(about: format) == nil)
      #expect(try store.importDryRun(read).unchanged == expected.count, "\(text)")
      let other = try TodoStore.inMemory { moment }
      _ = try other.importItems(read)
      try expect([other.exported(as: format)], [file], text)
    }
  }

  /// The items of a store with these UUIDs as they are exported, and the lists with fields.
  private func exported(
    _ store: TodoStore, _ uuids: Set<String>
  ) throws -> (items: [String: [UInt8]], lists: [String: JSONObject]) {
    let batch = try TransferFormat.json.read(store.exported(as: .json), at: store.moment)
    var items: [String: [UInt8]] = [:]
    for var item in batch.items where uuids.contains(item.uuid ?? "") {
      item.place = nil
      item.absent = []
      item.id = nil
      // The list that is here keeps its name.
      item.list = item.list.map {
        String(decoding: $0.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
      }
      let extra = JSONValue.object(item.extra).text
      item.extra = JSONObject()
      items[item.uuid ?? ""] = Array("\(item) \(extra)".utf8)
    }
    var lists: [String: JSONObject] = [:]
    for name in ["home", "work", "empty"] {
      lists[name] = batch.lists.first { $0.name.lowercased().utf8.elementsEqual(name.utf8) }?.extra
    }
    return (items, lists)
  }

  @Test func `an import into a database that is not empty loses nothing`() throws {
    let clock = TestClock("2031-01-01T12:00:00Z", Self.zones[0])
    for seed in Seeds.all(120, of: "imports into others", perSoak: 0.2) {
      var items = RandomItems(seed: seed &+ 7_000_003)
      clock.set(Self.zones[Int(seed % 5)])
      func lists() -> [ImportedList] {
        ["Home", "Work", "Empty"].filter { _ in items.once(in: 2) }.map { name in
          var extra = JSONObject()
          for key in ["color", "icon", "own"] where items.once(in: 2) { extra[key] = .string(items.pick(["a", "b"])) }
          return ImportedList(name: name, extra: extra)
        }
      }
      let uuids = Set((0..<(1 + items.below(4))).map { _ in items.uuid() })
      func batch() -> ImportBatch {
        var batch = ImportBatch()
        batch.lists = lists()
        for uuid in uuids.sorted() {
          var item = items.item(clock.moment.zone)
          item.uuid = uuid
          // What is nil keeps what is there.
          item.list = item.list ?? "Home"
          item.created = item.created ?? items.instant()
          if item.done { item.completed = item.completed ?? items.instant() }
          batch.items.append(item)
        }
        return batch
      }
      // Each follows another one, in any order; only the first never does.
      func link(_ batch: inout ImportBatch) {
        let order = [0] + batch.items.indices.dropFirst().shuffled(using: &items.random)
        for (former, later) in zip(order, order.dropFirst()) {
          batch.items[later].previous = batch.items[former].uuid
        }
      }
      // Others that are here already, and an earlier state of some of the same.
      let target = try TodoStore.inMemory { clock.moment }
      var others = ImportBatch()
      others.lists = lists()
      for _ in 0..<items.below(4) {
        var item = items.item(clock.moment.zone)
        item.uuid = items.uuid()
        others.items.append(item)
      }
      _ = try target.importItems(others)
      let kept = Set(others.items.compactMap(\.uuid)).subtracting(uuids)
      let before = try exported(target, kept)
      if items.once(in: 2) {
        var earlier = batch()
        link(&earlier)
        earlier.items.removeAll { _ in items.once(in: 3) }
        earlier.lists = []
        _ = try target.importItems(earlier)
      }
      var new = batch()
      link(&new)
      // An item with another due date than here, but the same day or anchor, is read as an edited one, which has its
      // own tests. So leave that day or anchor out.
      let here = try target.items(Selection(ids: [], filter: Filter(status: .any)))
      for index in new.items.indices {
        guard let there = here.first(where: { $0.uuid == new.items[index].uuid }) else { continue }
        let isDueOther = new.items[index].due != there.due
        if isDueOther, new.items[index].dueDay == there.dueDay { new.items[index].dueDay = nil }
        if isDueOther || new.items[index].every != there.every, new.items[index].anchor == there.anchor {
          new.items[index].anchor = nil
        }
      }
      let source = try TodoStore.inMemory { clock.moment }
      _ = try source.importItems(new)
      let file = try TransferFormat.json.read(source.exported(as: .json), at: clock.moment)
      #expect(file.warnings == [], "SEED=\(seed)")
      let expected = try exported(source, uuids)
      var options = ImportOptions()
      options.isUpdating = true
      // Items that recur here and are done in the file may be without a next instance.
      let warnings = try target.importItems(file, options).warnings.filter { !$0.contains("has no next instance") }
      #expect(warnings == [], "SEED=\(seed)")
      let found = try exported(target, uuids)
      for uuid in uuids.sorted() {
        try expect([found.items[uuid] ?? []], [expected.items[uuid] ?? []], "SEED=\(seed)")
      }
      #expect(try exported(target, kept).items == before.items, "SEED=\(seed)")
      for name in ["home", "work", "empty"] {
        var extra = before.lists[name] ?? JSONObject()
        for member in expected.lists[name]?.members ?? [] { extra[member.key] = member.value }
        for member in extra.members {
          #expect(found.lists[name]?[member.key] == member.value, "SEED=\(seed) \(name) \(member.key)")
        }
      }
      #expect(try target.importItems(file, options).change?.didChange == false, "SEED=\(seed)")
      // Nor does it change anything in another zone, also where a recurrence has no anchor.
      var unanchored = file
      for index in unanchored.items.indices { unanchored.items[index].anchor = nil }
      let isReset = try target.importItems(unanchored, options).change?.didChange == true
      clock.set(Self.zones[Int((seed + 1) % 5)])
      #expect(
        try target.importItems(unanchored, options).change?.didChange == false, "SEED=\(seed), no anchor")
      if isReset { _ = try target.undo() }
      #expect(try target.importItems(file, options).change?.didChange == false, "SEED=\(seed), elsewhere")
      clock.set(Self.zones[Int(seed % 5)])
      var part = file
      for index in part.items.indices {
        part.items[index].leaveOut(Set(ImportedItem.Field.allCases.filter { _ in items.once(in: 3) }))
      }
      #expect(try target.importItems(part, options).change?.didChange == false, "SEED=\(seed), in part")
      // Other titles change nothing else, whatever the file leaves out.
      var whole = file
      for index in file.items.indices {
        whole.items[index].title += "!"
        part.items[index].title += "!"
      }
      _ = try (source.importItems(whole, options), target.importItems(part, options))
      let (renamed, expectedRenamed) = try (exported(target, uuids), exported(source, uuids))
      for uuid in uuids.sorted() {
        try expect(
          [renamed.items[uuid] ?? []], [expectedRenamed.items[uuid] ?? []], "SEED=\(seed), other titles")
      }
      while try target.nextUndo() != nil { _ = try target.undo() }
      #expect(try target.lists() == [] && target.database.integrityCheck() == [], "SEED=\(seed)")
    }
  }

  @Test func `what another program stores is exported and imported as it is`() throws {
    let clock = TestClock("2031-01-01T12:00:00Z", Self.zones[0])
    for seed in Seeds.all(100, of: "odd values", perSoak: 0.2) {
      var items = RandomItems(seed: seed &+ 9_000_011)
      clock.set(Self.zones[Int(seed % 5)])
      let moment = clock.moment
      let source = try TodoStore.inMemory { moment }
      let other = try TodoStore.inMemory { moment }
      var batch = ImportBatch()
      for _ in 0..<(1 + items.below(3)) { batch.items.append(items.item(moment.zone)) }
      for index in batch.items.indices { batch.items[index].uuid = items.uuid() }
      guard Set(batch.items.compactMap(\.uuid)).count == batch.items.count else { continue }
      _ = try source.importItems(batch)
      let odd: [SQL] = [
        #"UPDATE item SET tags = json_insert(tags, '$[#]', '')"#, #"UPDATE item SET tags = '[""]'"#,
        #"UPDATE item SET tags = '[ ]'"#, #"UPDATE item SET tags = '[ "a" , "a", "\u0062"]'"#,
        #"UPDATE item SET tags = '[1, 2.50, null, "01", true]'"#, #"UPDATE item SET notes = '[ "", 7, null]'"#,
        #"UPDATE item SET notes = json_insert(notes, '$[#]', '')"#, #"UPDATE item SET title = char(9, 32)"#,
        #"UPDATE item SET title = 'a' || char(0) || 'b'"#,
        #"UPDATE OR IGNORE list SET name = ' ' WHERE id = 1"#,
        #"UPDATE OR IGNORE list SET name = char(10) WHERE id = 1"#,
        #"UPDATE list SET extra = '{"a":1,"a":{"b":1,"b":2}}'"#,
        #"UPDATE list SET extra = '{"x": 1e5}'"#, #"UPDATE list SET extra = '{ }'"#,
        #"UPDATE item SET extra = '{"a":1,"b":2,"a":{"b":1,"b":2}}'"#, #"UPDATE item SET extra = '{}'"#,
        #"UPDATE item SET extra = '{"extra":1,"extra":{"extra":2},"":0,"":1}'"#,
        #"UPDATE item SET extra = '{ "a" : 1}'"#,
        #"UPDATE item SET extra = '{"title":" ","uuid":"","title":"","todotxtPriority":"D","todotxtPriority":"E"}'"#,
      ]
      let chosen = (0..<(1 + items.below(3))).map { _ in items.pick(odd) }
      try source.database.write { connection in for statement in chosen { try connection.execute(statement) } }
      let what = "SEED=\(seed) \(chosen)"
      #expect(try source.doctor().allSatisfy(\.isWell), "\(what)")
      let file = try source.exported(as: .json)
      let again = try TransferFormat.json.read(file, at: moment)
      let text = "\(what) \(String(decoding: file.prefix(3000), as: UTF8.self).debugDescription)"
      try #require(try source.importDryRun(again).unchanged == batch.items.count, "\(text)")
      _ = try other.importItems(again)
      let there = try said(TransferFormat.json.read(other.exported(as: .json), at: moment), numbers: false)
      try expect(there, said(again, numbers: false), text)
      #expect(try other.doctor().allSatisfy(\.isWell), "\(what)")
      let lists: (TodoStore) throws -> [[UInt8]] = { store in
        try TransferFormat.json.read(store.exported(as: .json), at: moment).lists.map {
          Array("\($0.name) \(JSONValue.object($0.extra).text)".utf8)
        }
      }
      try expect(lists(other), lists(source), what)
    }
  }

  @Test func `a small and a large import accept the same`() throws {
    let clock = TestClock("2031-01-01T12:00:00Z", Self.zones[0])
    var stores: [TodoStore] = []
    for seed in Seeds.all(60, of: "imports", perSoak: 0.2) {
      if stores.isEmpty || seed % 20 == 0 { stores = try (0..<2).map { _ in try TodoStore.inMemory { clock.moment } } }
      var items = RandomItems(seed: seed)
      clock.set(Self.zones[Int(seed % 5)])
      var item = items.item(clock.moment.zone)
      // Values that no reader produces, but that a batch may contain.
      switch items.below(9) {
      case 0:
        item.anchor = items.pick([
          "2031-01-01T09:00", "rubbish", "", "2031-02-30", "2031-01-01[Europe/Berlin]", "2031-01-01T09:00:00[../x]",
          "2031-01-01T09:00:00[]", "2031-01-01T09:00:00[+1]",
        ])
      case 1: item.title = items.pick(["", " ", "\n\t"])
      case 2: item.tags.append(items.pick(["", "a\u{0}b"]))
      case 3: item.list = items.pick(["", " ", "a\u{0}b"])
      case 4: item.uuid = items.pick(["x", "0F8FAD5B-D9CB-469F-A165-70867728950E"])
      case 5: item.previous = "y"
      case 6: item.dueDay = items.day()
      case 7: item.completed = items.instant()
      default: item.id = items.pick([0, -1, .min, .max])
      }
      var outcomes: [Bool] = []
      for (store, count) in zip(stores, [0, 200]) {
        var batch = ImportBatch()
        batch.items = [item] + (0..<count).map { ImportedItem(title: "filler \($0)") }
        do {
          _ = try store.importItems(batch)
          outcomes.append(true)
        } catch {
          guard case .badData = error else { throw error }
          outcomes.append(false)
        }
        #expect(try store.database.integrityCheck() == [], "SEED=\(seed) \(item)")
        if outcomes.last == true { _ = try store.undo() }
      }
      #expect(outcomes[0] == outcomes[1], "SEED=\(seed) \(item)")
    }
  }
}

extension ImportedItem {
  /// As if a file did not name some fields.
  fileprivate mutating func leaveOut(_ fields: Set<Field>) {
    absent.formUnion(fields)
    for field in fields {
      switch field {
      case .tags: tags = []
      case .priority: priority = nil
      case .due: due = nil
      case .dueDay: dueDay = nil
      case .every: every = nil
      case .anchor: anchor = nil
      case .done: done = false
      case .created: created = nil
      case .completed: completed = nil
      case .started: started = nil
      case .notes: notes = []
      case .archived: archived = false
      case .wait: wait = nil
      case .extra: extra = JSONObject()
      }
    }
  }
}
