import CAllocatedSize
import DataSources
import FetchedResultsSupport
import TerminalLists

/// A row as in an app: an id, a text, a flag.
private struct BenchRow: Identifiable, Equatable, Sendable {
  var id: Int64
  var title: String
  var done: Bool

  init(_ id: Int) {
    self.id = Int64(id)
    title = "Row \(id % 1000)"
    done = id.isMultiple(of: 3)
  }
}

/// An item that is only its id.
private struct Bare: Identifiable, Equatable, Sendable {
  var id: Int64
}

/// The lists: values and differences.
func listBenchmarks() -> [Benchmark] {
  [
    Benchmark("list.diff_near_vs_linear", "changes after 1 edit in 100,000 rows, by stdlib difference of the ids") {
      try differenceAfterOneEdit($0)
    },
    Benchmark("list.diff_unrelated_vs_hash", "changes of 100,000 unrelated rows, 1% edited, by one Dictionary of ids") {
      try differenceOfUnrelated($0)
    },
    Benchmark(
      "list.diff_insert_vs_update", "changes of 100,000 unrelated rows, one of them inserted, by one of them changed"
    ) {
      try differenceAfterInsertion($0)
    },
    Benchmark("list.diff_shuffle_vs_hash", "changes of 100,000 unrelated rows, 10% shuffled, by one Dictionary of ids")
    {
      try differenceOfShuffled($0)
    },
    Benchmark("list.build_vs_array", "building 1,000,000 rows in 100 sections, by [[Item]]") { try build($0) },
    Benchmark("list.edit_us_1m", "one move in 1,000,000 rows with the snapshot before kept") { try edit($0) },
    Benchmark("list.subscript_ns_1m", "a random subscript by path in 1,000,000 rows") { try subscripts($0) },
    Benchmark("list.subscript_vs_array", "the same, by the same rows at the same paths in [[Item]]") {
      try subscriptsByArrays($0)
    },
    Benchmark("list.bytes_per_row_1m", "memory above the items themselves, 1,000,000 Int64 ids") { try memory($0) },
    Benchmark("list.path_of_id_us_1m", "path(of:) after each edit of 1,000,000 rows") { try pathOfID($0) },
    Benchmark("list.diff_100x1000_us", "changes after 1 row changed in 100 sections of 1,000 rows, unrelated memory") {
      try differenceOfOneRow($0)
    },
    Benchmark("list.nan_vs_plain", "changes of 100,000 numbers, 1 changed, a tenth of them not a number, by none") {
      try differenceOfNaNs($0)
    },
    Benchmark(
      "list.terminal_400k_sections_ms", "a key press or a change in a table of 400,000 sections, the slowest kind"
    ) {
      try terminalTable($0)
    },
  ]
}

private func list<Item>(_ sections: Int, _ rows: Int, _ make: (Int) -> Item) -> Snapshot<Item> {
  Snapshot(
    (0..<sections).map { section in
      Section(
        id: .integer(Int64(section)), name: "Section \(section)",
        items: (0..<rows).map { make(section * rows + $0) })
    })
}

private func arrays<Item>(_ list: Snapshot<Item>) -> [[Item]] { list.map { Array($0.items) } }

private func list<Item>(_ arrays: [[Item]]) -> Snapshot<Item> {
  Snapshot(
    arrays.enumerated().map { Section(id: .integer(Int64($0.offset)), name: "Section \($0.offset)", items: $0.element) }
  )
}

/// Numbers that follow from the seed, so that each run measures the same.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64 = 42

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 33)
  }
}

private func differenceAfterOneEdit(_ context: BenchContext) throws -> Figure {
  let old = list(100, 1000, BenchRow.init)
  var new = old
  new.insert(BenchRow(1_000_000), at: ItemPath(section: 50, item: 500))
  let oldIDs = old.items.map(\.id)
  let newIDs = new.items.map(\.id)
  try context.check(
    new.changes(from: old) == Changes(insertedItems: [ItemPath(section: 50, item: 500)]), "the difference is wrong")
  let times = 1000
  let figure = try context.ratio {
    for _ in 0..<times {
      try context.check(new.changes(from: old).insertedItems.count == 1, "the difference is wrong")
    }
  } baseline: {
    try context.check(newIDs.difference(from: oldIDs).count == 1, "the baseline is wrong")
  }
  return .ratio(figure.value / Double(times))
}

/// One Dictionary of the old ids, in which each new one is looked up.
private func hashing(_ old: [Int64], _ new: [Int64]) -> Int {
  var places: [Int64: Int] = [:]
  places.reserveCapacity(old.count)
  for (index, id) in old.enumerated() { places[id] = index }
  var found = 0
  for id in new where places[id] != nil { found += 1 }
  return found
}

private func differenceAfterInsertion(_ context: BenchContext) throws -> Figure {
  let old = list(1, 100_000, BenchRow.init)
  var (inserted, changed) = (arrays(old), arrays(old))
  inserted[0].insert(BenchRow(1_000_000), at: 50_000)
  changed[0][50_000].title += "!"
  let (longer, other) = (list(inserted), list(changed))
  return try context.ratio {
    let changes = longer.changes(from: old)
    try context.check(changes.insertedItems == [ItemPath(section: 0, item: 50_000)], "not one insertion: \(changes)")
  } baseline: {
    let changes = other.changes(from: old)
    try context.check(changes.updatedItems.count == 1 && changes.insertedItems.isEmpty, "not one update: \(changes)")
  }
}

private func differenceOfUnrelated(_ context: BenchContext) throws -> Figure {
  let old = list(100, 1000, BenchRow.init)
  var rows = arrays(old)
  var random = Numbers()
  var updates = 0
  for edit in 0..<1000 {
    let section = Int.random(in: 0..<100, using: &random)
    let index = Int.random(in: 0..<rows[section].count, using: &random)
    switch edit % 4 {
    case 0: rows[section].insert(BenchRow(1_000_000 + edit), at: index)
    case 1: rows[section].remove(at: index)
    case 2:
      rows[section][index].title += "!"
      updates += 1
    default:
      let row = rows[section].remove(at: index)
      let other = Int.random(in: 0..<100, using: &random)
      rows[other].insert(row, at: Int.random(in: 0...rows[other].count, using: &random))
    }
  }
  let new = list(rows)
  let changes = new.changes(from: old)
  try context.check(
    changes.insertedItems.count - changes.deletedItems.count == new.numberOfItems - old.numberOfItems
      && changes.movedItems.count <= 250 && changes.updatedItems.count <= updates,
    "the difference is wrong: \(changes)")
  let oldIDs = old.items.map(\.id)
  let newIDs = new.items.map(\.id)
  let found = hashing(oldIDs, newIDs)
  return try context.ratio {
    try context.check(new.changes(from: old).movedItems.count == changes.movedItems.count, "another difference")
  } baseline: {
    try context.check(hashing(oldIDs, newIDs) == found, "the baseline is wrong")
  }
}

private func differenceOfShuffled(_ context: BenchContext) throws -> Figure {
  let old = list(1, 100_000, BenchRow.init)
  var rows = Array(old[0].items)
  var random = Numbers()
  let places = Array(rows.indices.shuffled(using: &random).prefix(10_000))
  let shuffled = places.shuffled(using: &random)
  for (place, other) in zip(places, shuffled) { rows[place] = old[0].items[other] }
  let new = list([rows])
  let oldIDs = old.items.map(\.id)
  let newIDs = new.items.map(\.id)
  let changes = new.changes(from: old)
  try context.check(
    changes.deletedItems.isEmpty && changes.insertedItems.isEmpty && changes.movedItems.count < 10_000
      && changes.movedItems.count > 9_000, "the difference is wrong: \(changes)")
  return try context.ratio {
    try context.check(new.changes(from: old).movedItems.count == changes.movedItems.count, "another difference")
  } baseline: {
    try context.check(hashing(oldIDs, newIDs) == 100_000, "the baseline is wrong")
  }
}

private func build(_ context: BenchContext) throws -> Figure {
  let source = arrays(list(100, 10_000, BenchRow.init))
  return try context.ratio {
    let built = Snapshot(
      source.enumerated().map { number, rows in
        Section(id: .integer(Int64(number)), name: "Section", items: rows.lazy.map { $0 })
      })
    try context.check(built.numberOfItems == 1_000_000, "rows are missing")
  } baseline: {
    let built = source.map { rows in Array(rows.lazy.map { $0 }) }
    try context.check(built.reduce(0) { $0 + $1.count } == 1_000_000, "rows are missing")
  }
}

private func edit(_ context: BenchContext) throws -> Figure {
  let start = list(100, 10_000, BenchRow.init)
  var random = Numbers()
  let moves = (0..<10_000).map { _ in
    (
      ItemPath(section: Int.random(in: 0..<100, using: &random), item: Int.random(in: 0..<9_000, using: &random)),
      ItemPath(section: Int.random(in: 0..<100, using: &random), item: Int.random(in: 0..<9_000, using: &random))
    )
  }
  let value = try context.median {
    var current = start
    var before = current
    let seconds = BenchContext.seconds {
      for (from, to) in moves {
        before = current
        current.move(from: from, to: to)
      }
    }
    try context.check(
      current.numberOfItems == 1_000_000 && !current.changes(from: before).isEmpty, "the edits are wrong")
    return seconds / Double(moves.count) * 1e6
  }
  return .microseconds(value)
}

private func million() -> Snapshot<Bare> { list(100, 10_000) { Bare(id: Int64($0)) } }

/// A million rows in 100 sections, and random paths in them.
private struct RandomReads {
  let list: Snapshot<Bare>
  let paths: [ItemPath]
  /// The sum of the ids at the paths.
  let sum: Int64

  init() {
    list = million()
    var random = Numbers()
    paths = (0..<200_000).map { _ in
      ItemPath(section: Int.random(in: 0..<100, using: &random), item: Int.random(in: 0..<10_000, using: &random))
    }
    sum = paths.reduce(Int64(0)) { $0 + Int64($1.section * 10_000 + $1.item) }
  }
}

private func subscripts(_ context: BenchContext) throws -> Figure {
  let reads = RandomReads()
  let (list, paths) = (reads.list, reads.paths)
  let value = try context.median {
    var found: Int64 = 0
    let seconds = BenchContext.seconds { for path in paths { found += list[path].id } }
    try context.check(found == reads.sum, "other rows were found")
    return seconds / Double(paths.count) * 1e9
  }
  return .nanoseconds(value)
}

private func subscriptsByArrays(_ context: BenchContext) throws -> Figure {
  let reads = RandomReads()
  let (list, paths) = (reads.list, reads.paths)
  let arrays = arrays(list)
  return try context.ratio {
    var found: Int64 = 0
    for path in paths { found += list[path].id }
    try context.check(found == reads.sum, "other rows were found")
  } baseline: {
    var found: Int64 = 0
    for path in paths { found += arrays[path.section][path.item].id }
    try context.check(found == reads.sum, "other rows were found in the arrays")
  }
}

private func memory(_ context: BenchContext) throws -> Figure {
  let list = Snapshot(
    (0..<100).map { section in
      Section(
        id: .integer(Int64(section)), name: "Section",
        items: (0..<10_000).map { Int64(section * 10_000 + $0) })
    })
  // The memory that the allocator reserved for each node, including the word before it that the allocator keeps for
  // itself.
  var bytes = 0
  list.tree.forEachNode { bytes += frc_allocated_size($0) + MemoryLayout<Int>.size }
  for section in list { section.items.tree.forEachNode { bytes += frc_allocated_size($0) + MemoryLayout<Int>.size } }
  try context.check(list.numberOfItems == 1_000_000 && bytes > 8_000_000, "nodes are missing")
  return .bytes(Double(bytes) / 1e6 - 8)
}

private func pathOfID(_ context: BenchContext) throws -> Figure {
  var current = list(100, 10_000, BenchRow.init)
  var random = Numbers()
  try context.check(current.path(of: 77) == ItemPath(section: 0, item: 77), "the path is wrong")
  let value = try context.median {
    var seconds = 0.0
    for _ in 0..<1000 {
      let from = ItemPath(
        section: Int.random(in: 0..<100, using: &random), item: Int.random(in: 0..<9_000, using: &random))
      let to = ItemPath(
        section: Int.random(in: 0..<100, using: &random), item: Int.random(in: 0..<9_000, using: &random))
      let id = current[from].id
      current.move(from: from, to: to)
      var found: ItemPath?
      seconds += BenchContext.seconds { found = current.path(of: id) }
      try context.check(found == to, "the path is wrong")
    }
    return seconds / 1000 * 1e6
  }
  return .microseconds(value)
}

private func differenceOfOneRow(_ context: BenchContext) throws -> Figure {
  let old = list(100, 1000, BenchRow.init)
  var rows = arrays(old)
  rows[50][500].title = "other"
  let new = list(rows)
  let value = try context.median {
    try BenchContext.seconds {
      try context.check(new.changes(from: old).updatedItems.count == 1, "the difference is wrong")
    }
  }
  return .microseconds(value * 1e6)
}

private func differenceOfNaNs(_ context: BenchContext) throws -> Figure {
  func lists(_ value: (Int) -> Double) -> (old: Snapshot<Double>, new: Snapshot<Double>) {
    var values = (0..<100_000).map(value)
    let old = list([values])
    values[50_001] = -1
    return (old, list([values]))
  }
  func difference(_ lists: (old: Snapshot<Double>, new: Snapshot<Double>)) throws {
    var draft = Draft(lists.old)
    draft.replace(with: lists.new)
    let changes = draft.update?.changes
    try context.check(
      changes?.insertedItems.count == 1 && changes?.deletedItems.count == 1 && changes?.movedItems.isEmpty == true,
      "the difference is wrong: \(String(describing: changes))")
  }
  let gaps = lists { $0.isMultiple(of: 10) ? .nan : Double($0) }
  let plain = lists { Double($0) }
  return try context.ratio(subject: { try difference(gaps) }, baseline: { try difference(plain) })
}

private func terminalTable(_ context: BenchContext) throws -> Figure {
  let count = 400_000
  // Sections with a header and no row, except the first, the last and every thousandth.
  let list = SectionController(
    sections: (0..<count).map { section in
      Section(
        id: .integer(Int64(section)), name: "Section",
        items: section.isMultiple(of: 1000) || section == count - 1 ? [BenchRow(section)] : [])
    })
  let table = TerminalTable(screen: TerminalScreen(size: TerminalSize(columns: 80, rows: 24)) { _ in })
  let adapter = ListAdapter(
    source: list, presenter: .configuring(TextCell.self) { $0.text = StyledText($1.title) }, host: table)
  var slowest: [String: [Double]] = [:]
  func measure(_ name: String, _ body: () -> Void) { slowest[name, default: []].append(BenchContext.seconds(body)) }
  for round in 0..<2 * context.rounds {
    measure("first") { table.selectFirst() }
    measure("down") { table.moveSelection(by: 1) }
    try context.check(table.selectedPath == ItemPath(section: 1000, item: 0), "another row is selected")
    measure("page") { table.moveSelection(byPages: 1) }
    measure("up") { table.moveSelection(by: -1) }
    measure("last") { table.selectLast() }
    measure("up from the end") { table.moveSelection(by: -1) }
    // Above the selection, and not visible.
    let section = 200_500
    var new = adapter.snapshot
    new.append(BenchRow(count + round), toSection: section)
    let path = ItemPath(section: section, item: new[section].items.count - 1)
    let update = Update(old: adapter.snapshot, new: new, changes: Changes(insertedItems: [path]))
    measure("change") { adapter.apply(update) }
    try context.check(
      table.selectedPath == ItemPath(section: count - 1000, item: 0), "another row is selected after the change")
  }
  return .milliseconds((slowest.values.map(BenchContext.median).max() ?? 0) * 1000)
}
