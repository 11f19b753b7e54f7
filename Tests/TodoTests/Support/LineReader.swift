import Testing
import TodoCore

/// A program that reads the lines of `todo watch` and keeps the list by them, as the contract describes them.
struct LineReader {
  struct Section: Equatable {
    var name: String
    var items: [JSONValue]
  }

  private(set) var revision: Int64
  private(set) var sections: [Section]

  /// Takes a document as `list --json` has it.
  init(_ document: String) throws {
    let object = try #require(try JSONValue.parse(Array(document.utf8)).object)
    #expect(object["schema"] == 1)
    revision = try #require(object["revision"]?.integer)
    sections = try #require(object["sections"]?.array).map { value in
      let section = try #require(value.object)
      return Section(name: section["name"]?.string ?? "", items: try #require(section["items"]?.array))
    }
  }

  private struct Place: Hashable {
    var section: Int
    var item: Int

    init(_ value: JSONValue?) throws {
      let object = try #require(value?.object)
      section = Int(try #require(object["section"]?.integer))
      item = Int(try #require(object["item"]?.integer))
    }
  }

  /// Applies a line: everything that is deleted is removed by its place before the line, everything new is inserted by
  /// its place after it.
  mutating func apply(_ line: String) throws {
    let object = try #require(try JSONValue.parse(Array(line.utf8)).object)
    revision = try #require(object["revision"]?.integer)
    let changes = try #require(object["changes"]?.array).map { try #require($0.object) }
    #expect(!changes.isEmpty)
    var kept: [[JSONValue?]] = sections.map { $0.items }
    var goneSections: Set<Int> = []
    var placed: [Int: (section: Section, rows: [JSONValue?])] = [:]
    var coming: [(to: Place, item: JSONValue)] = []
    for change in changes {
      let kind = try #require(change["change"]?.string)
      switch kind {
      case "delete":
        let from = try Place(change["from"])
        kept[from.section][from.item] = nil
      case "insert": coming.append((try Place(change["to"]), try #require(change["item"])))
      case "move", "update":
        let from = try Place(change["from"])
        let item = change["item"] ?? sections[from.section].items[from.item]
        kept[from.section][from.item] = nil
        coming.append((try Place(change["to"]), item))
      case "deleteSection": goneSections.insert(Int(try #require(change["from"]?.integer)))
      case "insertSection", "moveSection", "updateSection": break
      default: Issue.record("there is no change \(kind)")
      }
    }
    for change in changes {
      switch change["change"]?.string {
      case "insertSection":
        let section = try #require(change["section"]?.object)
        let items = try #require(section["items"]?.array)
        placed[Int(try #require(change["to"]?.integer))] = (
          Section(name: try #require(section["name"]?.string), items: items), items
        )
      case "moveSection":
        let from = Int(try #require(change["from"]?.integer))
        goneSections.insert(from)
        placed[Int(try #require(change["to"]?.integer))] = (sections[from], kept[from])
      default: break
      }
    }
    var rest = sections.indices.filter { !goneSections.contains($0) }.map { (sections[$0], kept[$0]) }[...]
    var result: [Section] = []
    for place in 0..<(rest.count + placed.count) {
      let (section, rows) = try #require(placed[place] ?? rest.popFirst())
      result.append(Section(name: section.name, items: rows.compactMap { $0 }))
    }
    for (to, item) in coming.sorted(by: { ($0.to.section, $0.to.item) < ($1.to.section, $1.to.item) }) {
      result[to.section].items.insert(item, at: to.item)
    }
    for change in changes where change["change"] == "updateSection" {
      let to = Int(try #require(change["to"]?.integer))
      result[to].name = try #require(change["section"]?.object?["name"]?.string)
    }
    sections = result
  }
}
