public import DataSources

extension Laws {
  /// Checks that a list's paths, items, ids and counts agree.
  public static func roundTrip<Item: Identifiable>(_ snapshot: Snapshot<Item>) -> [Violation] {
    var violations = roundTrip(snapshot, identifiedBy: { $0.id })
    var seen: Set<Item.ID> = []
    for path in snapshot.paths {
      let id = snapshot[path].id
      // Of several rows with the same id, the first is found.
      if seen.insert(id).inserted, let found = snapshot.path(of: id), found == path { continue }
      if seen.contains(id), let found = snapshot.path(of: id), found < path, snapshot[found].id == id { continue }
      violations.append(
        Violation(
          .roundTrip, "the path of an id is another",
          "\(id) at \(path), found at \(String(describing: snapshot.path(of: id)))"))
    }
    return violations
  }

  /// Checks that a list's paths, items and counts agree, where a function tells what makes a row the same row.
  public static func roundTrip<Item, ID: Hashable>(
    _ snapshot: Snapshot<Item>, identifiedBy id: (Item) -> ID
  ) -> [Violation] {
    let model = Model(snapshot)
    var violations: [Violation] = []
    func expect(_ condition: Bool, _ rule: String, _ details: @autoclosure () -> String = "") {
      if !condition, violations.count < 8 { violations.append(Violation(.roundTrip, rule, details())) }
    }
    let paths = model.paths
    let ids = paths.map { id(model[$0]) }
    expect(snapshot.count == model.parts.count, "the number of sections is another")
    expect(snapshot.numberOfItems == paths.count, "the number of rows is another")
    expect(Array(snapshot.paths) == paths, "walking the paths gives others")
    expect(snapshot.paths.map { id(snapshot[$0]) } == ids, "walking the paths gives other rows")
    expect(snapshot.items.map(id) == ids, "the flat rows are others")
    expect(snapshot.items.count == paths.count && snapshot.paths.count == paths.count, "a flat count is another")
    for (offset, path) in paths.enumerated() {
      expect(snapshot.item(at: path).map(id) == ids[offset], "the row at a path is another", "\(path)")
      expect(snapshot.path(atOffset: offset) == path, "the path at an offset is another", "\(offset)")
      expect(snapshot.offset(of: path) == offset, "the offset of a path is another", "\(path)")
      expect(id(snapshot.items[offset]) == ids[offset], "the row at an offset is another", "\(offset)")
    }
    for (index, part) in model.parts.enumerated() {
      expect(snapshot[index].items.count == part.rows.count, "a section's count is another", "section \(index)")
      for item in [-1, part.rows.count] {
        let path = ItemPath(section: index, item: item)
        expect(snapshot.item(at: path) == nil, "a row where there is none", "\(path)")
        expect(snapshot.offset(of: path) == nil, "an offset where there is none", "\(path)")
      }
    }
    for section in [-1, model.parts.count] {
      let path = ItemPath(section: section, item: 0)
      expect(snapshot.item(at: path) == nil, "a row where there is none", "\(path)")
    }
    for offset in [-1, paths.count] {
      expect(snapshot.path(atOffset: offset) == nil, "a path where there is none", "\(offset)")
    }
    return violations
  }
}
