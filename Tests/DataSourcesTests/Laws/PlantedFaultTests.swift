import DataSources
import DataSourcesTestSupport
import Testing

/// Each rule of each checker finds a fault that was planted for it.
@Suite struct PlantedFaultTests {
  private let old = Snapshot(["A": [1, 2, 3], "B": [4], "C": [5, 6]])

  private func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }
  private func move(_ from: ItemPath, _ to: ItemPath) -> ItemMove { ItemMove(from: from, to: to) }
  private func rules(_ violations: [Violation]) -> Set<String> { Set(violations.map(\.rule)) }

  // MARK: Replay

  @Test(arguments: [
    ("not ascending", Changes(deletedItems: [ItemPath(section: 0, item: 1), ItemPath(section: 0, item: 0)])),
    ("out of the old list", Changes(deletedItems: [ItemPath(section: 0, item: 9)])),
    ("out of the old list", Changes(deletedSections: [3])),
    ("out of the new list", Changes(insertedItems: [ItemPath(section: 7, item: 0)])),
    ("out of the new list", Changes(insertedSections: [-1])),
    (
      "gone twice",
      Changes(
        deletedSections: [0], insertedSections: [0], movedSections: [SectionMove(from: 0, to: 1)])
    ),
    (
      "come twice",
      Changes(
        deletedSections: [0], insertedSections: [1], movedSections: [SectionMove(from: 2, to: 1)])
    ),
    ("the counts do not add up", Changes(deletedItems: [ItemPath(section: 0, item: 0)])),
    ("the counts do not add up", Changes(deletedSections: [1])),
    ("another section", Changes(movedSections: [SectionMove(from: 0, to: 2)])),
    (
      "rows of a deleted section are not told",
      Changes(
        deletedSections: [1], insertedSections: [1], insertedItems: [ItemPath(section: 1, item: 0)])
    ),
    (
      "another row",
      Changes(
        movedItems: [ItemMove(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 2))])
    ),
    (
      "updated row is not the one",
      Changes(
        updatedItems: [ItemMove(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 1))])
    ),
    ("updated section is not the one", Changes(updatedSections: [SectionMove(from: 0, to: 1)])),
  ])
  func `changes that do not lead to the same list break replay`(rule: String, changes: Changes) {
    #expect(rules(Laws.replay(Update(old: old, new: old, changes: changes))).contains(rule))
  }

  @Test func `an unreported difference breaks replay`() {
    var new = old
    new.replace(at: path(0, 0), with: Row(1, 1))
    #expect(rules(Laws.replay(Update(old: old, new: new, changes: Changes()))) == ["a row's content differs untold"])
    new = old
    new.updateSection(at: 1) { $0.name = "other" }
    #expect(rules(Laws.replay(Update(old: old, new: new, changes: Changes()))) == ["a section's titles differ untold"])
  }

  // MARK: Chain

  @Test func `a gap between updates breaks the chain`() {
    var lists = [old]
    for id in 10..<13 {
      var list = lists[lists.count - 1]
      list.append(Row(id), toSection: 0)
      lists.append(list)
    }
    let updates = zip(lists, lists.dropFirst()).map { Update(old: $0, new: $1) }
    #expect(Laws.chain(updates, from: old) == [])
    #expect(rules(Laws.chain([updates[0], updates[2]])) == ["the old list is not the last new one"])
    #expect(rules(Laws.chain(updates.dropFirst(), from: old)) == ["the old list is not the last new one"])
  }

  // MARK: Frugal

  private func frugal(_ new: Snapshot<Row>, _ changes: Changes) -> Set<String> {
    let update = Update(old: old, new: new, changes: changes)
    #expect(Laws.replay(update) == [], "the plant should break nothing but frugality")
    return rules(Laws.frugal(update))
  }

  @Test func `unnecessary moves break frugality`() {
    let new = Snapshot(["A": [3, 1, 2], "B": [4], "C": [5, 6]])
    #expect(
      frugal(new, Changes(movedItems: [move(path(0, 0), path(0, 1)), move(path(0, 1), path(0, 2))])) == [
        "more moves than needed"
      ])
    #expect(frugal(old, Changes(movedItems: [move(path(0, 1), path(0, 1))])) == ["more moves than needed"])
    let sections = Snapshot(["C": [5, 6], "A": [1, 2, 3], "B": [4]])
    #expect(
      frugal(sections, Changes(movedSections: [SectionMove(from: 0, to: 1), SectionMove(from: 1, to: 2)])) == [
        "more section moves than needed"
      ])
  }

  @Test func `a reported change that did not happen breaks frugality`() {
    #expect(frugal(old, Changes()) == ["an update without changes"])
    #expect(
      frugal(old, Changes(updatedItems: [move(path(0, 0), path(0, 0))])) == ["a row that does not differ is updated"])
    #expect(
      frugal(old, Changes(updatedSections: [SectionMove(from: 0, to: 0)])) == [
        "a section that does not differ is updated"
      ])
    #expect(
      frugal(old, Changes(deletedItems: [path(0, 1)], insertedItems: [path(0, 1)])) == [
        "a row that lives on is deleted", "a row that was there is inserted",
      ])
    #expect(
      frugal(
        old,
        Changes(
          deletedSections: [1], insertedSections: [1], movedItems: [move(path(1, 0), path(1, 0))])) == [
          "a section that lives on is deleted", "a section that was there is inserted",
        ])
  }

  // MARK: Acceptable

  private func acceptable(_ new: Snapshot<Row>, _ stages: [Changes]) -> Set<String> {
    rules(Laws.acceptable(stages, from: old, to: new, identifiedBy: { $0.id }, by: { $0 == $1 }))
  }

  @Test func `an empty stage is not acceptable`() {
    #expect(acceptable(old, [Changes()]) == ["an empty stage"])
  }

  @Test func `updates beside moves are not acceptable`() {
    let new = Snapshot(["A": [2, 1, 3], "B": [4], "C": [5, 6]])
    #expect(
      acceptable(
        new,
        [
          Changes(
            movedItems: [move(path(0, 0), path(0, 1))], updatedItems: [move(path(2, 0), path(2, 0))])
        ]) == ["updates beside moves"])
    #expect(
      acceptable(
        Snapshot(["B": [4], "A": [1, 2, 3], "C": [5, 6]]),
        [
          Changes(
            movedSections: [SectionMove(from: 0, to: 1)], updatedSections: [SectionMove(from: 2, to: 2)])
        ]) == ["updates beside moves"])
  }

  @Test func `a place that is named twice is not acceptable`() {
    #expect(
      acceptable(old, [Changes(deletedItems: [path(0, 0)], updatedItems: [move(path(0, 0), path(0, 0))])])
        .contains("a place twice among rows that go"))
    #expect(
      acceptable(old, [Changes(insertedItems: [path(0, 0)], movedItems: [move(path(0, 1), path(0, 0))])])
        .contains("a place twice among rows that come"))
    #expect(
      acceptable(old, [Changes(deletedSections: [0], updatedSections: [SectionMove(from: 0, to: 0)])])
        .contains("a place twice among sections that go"))
    #expect(
      acceptable(old, [Changes(insertedSections: [1], movedSections: [SectionMove(from: 0, to: 1)])])
        .contains("a place twice among sections that come"))
  }

  @Test func `a row operation in an inserted or deleted section is not acceptable`() {
    #expect(
      acceptable(old, [Changes(deletedSections: [1], deletedItems: [path(1, 0)])])
        == ["a row operation in a deleted section"])
    #expect(
      acceptable(old, [Changes(deletedSections: [1], movedItems: [move(path(1, 0), path(0, 0))])])
        == ["a row operation in a deleted section"])
    #expect(
      acceptable(old, [Changes(insertedSections: [1], insertedItems: [path(1, 0)])])
        == ["a row operation in an inserted section"])
    #expect(
      acceptable(old, [Changes(insertedSections: [0], movedItems: [move(path(0, 0), path(0, 0))])])
        == ["a row operation in an inserted section"])
    #expect(
      acceptable(old, [Changes(movedSections: [SectionMove(from: 0, to: 1)], deletedItems: [path(0, 0)])])
        == ["a row operation in a moved section"])
    #expect(
      acceptable(old, [Changes(movedSections: [SectionMove(from: 0, to: 1)], insertedItems: [path(1, 0)])])
        == ["a row operation in a moved section"])
    #expect(
      acceptable(old, [Changes(updatedSections: [SectionMove(from: 0, to: 0)], insertedItems: [path(0, 0)])])
        == ["a row operation in an updated section"])
  }

  @Test func `counts that do not add up are not acceptable`() {
    #expect(acceptable(old, [Changes(insertedItems: [path(0, 9)])]) == ["the counts do not add up"])
    #expect(acceptable(old, [Changes(deletedItems: [path(0, 3)])]) == ["no such row before"])
    #expect(acceptable(old, [Changes(deletedSections: [3])]) == ["no such section before"])
    #expect(acceptable(old, [Changes(insertedSections: [3])]) == ["no such section after"])
    #expect(acceptable(old, [Changes(insertedItems: [path(3, 0)])]) == ["no such section after"])
    #expect(
      acceptable(old, [Changes(updatedItems: [move(path(0, 0), path(0, 1))])]) == ["an updated row is not the one"])
    #expect(
      acceptable(old, [Changes(updatedSections: [SectionMove(from: 0, to: 1)])])
        == ["an updated section is not the one"])
  }

  @Test func `stages that end elsewhere are not acceptable`() {
    #expect(acceptable(old, [Changes(deletedItems: [path(0, 0)])]) == ["the stages end with other rows"])
    #expect(acceptable(old, [Changes(deletedSections: [0])]) == ["the stages end with other sections"])
    var new = old
    new.replace(at: path(0, 0), with: Row(1, 1))
    #expect(acceptable(new, []) == ["a row keeps its old content"])
    new = old
    new.updateSection(at: 0) { $0.footer = "f" }
    #expect(acceptable(new, []) == ["a section keeps its old titles"])
  }

  @Test func `a row that occurs twice between stages is not acceptable`() {
    let new = Snapshot(["N": [1], "A": [2, 3], "B": [4], "C": [5, 6]])
    #expect(
      acceptable(new, [Changes(insertedSections: [0]), Changes(deletedItems: [path(1, 0)])]) == ["a row stands twice"])
  }

  // MARK: Round trip

  private func roundTrip(_ lie: (inout ListAnswers<Int>) -> Void) -> Set<String> {
    var answers = ListAnswers(old, identifiedBy: { $0.id })
    answers.pathOfID = { [old] in old.path(of: $0) }
    lie(&answers)
    return rules(Laws.roundTrip(answers, old.map { $0.items.map(\.id) }))
  }

  @Test func `every wrong answer breaks the round trip`() {
    let path = path(0, 1)
    #expect(roundTrip { _ in } == [])
    #expect(roundTrip { $0.numberOfSections = 4 } == ["the number of sections is another"])
    #expect(roundTrip { $0.numberOfItems = 7 } == ["the number of rows is another"])
    #expect(roundTrip { $0.paths.removeLast() } == ["walking the paths gives others"])
    #expect(roundTrip { $0.items.swapAt(0, 1) } == ["walking the rows gives others"])
    #expect(roundTrip { $0.numberOfItemsInSection = { _ in 2 } } == ["a section's count is another"])
    #expect(roundTrip { $0.itemAtOffset = { _ in 1 } } == ["the row at an offset is another"])
    #expect(
      roundTrip { answers in
        let truth = answers.itemAtPath
        answers.itemAtPath = { $0 == path ? nil : truth($0) }
      } == ["the row at a path is another"])
    #expect(
      roundTrip { answers in
        let truth = answers.pathAtOffset
        answers.pathAtOffset = { $0 == 1 ? nil : truth($0) }
      } == ["the path at an offset is another"])
    #expect(
      roundTrip { answers in
        let truth = answers.offsetOfPath
        answers.offsetOfPath = { $0 == path ? 0 : truth($0) }
      } == ["the offset of a path is another"])
    #expect(
      roundTrip { answers in
        let truth = answers.pathOfID
        answers.pathOfID = { $0 == 2 ? ItemPath(section: 2, item: 0) : truth?($0) }
      } == ["the path of an id is another"])
    #expect(
      roundTrip { answers in
        let truth = answers.itemAtPath
        answers.itemAtPath = { truth($0) ?? 1 }
      } == ["a row at an invalid path"])
    #expect(
      roundTrip { answers in
        let truth = answers.offsetOfPath
        answers.offsetOfPath = { truth($0) ?? 0 }
      } == ["an offset for an invalid path"])
    #expect(
      roundTrip { answers in
        let truth = answers.pathAtOffset
        answers.pathAtOffset = { truth($0) ?? path }
      } == ["a path for an invalid offset"])
  }

  // MARK: Frozen

  @Test func `a list that changed is not frozen`() {
    let frozen = FrozenList(old)
    #expect(frozen.violations() == [])
    var other = old
    other.replace(at: path(1, 0), with: Row(4, 1))
    #expect(rules(frozen.violations(of: other)) == ["the rows changed"])
    other = old
    other.updateSection(at: 0) { $0.header = "new" }
    #expect(rules(frozen.violations(of: other)) == ["a section changed"])
    other.removeSection(at: 0)
    #expect(rules(frozen.violations(of: other)) == ["the number of sections changed"])
  }

  @Test func `violations say what is broken`() {
    let violation = Violation(.replay, "another row", "1 at [0, 0] became 2 at [0, 0]")
    #expect(violation.description == "replay: another row: 1 at [0, 0] became 2 at [0, 0]")
    #expect(Violation(.chain, "a gap").description == "chain: a gap")
  }
}
