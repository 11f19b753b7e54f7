/// Checks whether changes from an unknown source fit a list. Numbers are compared before they are used.
struct PatchCheck {
  let changes: Changes
  let numberOfSections: Int
  private let newNumberOfSections: Int
  private let numbering: ItemNumbering

  init(changes: Changes, numberOfSections: Int) {
    self.changes = changes
    self.numberOfSections = numberOfSections
    newNumberOfSections = numberOfSections - changes.deletedSections.count + changes.insertedSections.count
    numbering = ItemNumbering(changes)
  }

  func checkSections() throws {
    try checkAscending(changes.deletedSections, "deletedSections")
    try checkAscending(changes.insertedSections, "insertedSections")
    try checkAscending(changes.movedSections.map(\.to), "movedSections")
    try checkAscending(changes.updatedSections.map(\.to), "updatedSections")
    let leaving = changes.deletedSections + changes.movedSections.map(\.from)
    let arriving = changes.insertedSections + changes.movedSections.map(\.to)
    for section in leaving + changes.updatedSections.map(\.from) where section < 0 || section >= numberOfSections {
      throw PatchError("there is no section \(section)")
    }
    for section in arriving + changes.updatedSections.map(\.to) where section < 0 || section >= newNumberOfSections {
      throw PatchError("there is no section \(section)")
    }
    if let section = firstTwice(leaving) ?? firstTwice(arriving) {
      throw PatchError("section \(section) is deleted or inserted twice")
    }
    for update in changes.updatedSections where numbering.sections.newIndex(of: update.from) != update.to {
      throw PatchError("\(update) pairs two different sections")
    }
  }

  mutating func checkItems(count: (_ section: Int) -> Int) throws {
    try checkAscending(changes.deletedItems, "deletedItems")
    try checkAscending(changes.insertedItems, "insertedItems")
    try checkAscending(changes.movedItems.map(\.to), "movedItems")
    try checkAscending(changes.updatedItems.map(\.to), "updatedItems")
    let leaving = changes.deletedItems + changes.movedItems.map(\.from)
    let arriving = changes.insertedItems + changes.movedItems.map(\.to)
    for path in leaving + changes.updatedItems.map(\.from)
    where path.section < 0 || path.section >= numberOfSections || path.item < 0 || path.item >= count(path.section) {
      throw PatchError("there is no row \(path)")
    }
    if let path = firstTwice(leaving) ?? firstTwice(arriving) {
      throw PatchError("row \(path) is deleted or inserted twice")
    }
    let left = leaving.reduce(into: [:]) { $0[$1.section, default: 0] += 1 }
    for section in changes.deletedSections where left[section, default: 0] != count(section) {
      throw PatchError("section \(section) is deleted, but not all of its rows are listed")
    }
    let arrived = arriving.reduce(into: [:]) { $0[$1.section, default: 0] += 1 }
    for path in arriving + changes.updatedItems.map(\.to) {
      guard path.section >= 0, path.section < newNumberOfSections, path.item >= 0 else {
        throw PatchError("there is no row \(path)")
      }
      let before = numbering.sections.oldIndex(of: path.section)
      let stayed = before.map { count($0) - left[$0, default: 0] } ?? 0
      if path.item >= stayed + arrived[path.section, default: 0] { throw PatchError("there is no row \(path)") }
    }
    for update in changes.updatedItems where numbering.newPath(of: update.from) != update.to {
      throw PatchError("\(update) pairs two different rows")
    }
  }

  private func checkAscending<Place: Comparable>(_ places: [Place], _ part: String) throws {
    for (place, next) in zip(places, places.dropFirst()) where place >= next {
      throw PatchError("\(part) is not ascending")
    }
  }

  private func firstTwice<Place: Hashable>(_ places: [Place]) -> Place? {
    var seen: Set<Place> = []
    return places.first { !seen.insert($0).inserted }
  }
}
