import DataSources
import Testing

/// Editing a place that doesn't exist stops the program, with a message that names the place.
@Suite struct RefusalTests {
  static func refuses(_ message: String, _ result: ExitTest.Result?) -> Bool {
    result.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(message) } ?? false
  }

  @Test func `appending to a section that is not there`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1]).append(2, toSection: 7)
    }
    #expect(Self.refuses("section 7 is not there: there are 1 sections", result))
  }

  @Test func `editing inside an edit`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let list = SectionController([1])
      list.edit { _ in list.append(2, toSection: 0) }
    }
    #expect(Self.refuses("an edit cannot begin inside another edit of the same list", result))
  }

  @Test func `appending to a negative section`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1]).append(2, toSection: -1)
    }
    #expect(Self.refuses("section -1 is not there", result))
  }

  @Test func `removing a row that is not there`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1]).remove(at: ItemPath(section: 0, item: 1))
    }
    #expect(Self.refuses("path [0, 1] is not there: section 0 has 1 rows", result))
  }

  @Test func `inserting beyond the end`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1]).insert(2, at: ItemPath(section: 0, item: 2))
    }
    #expect(Self.refuses("a row cannot be inserted at [0, 2]: section 0 has 1 rows", result))
  }

  @Test func `updating a negative row`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1]).update(2, at: ItemPath(section: 0, item: -1))
    }
    #expect(Self.refuses("path [0, -1] is not there", result))
  }

  @Test func `moving a row beyond the others`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1, 2]).move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 2))
    }
    #expect(Self.refuses("a row cannot move to [0, 2]: section 0 has 1 other rows", result))
  }

  @Test func `moving a section that is not there`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1, 2]).moveSection(from: 0, to: 1)
    }
    #expect(Self.refuses("section 1 is not there", result))
  }

  @Test func `clearing a section that is not there`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController<Int>().clear(section: 0)
    }
    #expect(Self.refuses("section 0 is not there: there are 0 sections", result))
  }

  @Test func `removing a negative section`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1]).removeSection(at: -1)
    }
    #expect(Self.refuses("section -1 is not there", result))
  }

  @Test func `inserting a section beyond the end`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SectionController([1]).insertSection(Section(id: 1, name: "", items: []), at: 2)
    }
    #expect(Self.refuses("a section cannot be inserted at 2", result))
  }
}
