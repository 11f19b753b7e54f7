public import DataSources

extension Laws {
  /// Checks that the changes of an update lead from its old list to its new one.
  ///
  /// ```swift
  /// #expect(Laws.replay(update) == [])
  /// ```
  public static func replay<Item: Identifiable & Equatable>(_ update: Update<Item>) -> [Violation] {
    replay(update, identifiedBy: { $0.id }, by: { $0 == $1 })
  }

  /// Checks that the changes of an update lead from its old list to its new one. Functions give a row's identity, and
  /// say whether two rows have the same content.
  public static func replay<Item, ID: Hashable>(
    _ update: Update<Item>, identifiedBy id: (Item) -> ID, by haveEqualContent: (Item, Item) -> Bool
  ) -> [Violation] {
    let old = Model(update.old)
    let new = Model(update.new)
    let changes = update.changes
    var replay = Replay(law: .replay)
    replay.checkOrder(changes)
    replay.checkRange(changes, old, new)
    if !replay.violations.isEmpty { return replay.violations }

    let sections = replay.match(
      old.parts.indices, new.parts.indices, gone: changes.deletedSections, come: changes.insertedSections,
      moved: changes.movedSections.map { ($0.from, $0.to) })
    if !replay.violations.isEmpty { return replay.violations }
    for (new_, old_) in sections.sorted(by: { $0.key < $1.key }) where old.parts[old_].id != new.parts[new_].id {
      replay.report("another section", "\(old.parts[old_].id) at \(old_) became \(new.parts[new_].id) at \(new_)")
    }
    let updatedSections = Dictionary(
      changes.updatedSections.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
    for (to, from) in updatedSections where sections[to] != from {
      replay.report("updated section is not the one", "\(from) → \(to)")
    }
    for (to, from) in sections where old.parts[from].titles != new.parts[to].titles && updatedSections[to] == nil {
      replay.report("a section's titles differ untold", "\(from) → \(to)")
    }

    var oldOfNew = Dictionary(
      changes.movedItems.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
    for section in new.parts.indices {
      let from = sections[section]
      let gone = from.map { from in
        changes.deletedItems.filter { $0.section == from }.map(\.item)
          + changes.movedItems.filter { $0.from.section == from }.map(\.from.item)
      }
      let come =
        changes.insertedItems.filter { $0.section == section }.map(\.item)
        + changes.movedItems.filter { $0.to.section == section }.map(\.to.item)
      let rows = replay.match(
        from.map { old.parts[$0].rows.indices } ?? 0..<0, new.parts[section].rows.indices, gone: gone ?? [],
        come: come, moved: [])
      for (to, item) in rows {
        oldOfNew[ItemPath(section: section, item: to)] = ItemPath(section: from ?? -1, item: item)
      }
    }
    for section in changes.deletedSections {
      let told = Set(
        (changes.deletedItems + changes.movedItems.map(\.from)).filter { $0.section == section }.map(\.item))
      if told.count != old.parts[section].rows.count {
        replay.report("rows of a deleted section are not told", "of section \(section)")
      }
    }
    if !replay.violations.isEmpty { return replay.violations }

    let updates = Dictionary(
      changes.updatedItems.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
    for (to, from) in updates where oldOfNew[to] != from {
      replay.report("updated row is not the one", "\(from) → \(to)")
    }
    for (to, from) in oldOfNew {
      if id(old[from]) != id(new[to]) {
        replay.report("another row", "\(id(old[from])) at \(from) became \(id(new[to])) at \(to)")
      } else if updates[to] == nil, !haveEqualContent(old[from], new[to]) {
        replay.report("a row's content differs untold", "\(from) → \(to)")
      }
    }
    return replay.violations
  }
}

/// The violations found so far while following places.
struct Replay {
  let law: Law
  var violations: [Violation] = []

  init(law: Law) { self.law = law }

  mutating func report(_ rule: String, _ details: String) {
    if violations.count < 8 { violations.append(Violation(law, rule, details)) }
  }

  /// Checks that every list of places is sorted, without duplicates.
  mutating func checkOrder(_ changes: Changes) {
    func isAscending<Place: Comparable>(_ places: [Place]) -> Bool { zip(places, places.dropFirst()).allSatisfy(<) }
    let parts: [(String, Bool)] = [
      ("deletedSections", isAscending(changes.deletedSections)),
      ("insertedSections", isAscending(changes.insertedSections)),
      ("movedSections", isAscending(changes.movedSections.map(\.to))),
      ("updatedSections", isAscending(changes.updatedSections.map(\.to))),
      ("deletedItems", isAscending(changes.deletedItems)),
      ("insertedItems", isAscending(changes.insertedItems)),
      ("movedItems", isAscending(changes.movedItems.map(\.to))),
      ("updatedItems", isAscending(changes.updatedItems.map(\.to))),
    ]
    for (name, isInOrder) in parts where !isInOrder { report("not ascending", name) }
  }

  /// Checks that every place is in its list.
  mutating func checkRange<Item>(_ changes: Changes, _ old: Model<Item>, _ new: Model<Item>) {
    let oldSections =
      changes.deletedSections + changes.movedSections.map(\.from) + changes.updatedSections.map(\.from)
    let newSections = changes.insertedSections + changes.movedSections.map(\.to) + changes.updatedSections.map(\.to)
    for section in oldSections where !old.parts.indices.contains(section) {
      report("out of the old list", "section \(section)")
    }
    for section in newSections where !new.parts.indices.contains(section) {
      report("out of the new list", "section \(section)")
    }
    let oldPaths = changes.deletedItems + changes.movedItems.map(\.from) + changes.updatedItems.map(\.from)
    let newPaths = changes.insertedItems + changes.movedItems.map(\.to) + changes.updatedItems.map(\.to)
    for path in oldPaths where !old.contains(path) { report("out of the old list", "row \(path)") }
    for path in newPaths where !new.contains(path) { report("out of the new list", "row \(path)") }
  }

  /// For each new place, the old one; unlisted elements keep their order.
  mutating func match(
    _ old: Range<Int>, _ new: Range<Int>, gone: [Int], come: [Int], moved: [(from: Int, to: Int)]
  ) -> [Int: Int] {
    let leaving = Set(gone + moved.map(\.from))
    let arriving = Set(come + moved.map(\.to))
    if leaving.count != gone.count + moved.count { report("gone twice", "\(gone), \(moved)") }
    if arriving.count != come.count + moved.count { report("come twice", "\(come), \(moved)") }
    let kept = old.filter { !leaving.contains($0) }
    let free = new.filter { !arriving.contains($0) }
    if kept.count != free.count {
      report("the counts do not add up", "\(kept.count) stay, but there are \(free.count) places for them")
      return [:]
    }
    var result = Dictionary(uniqueKeysWithValues: zip(free, kept))
    for move in moved { result[move.to] = move.from }
    return result
  }
}
