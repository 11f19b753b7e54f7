import DataSources

extension DataSourceConformance {
  /// The list is the one that the source was changed to, and every way of reading it gives the same result.
  func oracle(_ source: Source, _ list: Snapshot<Errand>) -> [Violation] {
    let expected = list.map(SampleSection.init)
    let snapshot = source.snapshot
    guard contents(snapshot) == expected else {
      return [
        Violation(.replay, "the list is not the one it was changed to", "\(contents(snapshot)) for \(expected)")
      ]
    }
    var violations = Laws.roundTrip(snapshot, identifiedBy: { read($0).id })
    func expect(_ condition: Bool, _ rule: String) {
      if !condition { violations.append(Violation(.roundTrip, rule)) }
    }
    expect(source.numberOfSections == expected.count, "the number of sections is another")
    expect(source.numberOfItems == expected.reduce(0) { $0 + $1.rows.count }, "the number of rows is another")
    for (section, part) in expected.enumerated() {
      expect(source.numberOfItems(inSection: section) == part.rows.count, "a section's number of rows is another")
      expect(source.title(ofSection: section) == part.name, "a section's title is another")
      for (item, row) in part.rows.enumerated() {
        expect(source.item(at: ItemPath(section: section, item: item)).map(read) == row, "the row at a path is another")
      }
      let beyond = ItemPath(section: section, item: part.rows.count)
      expect(source.item(at: beyond) == nil, "there is a row at an invalid path")
    }
    for section in [-1, expected.count, .max, .min] {
      expect(source.numberOfItems(inSection: section) == nil, "a section that does not exist has a number of rows")
      expect(source.title(ofSection: section) == nil, "a section that does not exist has a title")
      expect(source.item(at: ItemPath(section: section, item: 0)) == nil, "there is a row at an invalid path")
    }
    return violations
  }

  /// A failed change leaves the list and the readers as they were.
  func failing() async throws -> [Violation] {
    guard let fail else { return [] }
    let source = try await make(start)
    let before = contents(source.snapshot)
    let recorder = UpdateRecorder(source.updates())
    await fail(source)
    var violations: [Violation] = []
    if contents(source.snapshot) != before { violations.append(Violation(.replay, "what fails changes the list")) }
    // The next update must be that of the next change, which starts from the list before.
    var random = SeededGenerator(seed: 5)
    var next = start
    while next.map(SampleSection.init) == before {
      next = ErrandsAndCareer.changed(start, within: shapes, using: &random)
    }
    try await change(source, next)
    let last = contents(source.snapshot)
    _ = await recorder.waits(patience) {
      contents($0.updates.last?.new ?? source.snapshot) == last && !$0.updates.isEmpty
    }
    if recorder.updates.count != 1 || contents(recorder.updates[0].old) != before {
      violations.append(Violation(.chain, "what fails is told"))
    }
    return violations
  }

  /// Readers do not keep the source alive, and end with it.
  func ending() async throws -> [Violation] {
    let recorder = UpdateRecorder(try await make(start).updates())
    if await recorder.waits(patience, for: { $0.hasEnded }) { return [] }
    return [Violation(.chain, "a reader outlives its source", "or keeps it alive")]
  }
}
