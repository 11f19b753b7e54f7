public import DataSources

extension Laws {
  /// Checks that a list's paths, items, ids and counts agree. Of several rows with the same id, the first is found.
  ///
  /// ```swift
  /// #expect(Laws.roundTrip(errands.snapshot) == [])
  /// ```
  public static func roundTrip<Item: Identifiable>(_ snapshot: Snapshot<Item>) -> [Violation] {
    var answers = ListAnswers(snapshot, identifiedBy: { $0.id })
    answers.pathOfID = { snapshot.path(of: $0) }
    return roundTrip(answers, Model(snapshot), identifiedBy: { $0.id })
  }

  /// Checks that a list's paths, items and counts agree. A function gives a row's identity.
  public static func roundTrip<Item, ID: Hashable>(
    _ snapshot: Snapshot<Item>, identifiedBy id: (Item) -> ID
  ) -> [Violation] {
    withoutActuallyEscaping(id) { id in
      roundTrip(ListAnswers(snapshot, identifiedBy: id), Model(snapshot), identifiedBy: id)
    }
  }

  /// Checks a list's answers against its content, given as the rows of each section.
  package static func roundTrip<ID: Hashable>(_ answers: ListAnswers<ID>, _ sections: [[ID]]) -> [Violation] {
    let paths = sections.indices.flatMap { section in
      sections[section].indices.map { ItemPath(section: section, item: $0) }
    }
    let ids = paths.map { sections[$0.section][$0.item] }
    var violations: [Violation] = []
    func expect(_ condition: Bool, _ rule: String, _ details: @autoclosure () -> String = "") {
      if !condition, violations.count < 8 { violations.append(Violation(.roundTrip, rule, details())) }
    }
    expect(answers.numberOfSections == sections.count, "the number of sections is another")
    expect(answers.numberOfItems == paths.count, "the number of rows is another")
    expect(answers.paths == paths, "walking the paths gives others")
    expect(answers.items == ids, "walking the rows gives others")
    var firsts: [ID: ItemPath] = [:]
    for (offset, path) in paths.enumerated() {
      let id = ids[offset]
      let first = firsts[id] ?? path
      firsts[id] = first
      expect(answers.itemAtPath(path) == id, "the row at a path is another", "\(path)")
      expect(answers.pathAtOffset(offset) == path, "the path at an offset is another", "\(offset)")
      expect(answers.offsetOfPath(path) == offset, "the offset of a path is another", "\(path)")
      expect(answers.itemAtOffset(offset) == id, "the row at an offset is another", "\(offset)")
      if let pathOfID = answers.pathOfID {
        let found = pathOfID(id)
        expect(found == first, "the path of an id is another", "\(id) at \(first), found at \(found as Any)")
      }
    }
    for (section, rows) in sections.enumerated() {
      expect(answers.numberOfItemsInSection(section) == rows.count, "a section's count is another", "\(section)")
    }
    let outside =
      sections.enumerated().flatMap { section, rows in
        [ItemPath(section: section, item: -1), ItemPath(section: section, item: rows.count)]
      } + [ItemPath(section: -1, item: 0), ItemPath(section: sections.count, item: 0)]
    for path in outside {
      expect(answers.itemAtPath(path) == nil, "a row at an invalid path", "\(path)")
      expect(answers.offsetOfPath(path) == nil, "an offset for an invalid path", "\(path)")
    }
    for offset in [-1, paths.count] {
      expect(answers.pathAtOffset(offset) == nil, "a path for an invalid offset", "\(offset)")
    }
    return violations
  }

  private static func roundTrip<Item, ID: Hashable>(
    _ answers: ListAnswers<ID>, _ model: Model<Item>, identifiedBy id: (Item) -> ID
  ) -> [Violation] {
    roundTrip(answers, model.parts.map { $0.rows.map(id) })
  }
}

/// A list's answers about itself, by ids. A test can replace any answer with a wrong one.
package struct ListAnswers<ID: Hashable> {
  package var numberOfSections: Int
  package var numberOfItems: Int
  package var paths: [ItemPath]
  package var items: [ID]
  package var numberOfItemsInSection: (Int) -> Int
  package var itemAtPath: (ItemPath) -> ID?
  package var itemAtOffset: (Int) -> ID
  package var pathAtOffset: (Int) -> ItemPath?
  package var offsetOfPath: (ItemPath) -> Int?
  /// Nil for a list whose rows have no ids.
  package var pathOfID: ((ID) -> ItemPath?)?

  package init<Item>(_ snapshot: Snapshot<Item>, identifiedBy id: @escaping (Item) -> ID) {
    numberOfSections = snapshot.count
    numberOfItems = snapshot.numberOfItems
    paths = Array(snapshot.paths)
    items = snapshot.items.map(id)
    numberOfItemsInSection = { snapshot[$0].items.count }
    itemAtPath = { path in
      // The subscript is called wherever it does not trap.
      snapshot.item(at: path).map { id($0) == id(snapshot[path]) ? id($0) : nil } ?? nil
    }
    itemAtOffset = { id(snapshot.items[$0]) }
    pathAtOffset = { snapshot.path(atOffset: $0) }
    offsetOfPath = { snapshot.offset(of: $0) }
  }
}
