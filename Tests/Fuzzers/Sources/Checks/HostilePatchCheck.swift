import DataSources
import DataSourcesTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Patches that come from anywhere: each is refused, or leads to a list that is whole.
enum HostilePatchCheck {
  static func run(_ source: inout ByteSource) throws {
    let list = EditedList(&source).list
    var patch = Update(old: list, new: list, changes: Changes()).patch
    patch.changes = changes(&source)
    // Mostly as many rows and sections as are wanted, so that the places are looked at.
    let choice = source.byte()
    let spare = choice == 255 ? 1 : 0
    patch.insertedItems = patch.changes.insertedItems.map { Errand(id: Int64($0.item & 63), title: "new") }
    patch.updatedItems = (0..<patch.changes.updatedItems.count + spare).map { Errand(id: Int64($0), title: "other") }
    patch.insertedSections = patch.changes.insertedSections.map {
      Section(id: .integer(Int64($0)), name: "new", items: choice & 1 == 0 ? [] : [Errand(id: 99, title: "stowaway")])
    }
    patch.updatedSections = patch.changes.updatedSections.map { move in
      let id = list.indices.contains(move.from) ? list[move.from].id : .none
      return Section(id: id, name: "other", items: [])
    }
    try check(patch, on: list)
    // Only what was decoded can be reckoned with: its numbers have been looked at.
    let coded = try JSONEncoder().encode(patch.changes)
    if let changes = try? JSONDecoder().decode(Changes.self, from: coded) { use(changes) }
  }

  static func run(json: [UInt8]) throws {
    let data = Data(json)
    let decoder = JSONDecoder()
    if let changes = try? decoder.decode(Changes.self, from: data) {
      let again = try must("coding") { try decoder.decode(Changes.self, from: try JSONEncoder().encode(changes)) }
      try expect(again == changes, "\(changes) came back as \(again)")
      use(changes)
      do {
        let list = ErrandsAndCareer.list
        var patch = Update(old: list, new: list, changes: Changes()).patch
        patch.changes = changes
        patch.insertedItems = changes.insertedItems.map { _ in Errand(id: 7, title: "new") }
        patch.updatedItems = changes.updatedItems.map { _ in Errand(id: 7, title: "other") }
        patch.insertedSections = changes.insertedSections.map { _ in Section(id: "new", name: "", items: []) }
        try check(patch, on: list)
      }
    }
    if let list = try? decoder.decode(Snapshot<Errand>.self, from: data) {
      let again = try must("coding") { try decoder.decode(Snapshot<Errand>.self, from: try JSONEncoder().encode(list)) }
      try expect(again == list, "\(list) came back as \(again)")
      try ChangesCheck.expectNone(Laws.roundTrip(list), "decoded: \(list)")
    }
    if let update = try? decoder.decode(Update<Errand>.self, from: data) {
      let again = try must("coding") { try decoder.decode(Update<Errand>.self, from: try JSONEncoder().encode(update)) }
      try expect(again == update, "\(update) came back as \(again)")
      try ChangesCheck.expectNone(Laws.roundTrip(update.new), "decoded: \(update)")
    }
    if let patch = try? decoder.decode(Patch<Errand>.self, from: data) {
      try check(patch, on: ErrandsAndCareer.list)
      try check(patch, on: Snapshot())
    }
  }

  private static func check(_ patch: Patch<Errand>, on list: Snapshot<Errand>) throws {
    let result: Snapshot<Errand>
    do {
      result = try list.applying(patch)
    } catch {
      return try expect(!"\(error)".isEmpty, "an error without words")
    }
    let changes = patch.changes
    try expectSame(
      result.count, list.count - changes.deletedSections.count + changes.insertedSections.count, "sections: \(patch)")
    try expectSame(
      result.numberOfItems, list.numberOfItems - changes.deletedItems.count + changes.insertedItems.count,
      "rows: \(patch)")
    for (path, item) in zip(changes.insertedItems, patch.insertedItems) {
      try expect(result.item(at: path) == item, "another row at \(path): \(patch)")
    }
    for (move, item) in zip(changes.updatedItems, patch.updatedItems) {
      try expect(result.item(at: move.to) == item, "another row at \(move): \(patch)")
    }
    let updated = Set(changes.updatedItems.map(\.to))
    for move in changes.movedItems where !updated.contains(move.to) {
      try expect(result.item(at: move.to) == list[move.from], "another row at \(move): \(patch)")
    }
    try ChangesCheck.expectNone(Laws.roundTrip(result), "\(patch)")
    let found = Update(old: list, new: result)
    if !found.changes.isEmpty { try ChangesCheck.expectNone(Laws.replay(found), "\(patch)") }
  }

  /// Decoded changes can be computed with, whether or not they fit any list.
  private static func use(_ changes: Changes) {
    _ = changes.batches()
    _ = changes.inverse.appending(changes).batches()
    _ = changes.appending(changes).description
  }

  private static func changes(_ source: inout ByteSource) -> Changes {
    func number() -> Int {
      let choice = source.byte()
      return choice < 240 ? Int(choice) % 12 : [-1, Int.max, Int.min, 12, 100, Int(Int32.max) - 1][Int(choice) % 6]
    }
    func path() -> ItemPath { ItemPath(section: number(), item: number()) }
    func list<T>(_ make: () -> T) -> [T] { (0..<source.number(below: 5)).map { _ in make() } }
    // Mostly in order, as else nothing but that is found.
    let isSorted = source.byte() < 240
    func sorted<T: Comparable>(_ places: [T]) -> [T] { isSorted ? places.sorted() : places }
    func ordered<T>(_ moves: [T], _ isBefore: (T, T) -> Bool) -> [T] { isSorted ? moves.sorted(by: isBefore) : moves }
    return Changes(
      deletedSections: sorted(list(number)), insertedSections: sorted(list(number)),
      movedSections: ordered(list { SectionMove(from: number(), to: number()) }) { $0.to < $1.to },
      updatedSections: ordered(list { SectionMove(from: number(), to: number()) }) { $0.to < $1.to },
      deletedItems: sorted(list(path)), insertedItems: sorted(list(path)),
      movedItems: ordered(list { ItemMove(from: path(), to: path()) }) { $0.to < $1.to },
      updatedItems: ordered(list { ItemMove(from: path(), to: path()) }) { $0.to < $1.to })
  }
}
