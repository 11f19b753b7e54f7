import DataSources
import DataSourcesTestSupport
import TestSupport

extension SeededGenerator {
  /// A small list: some sections of a few ids, some rows of a few ids, in any order.
  mutating func list(sections: Int = 5, rows: Int = 12, mayRepeat: Bool = false) -> Snapshot<Row> {
    var names = Array(["A", "B", "C", "D", "E", "F", "G", "H"].prefix(sections)).shuffled(using: &self)
    names.removeLast(below(names.count + 1))
    if mayRepeat, let first = names.first, once(in: 3) { names.append(first) }
    var parts: [[Row]] = names.map { _ in [] }
    var ids = Array(0..<rows).shuffled(using: &self)
    ids.removeLast(below(rows + 1))
    if mayRepeat { for _ in 0..<below(4) { ids.append(below(rows)) } }
    if once(in: 2) { ids.sort() }
    for id in ids where !parts.isEmpty {
      let row = Row(id, once(in: 4) ? 1 : 0)
      parts[below(parts.count)].append(row)
    }
    return Snapshot(
      zip(names, parts).map { name, rows in
        Section(id: .text(name), name: once(in: 6) ? name + "!" : name, items: rows)
      })
  }

  /// Makes one of all possible edits of a list.
  mutating func edit(_ list: inout Snapshot<Row>, nextID: inout Int) {
    let place = list.isEmpty ? 0 : below(list.count)
    guard !list.isEmpty, !once(in: 12) else {
      let rows = (0..<below(4)).map { Row(nextID + $0) }
      nextID += rows.count + 1
      list.insertSection(
        Section(id: .integer(Int64(nextID)), name: "new \(nextID)", items: rows), at: below(list.count + 1))
      return
    }
    let path = list.numberOfItems == 0 ? nil : list.path(atOffset: below(list.numberOfItems))
    switch below(12) {
    case 0: list.removeSection(at: place)
    case 1: list.moveSection(from: place, to: below(list.count))
    case 2: list.updateSection(at: place) { $0.name += "'" }
    case 3, 4, 5:
      list.insert(Row(nextID), at: ItemPath(section: place, item: below(list[place].items.count + 1)))
      nextID += 1
    case 6, 7: if let path { list.remove(at: path) }
    case 8: if let path { list.replace(at: path, with: Row(list[path].id, list[path].version + 1)) }
    default:
      if let path {
        let room = list[place].items.count + (path.section == place ? 0 : 1)
        list.move(from: path, to: ItemPath(section: place, item: below(room)))
        if once(in: 3) {
          // Moved and changed at once.
          let id = list.items[below(list.numberOfItems)].id
          if let path = list.path(of: id) { list.replace(at: path, with: Row(id, 7)) }
        }
      }
    }
  }
}
