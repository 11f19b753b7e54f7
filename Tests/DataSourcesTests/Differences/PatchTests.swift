import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct PatchTests {
  private let old = Snapshot(["A": [1, 2, 3], "B": [4], "C": [5, 6]])

  private func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }

  @Test func `a patch makes the new list of a copy of the old`() throws {
    for seed in Seeds.range(1000) {
      var random = SeededGenerator(seed: seed)
      let mayRepeat = random.once(in: 4)
      let update = Update(old: random.list(mayRepeat: mayRepeat), new: random.list(mayRepeat: mayRepeat))
      let kept = update.old.indices.filter { !update.changes.deletedSections.contains($0) }.map { update.old[$0].id }
      let inserted = update.changes.insertedSections.map { update.new[$0].id }
      if Set(kept + inserted).count < Set(kept).count + inserted.count {
        #expect(throws: (any Error).self, "\(Seeds.hint(seed))") { try update.old.applying(update.patch) }
        continue
      }
      let copy = try rebuilt(update.old).applying(update.patch)
      #expect(copy == update.new, "\(update), \(Seeds.hint(seed))")
      #expect(Laws.roundTrip(copy) == [], "\(Seeds.hint(seed))")
    }
  }

  @Test func `the patch holds nothing of what stayed`() {
    var new = old
    new.replace(at: path(0, 1), with: Row(2, 1))
    new.append(Row(7), toSection: 1)
    new.updateSection(at: 2) { $0.name = "other" }
    let patch = Update(old: old, new: new).patch
    #expect(patch.insertedItems == [Row(7)] && patch.updatedItems == [Row(2, 1)])
    #expect(patch.insertedSections.isEmpty && patch.updatedSections.map(\.items.count) == [0])
  }

  @Test func `the stages of an update lead from list to list`() {
    for seed in Seeds.range(1000) {
      var random = SeededGenerator(seed: seed)
      let update = Update(old: random.list(), new: random.list())
      if update.changes.isEmpty { continue }
      let stages = update.batches()
      #expect(Laws.chain(stages, from: update.old) == [], "\(Seeds.hint(seed))")
      #expect(stages.last?.new == update.new, "\(Seeds.hint(seed))")
      #expect(stages.map(\.changes) == update.changes.batches(), "\(Seeds.hint(seed))")
    }
  }

  private func failure(
    _ changes: Changes, inserted: [Row] = [], updated: [Row] = [], _ change: (inout Patch<Row>) -> Void = { _ in }
  ) -> String? {
    var patch = Update(old: old, new: old, changes: Changes()).patch
    patch.changes = changes
    patch.insertedItems = inserted
    patch.updatedItems = updated
    patch.insertedSections = changes.insertedSections.map { _ in Section("N", []) }
    change(&patch)
    do {
      _ = try old.applying(patch)
      return nil
    } catch {
      return "\(error)".replacing("the patch does not fit: ", with: "")
    }
  }

  @Test func `a patch for another list is an error`() {
    #expect(failure(Changes()) == nil)
    #expect(failure(Changes()) { $0.numberOfSections = 9 } == "it is for 9 sections, the list has 3")
    #expect(failure(Changes()) { $0.numberOfItems = 0 } == "it is for 0 rows, the list has 6")
  }

  @Test func `places outside of the list are an error`() {
    for section in [3, -1, Int.max, Int.min] {
      #expect(failure(Changes(deletedSections: [section])) == "there is no section \(section)")
      #expect(failure(Changes(movedSections: [SectionMove(from: section, to: 0)])) == "there is no section \(section)")
      #expect(failure(Changes(movedSections: [SectionMove(from: 0, to: section)])) == "there is no section \(section)")
      #expect(failure(Changes(deletedItems: [path(section, 0)])) == "there is no row \(path(section, 0))")
      #expect(
        failure(Changes(insertedItems: [path(section, 0)]), inserted: [Row(9)]) == "there is no row \(path(section, 0))"
      )
      #expect(failure(Changes(deletedItems: [path(0, section)])) == "there is no row \(path(0, section))")
    }
    for section in [4, -1, Int.max] {
      #expect(failure(Changes(insertedSections: [section])) == "there is no section \(section)")
    }
    #expect(failure(Changes(insertedItems: [path(0, 4)]), inserted: [Row(9)]) == "there is no row \(path(0, 4))")
    #expect(
      failure(Changes(movedItems: [ItemMove(from: path(0, 0), to: path(0, 3))])) == "there is no row \(path(0, 3))")
    #expect(
      failure(Changes(updatedItems: [ItemMove(from: path(0, 0), to: path(0, 3))]), updated: [Row(1)])
        == "there is no row \(path(0, 3))")
  }

  @Test func `places that contradict each other are an error`() {
    #expect(failure(Changes(deletedSections: [1, 0])) == "deletedSections is not ascending")
    #expect(failure(Changes(deletedItems: [path(0, 1), path(0, 1)])) == "deletedItems is not ascending")
    #expect(
      failure(Changes(deletedSections: [1], movedSections: [SectionMove(from: 1, to: 0)]))
        == "section 1 is deleted or inserted twice")
    #expect(
      failure(Changes(deletedItems: [path(0, 0)], movedItems: [ItemMove(from: path(0, 0), to: path(0, 0))]))
        == "row \(path(0, 0)) is deleted or inserted twice")
    #expect(
      failure(
        Changes(insertedItems: [path(0, 0)], movedItems: [ItemMove(from: path(0, 1), to: path(0, 0))]),
        inserted: [Row(9)]) == "row \(path(0, 0)) is deleted or inserted twice")
    #expect(failure(Changes(deletedSections: [1])) == "section 1 is deleted, but not all of its rows are listed")
    #expect(
      failure(Changes(updatedItems: [ItemMove(from: path(0, 0), to: path(0, 1))]), updated: [Row(1)])
        == "\(ItemMove(from: path(0, 0), to: path(0, 1))) pairs two different rows")
    #expect(
      failure(Changes(updatedSections: [SectionMove(from: 0, to: 1)])) { $0.updatedSections = [Section("A", [])] }
        == "\(SectionMove(from: 0, to: 1)) pairs two different sections")
    #expect(
      failure(Changes(updatedSections: [SectionMove(from: 0, to: 0)])) { $0.updatedSections = [Section("Z", [])] }
        == "\(SectionMove(from: 0, to: 0)) pairs two different sections")
  }

  @Test func `content that is missing is an error`() {
    #expect(
      failure(Changes(insertedItems: [path(0, 0)])) == "insertedItems should hold 1, but holds 0")
    #expect(failure(Changes(), updated: [Row(1)]) == "updatedItems should hold 0, but holds 1")
    #expect(
      failure(Changes(insertedSections: [0])) { $0.insertedSections = [] }
        == "insertedSections should hold 1, but holds 0")
  }

  @Test func `no patch traps, whatever it contains`() {
    for seed in Seeds.range(2000) {
      var random = SeededGenerator(seed: seed)
      // True patches, some of their numbers changed.
      var patch = Update(old: old, new: random.list(sections: 4, rows: 8)).patch
      func shake(_ number: inout Int) {
        if random.once(in: 6) { number = [-1, 0, 1, 2, 3, 9, .max, .min][random.below(8)] }
      }
      for index in patch.changes.deletedItems.indices { shake(&patch.changes.deletedItems[index].item) }
      for index in patch.changes.insertedItems.indices { shake(&patch.changes.insertedItems[index].section) }
      for index in patch.changes.movedItems.indices {
        shake(&patch.changes.movedItems[index].from.item)
        shake(&patch.changes.movedItems[index].to.section)
      }
      for index in patch.changes.movedSections.indices { shake(&patch.changes.movedSections[index].to) }
      for index in patch.changes.deletedSections.indices { shake(&patch.changes.deletedSections[index]) }
      for index in patch.changes.updatedItems.indices { shake(&patch.changes.updatedItems[index].to.item) }
      // Either it fits, and gives a list in order, or it is an error.
      if let list = try? old.applying(patch) { #expect(Laws.roundTrip(list) == [], "\(Seeds.hint(seed))") }
    }
  }

  @Test func `a patch that inserts an existing section is refused`() throws {
    var new = old
    new.appendSection(Section("N", []))
    let patch = Update(old: old, new: new).patch
    var other = old
    other.replaceSection(at: 1, with: Section(id: "N", name: "N", items: [Row(4)]))
    let refusal = #expect(throws: (any Error).self) { try other.applying(patch) }
    #expect(refusal.map { "\($0)" } == "the patch does not fit: it inserts a section N, which the list has already")
    var twice = patch
    twice.changes.insertedSections = [3, 4]
    twice.insertedSections = [Section("N", []), Section("N", [])]
    #expect(throws: (any Error).self) { try old.applying(twice) }
    // A section that is deleted in the same patch makes room.
    var replaced = old
    replaced.removeSection(at: 0)
    replaced.appendSection(Section("A", []))
    var changes = Update(old: old, new: replaced).patch
    changes.changes = Changes(
      deletedSections: [0], insertedSections: [2], deletedItems: (0..<3).map { path(0, $0) })
    changes.insertedSections = [Section("A", [])]
    changes.insertedItems = []
    #expect(try old.applying(changes).map(\.id) == ["B", "C", "A"])
  }
}
