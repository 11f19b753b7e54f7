import DataSources
import DataSourcesTestSupport

/// A snapshot, and what it should hold as plain arrays.
struct EditedList: CustomStringConvertible {
  private(set) var list: Snapshot<Errand>
  private var parts: [(id: SectionID, name: String, rows: [Errand])]

  /// A list of sections and rows whose ids may occur twice.
  init(_ source: inout ByteSource) {
    parts = (0..<source.number(below: 7)).map { _ in
      let (id, name) = Self.title(&source)
      // Also long ones, whose rows are on several nodes of the tree.
      let count = source.number(below: 4) == 0 ? Int(source.byte()) : source.number(below: 12)
      return (id, name, (0..<count).map { _ in Self.errand(&source) })
    }
    list = Snapshot(parts.map { Section(id: $0.id, name: $0.name, items: $0.rows) })
  }

  private static func title(_ source: inout ByteSource) -> (SectionID, String) {
    let choice = source.byte()
    let name = ["A", "B", "ß", ""][Int(choice >> 6)]
    switch choice & 7 {
    case 0: return (.none, name)
    case 1: return (.integer(Int64(choice >> 3 & 3)), name)
    case 2: return (.real(choice & 8 == 0 ? .nan : -0.0), name)
    case 3: return (.blob([choice >> 3 & 3]), name)
    default: return (.text(String(choice >> 3 & 7)), name)
    }
  }

  private static func errand(_ source: inout ByteSource) -> Errand {
    let choice = source.byte()
    return Errand(id: Int64(choice & 31), title: choice & 32 == 0 ? "" : "é", isDone: choice & 64 != 0)
  }

  /// The list after some edits, each made in both.
  func edited(_ source: inout ByteSource) throws -> EditedList {
    var copy = self
    for _ in 0..<source.number(below: 24) { copy.edit(&source) }
    try copy.check()
    return copy
  }

  private mutating func edit(_ source: inout ByteSource) {
    let choice = source.number(below: 10)
    if parts.isEmpty || choice == 0 {
      let (id, name) = Self.title(&source)
      let index = source.number(below: parts.count + 1)
      parts.insert((id, name, []), at: index)
      return list.insertSection(Section(id: id, name: name, items: []), at: index)
    }
    let section = source.number(below: parts.count)
    let count = parts[section].rows.count
    switch choice {
    case 1:
      parts.remove(at: section)
      list.removeSection(at: section)
    case 2:
      let target = source.number(below: parts.count)
      parts.insert(parts.remove(at: section), at: target)
      list.moveSection(from: section, to: target)
    case 3:
      parts[section].name = Self.title(&source).1
      list.updateSection(at: section) { [name = parts[section].name] in $0.name = name }
    case 4, 5:
      let place = source.number(below: count + 1)
      let errands = (0..<source.number(below: 70)).map { _ in Self.errand(&source) }
      parts[section].rows.insert(contentsOf: errands, at: place)
      list.insert(contentsOf: errands, at: ItemPath(section: section, item: place))
    case 6 where count > 0:
      for _ in 0..<min(count, source.number(below: 40)) {
        let place = source.number(below: parts[section].rows.count)
        parts[section].rows.remove(at: place)
        list.remove(at: ItemPath(section: section, item: place))
      }
    case 7 where count > 0:
      let place = source.number(below: count)
      let errand = Self.errand(&source)
      parts[section].rows[place] = errand
      list.replace(at: ItemPath(section: section, item: place), with: errand)
    case 8 where count > 0: move(section, source.number(below: count), &source)
    default: break
    }
  }

  private mutating func move(_ section: Int, _ place: Int, _ source: inout ByteSource) {
    let errand = parts[section].rows.remove(at: place)
    let target = source.number(below: parts.count)
    let behind = source.number(below: parts[target].rows.count + 1)
    parts[target].rows.insert(errand, at: behind)
    list.move(from: ItemPath(section: section, item: place), to: ItemPath(section: target, item: behind))
  }

  /// Whether both hold the same.
  func check() throws {
    let found = list.map { ($0.id, $0.name, Array($0.items)) }
    try expect(found.elementsEqual(parts) { $0.0 == $1.id && $0.1 == $1.name && $0.2 == $1.rows }, "not \(self)")
    try ChangesCheck.expectNone(Laws.roundTrip(list), "\(self)")
  }

  var description: String {
    "["
      + parts.map { "\($0.id) \($0.name): \($0.rows.map { "\($0.id)\($0.title)\($0.isDone ? "x" : "")" })" }
      .joined(separator: "; ") + "]"
  }
}
