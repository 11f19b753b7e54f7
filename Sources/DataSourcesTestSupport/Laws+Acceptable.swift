public import DataSources

extension Laws {
  /// Checks that a list view would accept each stage of an update's `batches()`, and that they lead to the new list.
  ///
  /// ```swift
  /// #expect(Laws.acceptable(update) == [])
  /// ```
  public static func acceptable<Item: Identifiable & Equatable>(_ update: Update<Item>) -> [Violation] {
    acceptable(update, identifiedBy: { $0.id }, by: { $0 == $1 })
  }

  /// Checks the stages of an update. Functions give a row's identity, and say whether two rows have the same content.
  public static func acceptable<Item, ID: Hashable>(
    _ update: Update<Item>, identifiedBy id: (Item) -> ID, by haveEqualContent: (Item, Item) -> Bool
  ) -> [Violation] {
    acceptable(
      update.changes.batches(), from: update.old, to: update.new, identifiedBy: id, by: haveEqualContent)
  }

  /// Checks that a list view would accept some stages, and that they lead from one list to the other.
  ///
  /// The stages are applied to plain arrays as a view applies them: an inserted section contains the rows that it has
  /// in the new list, a deleted one those that it still has, and a row shows its old content until it is updated.
  public static func acceptable<Item, ID: Hashable>(
    _ stages: [Changes], from old: Snapshot<Item>, to new: Snapshot<Item>, identifiedBy id: (Item) -> ID,
    by haveEqualContent: (Item, Item) -> Bool
  ) -> [Violation] {
    let target = Model(new)
    var list = Model(old)
    let mayRepeat =
      Set(list.parts.flatMap { $0.rows.map(id) }).count < list.paths.count
      || Set(target.parts.flatMap { $0.rows.map(id) }).count < target.paths.count
    for (number, stage) in stages.enumerated() {
      var view = StageRules(stage: stage, number: number)
      view.checkPlaces()
      view.checkRange(list, target)
      guard view.violations.isEmpty, let next = view.apply(to: list, on: target) else { return view.violations }
      list = next
      if !mayRepeat, Set(list.parts.flatMap { $0.rows.map(id) }).count < list.paths.count {
        return [Violation(.acceptable, "a row stands twice", "after stage \(number)")]
      }
    }
    var violations: [Violation] = []
    if list.parts.map(\.id) != target.parts.map(\.id) {
      violations.append(Violation(.acceptable, "the stages end with other sections"))
    } else if list.parts.map({ $0.rows.map(id) }) != target.parts.map({ $0.rows.map(id) }) {
      violations.append(Violation(.acceptable, "the stages end with other rows"))
    } else {
      for section in list.parts.indices {
        if list.parts[section].titles != target.parts[section].titles {
          violations.append(Violation(.acceptable, "a section keeps its old titles", "section \(section)"))
        }
        for (row, other) in zip(list.parts[section].rows, target.parts[section].rows)
        where !haveEqualContent(row, other) {
          violations.append(Violation(.acceptable, "a row keeps its old content", "\(id(row))"))
        }
      }
    }
    return violations
  }
}

/// The rules for one stage, as a table view or collection view enforces them.
private struct StageRules {
  let stage: Changes
  let number: Int
  var violations: [Violation] = []

  init(stage: Changes, number: Int) {
    self.stage = stage
    self.number = number
  }

  mutating func report(_ rule: String, _ details: String = "") {
    violations.append(Violation(.acceptable, rule, "stage \(number)" + (details.isEmpty ? "" : ", \(details)")))
  }

  /// The checks that don't need the lists.
  mutating func checkPlaces() {
    if stage.isEmpty { report("an empty stage") }
    if !(stage.updatedItems.isEmpty && stage.updatedSections.isEmpty)
      && !(stage.movedItems.isEmpty && stage.movedSections.isEmpty)
    {
      report("updates beside moves")
    }
    disjoint(
      "sections that go", stage.deletedSections, stage.updatedSections.map(\.from), stage.movedSections.map(\.from))
    disjoint("sections that come", stage.insertedSections, stage.movedSections.map(\.to))
    disjoint("rows that go", stage.deletedItems, stage.updatedItems.map(\.from), stage.movedItems.map(\.from))
    disjoint("rows that come", stage.insertedItems, stage.movedItems.map(\.to))

    let leaving = Set(stage.deletedSections)
    let arriving = Set(stage.insertedSections)
    let movedFrom = Set(stage.movedSections.map(\.from))
    let movedTo = Set(stage.movedSections.map(\.to))
    let updatedFrom = Set(stage.updatedSections.map(\.from))
    let updatedTo = Set(stage.updatedSections.map(\.to))
    for path in stage.deletedItems + stage.updatedItems.map(\.from) + stage.movedItems.map(\.from) {
      if leaving.contains(path.section) { report("a row operation in a deleted section", "\(path)") }
      if movedFrom.contains(path.section) { report("a row operation in a moved section", "\(path)") }
      if updatedFrom.contains(path.section) { report("a row operation in an updated section", "\(path)") }
    }
    for path in stage.insertedItems + stage.updatedItems.map(\.to) + stage.movedItems.map(\.to) {
      if arriving.contains(path.section) { report("a row operation in an inserted section", "\(path)") }
      if movedTo.contains(path.section) { report("a row operation in a moved section", "\(path)") }
      if updatedTo.contains(path.section) { report("a row operation in an updated section", "\(path)") }
    }
  }

  private mutating func disjoint<Place: Hashable>(_ what: String, _ places: [Place]...) {
    if Set(places.joined()).count < places.joined().count { report("a place twice among \(what)") }
  }

  mutating func checkRange<Item>(_ before: Model<Item>, _ new: Model<Item>) {
    for section in stage.deletedSections + stage.movedSections.map(\.from) + stage.updatedSections.map(\.from)
    where !before.parts.indices.contains(section) {
      report("no such section before", "\(section)")
    }
    for path in stage.deletedItems + stage.movedItems.map(\.from) + stage.updatedItems.map(\.from)
    where !before.contains(path) {
      report("no such row before", "\(path)")
    }
    for section in stage.insertedSections where !new.parts.indices.contains(section) {
      report("no such section after", "\(section)")
    }
  }

  /// The list after the stage; nil if the counts do not add up.
  mutating func apply<Item>(to before: Model<Item>, on new: Model<Item>) -> Model<Item>? {
    var after = before
    var replay = Replay(law: .acceptable)
    let count = before.parts.count - stage.deletedSections.count + stage.insertedSections.count
    let arriving = stage.insertedSections + stage.movedSections.map(\.to)
    if let wrong = arriving.first(where: { $0 < 0 || $0 >= count }) {
      report("no such section after", "\(wrong)")
      return nil
    }
    let sections = replay.match(
      before.parts.indices, 0..<count, gone: stage.deletedSections, come: stage.insertedSections,
      moved: stage.movedSections.map { ($0.from, $0.to) })
    after.parts = (0..<count).map { index in sections[index].map { before.parts[$0] } ?? new.parts[index] }

    var origins: [ItemPath: ItemPath] = [:]
    for section in 0..<count {
      guard let from = sections[section] else { continue }
      let gone = (stage.deletedItems + stage.movedItems.map(\.from)).filter { $0.section == from }.map(\.item)
      let come = (stage.insertedItems + stage.movedItems.map(\.to)).filter { $0.section == section }.map(\.item)
      let size = before.parts[from].rows.count - gone.count + come.count
      if let wrong = come.first(where: { $0 < 0 || $0 >= size }) {
        report("the counts do not add up", "row \(wrong) of \(size) in section \(section)")
        return nil
      }
      let rows = replay.match(before.parts[from].rows.indices, 0..<size, gone: gone, come: come, moved: [])
      for (to, item) in rows {
        origins[ItemPath(section: section, item: to)] = ItemPath(section: from, item: item)
      }
      for move in stage.movedItems where move.to.section == section { origins[move.to] = move.from }
      var list: [Item] = []
      for item in 0..<size {
        let path = ItemPath(section: section, item: item)
        if let origin = origins[path] {
          list.append(before[origin])
        } else if new.contains(path) {
          list.append(new[path])
        } else {
          report("no such row after", "\(path)")
          return nil
        }
      }
      after.parts[section].rows = list
    }
    let strays = (stage.insertedItems + stage.movedItems.map(\.to)).filter { $0.section < 0 || $0.section >= count }
    if let stray = strays.first { report("no such section after", "row \(stray)") }
    for update in stage.updatedItems {
      if origins[update.to] != update.from || !new.contains(update.to) {
        report("an updated row is not the one", "\(update)")
      } else {
        after.parts[update.to.section].rows[update.to.item] = new[update.to]
      }
    }
    for update in stage.updatedSections {
      if sections[update.to] != update.from || !new.parts.indices.contains(update.to) {
        report("an updated section is not the one", "\(update)")
      } else {
        after.parts[update.to].titles = new.parts[update.to].titles
      }
    }
    violations += replay.violations
    return violations.isEmpty ? after : nil
  }
}
