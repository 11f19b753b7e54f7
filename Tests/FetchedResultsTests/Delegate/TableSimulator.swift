import DataSourcesTestSupport
import FetchedResults

/// A table as strict as `UITableView`: it shows the old list, applies the delegate's calls as one batch, and must show
/// the new list afterwards.
///
/// It reads only the calls, never the `Changes` (except to know which moves are needed at all), and works on plain
/// arrays. Each of its cells always stands for the same row, and shows a content that only changes where the batch says
/// so. It requests a content only where a table would: for rows that are inserted, with their section or by themselves,
/// that move, and that are updated.
///
/// It returns nothing if all is well.
enum TableSimulator {
  static func violations<Item: Identifiable & Equatable>(
    of events: [DelegateEvent<Item>], in update: Update<Item>
  ) -> [Violation] {
    var table = Table(update)
    table.read(events)
    table.checkPlaces(update)
    if table.violations.isEmpty { table.checkCounts() }
    if table.violations.isEmpty { table.perform() }
    if table.violations.isEmpty { table.checkShown() }
    table.checkFrugal(events, update)
    return table.violations
  }
}

/// The table and what it was told.
private struct Table<Item: Identifiable & Equatable & Sendable> {
  struct Cell {
    let id: Item.ID
    var content: Item
  }

  struct Part {
    let id: SectionID
    var titles: [String?]
    var cells: [Cell]
  }

  typealias SectionCall = (section: Section<Item>, index: Int)
  typealias RowCall = (item: Item, at: ItemPath, to: ItemPath)

  private(set) var violations: [Violation] = []
  private var shown: [Part]
  private let new: [Part]
  private let newList: Snapshot<Item>
  private var sectionDeletes: [SectionCall] = []
  private var sectionInserts: [SectionCall] = []
  private var sectionUpdates: [SectionCall] = []
  private var deletes: [(item: Item, path: ItemPath)] = []
  private var inserts: [(item: Item, path: ItemPath)] = []
  private var moves: [RowCall] = []
  private var updates: [RowCall] = []

  init(_ update: Update<Item>) {
    shown = update.old.map(Self.part)
    new = update.new.map(Self.part)
    newList = update.new
  }

  private static func part(_ section: Section<Item>) -> Part {
    Part(
      id: section.id, titles: titles(section), cells: section.items.map { Cell(id: $0.id, content: $0) })
  }

  private static func titles(_ section: Section<Item>) -> [String?] {
    [section.name, section.indexTitle, section.header, section.footer]
  }

  private mutating func report(_ rule: String, _ details: String = "", _ law: Law = .acceptable) {
    violations.append(Violation(law, rule, details))
  }

  // MARK: Reading

  /// Sorts the calls by kind, and checks that each has the paths of its kind and that they come in the stated order.
  mutating func read(_ events: [DelegateEvent<Item>]) {
    // What the order is by: the kind, and the place among its kind.
    var keys: [[Int]] = []
    for event in events {
      switch event {
      case .section(let section, let index, let type):
        switch type {
        case .delete:
          sectionDeletes.append((section, index))
          keys.append([0, -index])
        case .insert:
          sectionInserts.append((section, index))
          keys.append([1, index])
        case .update:
          sectionUpdates.append((section, index))
          keys.append([2, index])
        case .move: report("a section moves", event.text)
        }
      case .object(let item, let at, let type, let to):
        switch (type, at, to) {
        case (.delete, let at?, nil):
          deletes.append((item, at))
          keys.append([3, -at.section, -at.item])
        case (.insert, nil, let to?):
          inserts.append((item, to))
          keys.append([4, to.section, to.item])
        case (.move, let at?, let to?):
          moves.append((item, at, to))
          keys.append([5, to.section, to.item])
        case (.update, let at?, let to?):
          updates.append((item, at, to))
          keys.append([6, to.section, to.item])
        default: report("the paths of another kind", event.text)
        }
      }
    }
    for (key, next) in zip(keys, keys.dropFirst()) where next.lexicographicallyPrecedes(key) {
      report("out of order", "\(next) after \(key)")
    }
  }

  // MARK: Rules

  private func contains(_ path: ItemPath, _ parts: [Part]) -> Bool {
    parts.indices.contains(path.section) && parts[path.section].cells.indices.contains(path.item)
  }

  /// Checks that all places are in their list, that no two calls use the same one, and that the item passed with a call
  /// is the one at its place.
  mutating func checkPlaces(_ update: Update<Item>) {
    for call in sectionDeletes + sectionUpdates where !shown.indices.contains(call.index) {
      report("no such section before", "\(call.index)")
    }
    for call in sectionInserts where !new.indices.contains(call.index) {
      report("no such section after", "\(call.index)")
    }
    let leaving = deletes.map(\.path) + moves.map(\.at) + updates.map(\.at)
    let arriving = inserts.map(\.path) + moves.map(\.to) + updates.map(\.to)
    for path in leaving where !contains(path, shown) { report("no such row before", "\(path)") }
    for path in arriving where !contains(path, new) { report("no such row after", "\(path)") }
    distinct("sections before", (sectionDeletes + sectionUpdates).map(\.index))
    distinct("sections after", sectionInserts.map(\.index))
    distinct("rows before", leaving)
    distinct("rows after", arriving)

    // A list may answer the update of a section by reloading it, which is a deletion and an insertion to it.
    let gone = Set(sectionDeletes.map(\.index))
    let come = Set(sectionInserts.map(\.index))
    let updatedBefore = Set(sectionUpdates.map(\.index))
    for path in leaving where gone.contains(path.section) { report("a row of a section that goes", "\(path)") }
    for path in arriving where come.contains(path.section) { report("a row of a section that comes", "\(path)") }
    for path in leaving where updatedBefore.contains(path.section) {
      report("a row of a section that is updated", "\(path)")
    }
    if !violations.isEmpty { return }

    for call in sectionDeletes where call.section != update.old[call.index] {
      report("not the section that went", "at \(call.index)")
    }
    for call in sectionInserts where call.section != update.new[call.index] {
      report("not the section that came", "at \(call.index)")
    }
    for row in deletes where row.item != update.old[row.path] { report("not the row that went", "at \(row.path)") }
    for row in inserts where row.item != update.new[row.path] { report("not the row that came", "at \(row.path)") }
    for row in moves + updates where row.item != update.new[row.to] {
      report("not the row as it is now", "at \(row.to)")
    }
    for row in moves + updates where shown[row.at.section].cells[row.at.item].id != row.item.id {
      report("not the row that stood there", "at \(row.at)")
    }
  }

  private mutating func distinct<Place: Hashable>(_ what: String, _ places: [Place]) {
    if Set(places).count < places.count { report("a place twice among \(what)", "\(places)") }
  }

  /// The old sections that stay and their new places, in order.
  private func staying() -> [(old: Int, new: Int)] {
    let gone = Set(sectionDeletes.map(\.index))
    let come = Set(sectionInserts.map(\.index))
    return Array(zip(shown.indices.filter { !gone.contains($0) }, new.indices.filter { !come.contains($0) }))
  }

  /// The check that is typical of `UITableView`: "the number of rows contained in an existing section after the update
  /// …".
  mutating func checkCounts() {
    guard shown.count - sectionDeletes.count + sectionInserts.count == new.count else {
      return report(
        "the number of sections does not add up",
        "\(shown.count) - \(sectionDeletes.count) + \(sectionInserts.count), not \(new.count)")
    }
    for section in staying() {
      let before = shown[section.old].cells.count
      let gone = (deletes.map(\.path) + moves.map(\.at)).count { $0.section == section.old }
      let come = (inserts.map(\.path) + moves.map(\.to)).count { $0.section == section.new }
      let after = new[section.new].cells.count
      if come > 0, sectionUpdates.contains(where: { $0.index == section.old }) {
        report("a row of a section that is updated", "\(come) that come to \(section.new)")
      }
      if before - gone + come != after {
        report("the number of rows does not add up", "\(before) - \(gone) + \(come), not \(after) in \(section)")
      }
    }
  }

  // MARK: The batch

  /// Carries all of it out at once.
  mutating func perform() {
    var origin: [ItemPath: ItemPath] = [:]
    var next = new.map { Part(id: $0.id, titles: $0.titles, cells: []) }
    for call in sectionInserts { next[call.index] = new[call.index] }
    let movedCells = Dictionary(
      moves.map { ($0.to, shown[$0.at.section].cells[$0.at.item]) }, uniquingKeysWith: { first, _ in first })
    for section in staying() {
      let gone = Set((deletes.map(\.path) + moves.map(\.at)).filter { $0.section == section.old }.map(\.item))
      var kept = shown[section.old].cells.indices.filter { !gone.contains($0) }[...]
      let come = Set(inserts.map(\.path).filter { $0.section == section.new }.map(\.item))
      next[section.new] = shown[section.old]
      next[section.new].cells = new[section.new].cells.indices.map { item in
        let path = ItemPath(section: section.new, item: item)
        if come.contains(item) { return new[section.new].cells[item] }
        if let cell = movedCells[path] { return cell }
        // The counts add up, so there is one left.
        let old = kept.removeFirst()
        origin[path] = ItemPath(section: section.old, item: old)
        return shown[section.old].cells[old]
      }
      if let call = sectionUpdates.first(where: { $0.index == section.old }) {
        next[section.new].titles = Self.titles(call.section)
        if call.section != newList[section.new] {
          report("not the section as it is now", "at \(section.new)")
        }
      }
    }
    for row in updates where origin[row.to] != row.at { report("an updated row is elsewhere", "\(row.at), \(row.to)") }
    for row in moves + updates { next[row.to.section].cells[row.to.item].content = row.item }
    shown = next
  }

  /// Checks that the screen shows the new list.
  mutating func checkShown() {
    for (section, (part, other)) in zip(shown, new).enumerated() {
      if part.id != other.id { report("another section is shown", "\(part.id) at \(section)", .replay) }
      if part.titles != other.titles { report("a section shows its old titles", "at \(section)", .replay) }
      for (item, (cell, wanted)) in zip(part.cells, other.cells).enumerated() {
        let place = "\(cell.content) at [\(section), \(item)]"
        if cell.id != wanted.id {
          report("another row is shown", place, .replay)
        } else if cell.content != wanted.content {
          report("a row shows its old content", place, .replay)
        }
      }
    }
  }

  // MARK: Frugality

  /// Checks that there are no unnecessary calls.
  mutating func checkFrugal(_ events: [DelegateEvent<Item>], _ update: Update<Item>) {
    if events.isEmpty != update.changes.isEmpty { report("no calls for changes, or calls for none", "", .frugal) }
    if Self.isFreeOfRepeats(update.old), Self.isFreeOfRepeats(update.new) {
      let moved = Set(update.changes.movedSections.map(\.from))
      for call in sectionDeletes where !moved.contains(call.index) {
        guard let next = update.new.first(where: { $0.id == call.section.id }) else { continue }
        // Only a section whose titles and rows differ both must be replaced.
        if Self.titles(next) == Self.titles(call.section) || next.items == call.section.items {
          report("a section goes and comes for nothing", "\(next.id)", .frugal)
        }
      }
      let coming = Set(inserts.map(\.item.id))
      for row in deletes where coming.contains(row.item.id) {
        report("a row goes and comes", "\(row.item.id)", .frugal)
      }
    }
    for call in sectionUpdates where update.old.indices.contains(call.index) {
      if Self.titles(call.section) == Self.titles(update.old[call.index]) {
        report("a section that does not differ is updated", "at \(call.index)", .frugal)
      }
    }
    for row in updates where update.old.item(at: row.at) == row.item {
      report("a row that does not differ is updated", "at \(row.at)", .frugal)
    }
    let needed = Set(update.changes.movedItems)
    for row in moves where !needed.contains(ItemMove(from: row.at, to: row.to)) {
      report("a move that need not be", "\(row.at), \(row.to)", .frugal)
    }
  }

  private static func isFreeOfRepeats(_ list: Snapshot<Item>) -> Bool {
    Set(list.map(\.id)).count == list.count && Set(list.items.map(\.id)).count == list.numberOfItems
  }
}
