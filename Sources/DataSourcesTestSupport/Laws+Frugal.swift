public import DataSources

extension Laws {
  /// Checks that an update contains as little as possible: the fewest moves, and nothing that did not happen.
  ///
  /// ```swift
  /// #expect(Laws.frugal(update) == [])
  /// ```
  public static func frugal<Item: Identifiable & Equatable>(_ update: Update<Item>) -> [Violation] {
    frugal(update, identifiedBy: { $0.id }, by: { $0 == $1 })
  }

  /// Checks that an update contains as little as possible. Functions give a row's identity, and say whether two rows
  /// have the same content.
  ///
  /// This law does not check how repeated ids are paired: the fewest moves are those for the pairs that the changes
  /// chose.
  public static func frugal<Item, ID: Hashable>(
    _ update: Update<Item>, identifiedBy id: (Item) -> ID, by haveEqualContent: (Item, Item) -> Bool
  ) -> [Violation] {
    let old = Model(update.old)
    let new = Model(update.new)
    let changes = update.changes
    var violations: [Violation] = []
    if changes.isEmpty { violations.append(Violation(.frugal, "an update without changes")) }
    violations += frugalSections(changes, old, new)

    let oldIDs = counts(old.parts.flatMap { $0.rows.map(id) })
    let newIDs = counts(new.parts.flatMap { $0.rows.map(id) })
    for (row, count) in counts(changes.deletedItems.filter(old.contains).map { id(old[$0]) })
    where count > max(0, (oldIDs[row] ?? 0) - (newIDs[row] ?? 0)) {
      violations.append(Violation(.frugal, "a row that lives on is deleted", "\(row)"))
    }
    for (row, count) in counts(changes.insertedItems.filter(new.contains).map { id(new[$0]) })
    where count > max(0, (newIDs[row] ?? 0) - (oldIDs[row] ?? 0)) {
      violations.append(Violation(.frugal, "a row that was there is inserted", "\(row)"))
    }
    for update in changes.updatedItems
    where old.contains(update.from) && new.contains(update.to) && haveEqualContent(old[update.from], new[update.to]) {
      violations.append(Violation(.frugal, "a row that does not differ is updated", "\(update)"))
    }

    // The replay law checks changes that do not lead to the new list.
    var replay = Replay(law: .frugal)
    replay.checkRange(changes, old, new)
    let sections = replay.match(
      old.parts.indices, new.parts.indices, gone: changes.deletedSections, come: changes.insertedSections,
      moved: changes.movedSections.map { ($0.from, $0.to) })
    if !replay.violations.isEmpty { return violations }
    for (to, from) in sections {
      let moves = changes.movedItems.filter { $0.from.section == from && $0.to.section == to }
      let gone =
        changes.deletedItems.filter { $0.section == from }.map(\.item)
        + changes.movedItems.filter { $0.from.section == from && $0.to.section != to }.map(\.from.item)
      let come =
        changes.insertedItems.filter { $0.section == to }.map(\.item)
        + changes.movedItems.filter { $0.to.section == to && $0.from.section != from }.map(\.to.item)
      let rows = replay.match(
        old.parts[from].rows.indices, new.parts[to].rows.indices, gone: gone, come: come,
        moved: moves.map { ($0.from.item, $0.to.item) })
      let order = rows.sorted { $0.key < $1.key }.map(\.value)
      let least = order.count - longestAscent(order)
      if moves.count > least {
        violations.append(
          Violation(.frugal, "more moves than needed", "\(moves.count) instead of \(least) in section \(from) → \(to)"))
      }
    }
    return violations
  }

  private static func frugalSections<Item>(
    _ changes: Changes, _ old: Model<Item>, _ new: Model<Item>
  ) -> [Violation] {
    var violations: [Violation] = []
    let oldIDs = counts(old.parts.map(\.id))
    let newIDs = counts(new.parts.map(\.id))
    for (section, count) in counts(changes.deletedSections.filter(old.parts.indices.contains).map { old.parts[$0].id })
    where count > max(0, (oldIDs[section] ?? 0) - (newIDs[section] ?? 0)) {
      violations.append(Violation(.frugal, "a section that lives on is deleted", "\(section)"))
    }
    for (section, count) in counts(changes.insertedSections.filter(new.parts.indices.contains).map { new.parts[$0].id })
    where count > max(0, (newIDs[section] ?? 0) - (oldIDs[section] ?? 0)) {
      violations.append(Violation(.frugal, "a section that was there is inserted", "\(section)"))
    }
    for update in changes.updatedSections
    where old.parts.indices.contains(update.from) && new.parts.indices.contains(update.to)
      && old.parts[update.from].titles == new.parts[update.to].titles
    {
      violations.append(Violation(.frugal, "a section that does not differ is updated", "\(update)"))
    }
    var replay = Replay(law: .frugal)
    let sections = replay.match(
      old.parts.indices, new.parts.indices, gone: changes.deletedSections, come: changes.insertedSections,
      moved: changes.movedSections.map { ($0.from, $0.to) })
    let order = sections.sorted { $0.key < $1.key }.map(\.value)
    let least = order.count - longestAscent(order)
    if replay.violations.isEmpty, changes.movedSections.count > least {
      violations.append(
        Violation(.frugal, "more section moves than needed", "\(changes.movedSections.count) instead of \(least)"))
    }
    return violations
  }

  static func counts<Value: Hashable>(_ values: some Sequence<Value>) -> [Value: Int] {
    values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// The length of a longest ascending subsequence, by patience sorting.
  static func longestAscent(_ values: [Int]) -> Int {
    var piles: [Int] = []
    for value in values {
      var low = 0
      var high = piles.count
      while low < high {
        let middle = (low + high) / 2
        if piles[middle] < value { low = middle + 1 } else { high = middle }
      }
      if low == piles.count { piles.append(value) } else { piles[low] = value }
    }
    return piles.count
  }
}
