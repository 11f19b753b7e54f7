import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

@Suite struct SnapshotTests {
  private let list = Snapshot(["A": [1, 2], "B": [], "C": [3], "D": []])

  @Test func `it is a collection of sections`() {
    #expect(list.count == 4 && list.indices == 0..<4 && list.startIndex == 0)
    #expect(list.map(\.name) == ["A", "B", "C", "D"] && list.sections == list)
    #expect(list[2].items.map(\.id) == [3])
    #expect(list.firstIndex { $0.id == "C" } == 2)
    #expect(list.dropFirst(2).map(\.name) == ["C", "D"])
    #expect(list.reversed().map(\.name) == ["D", "C", "B", "A"])
    #expect(Snapshot<Row>().isEmpty && Snapshot<Row>().numberOfItems == 0)
  }

  @Test func `the example in the documentation works`() {
    let old = Snapshot([
      Section(id: "errands", name: "Errands", items: ["milk", "stamps"]),
      Section(id: "career", name: "Career", items: ["letter"]),
    ])
    var new = old
    new.move(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 1, item: 0))
    #expect(
      new.paths.map { "\(new[$0.section].name) \(new[$0])" } == ["Errands milk", "Career stamps", "Career letter"])
    let changes = new.changes(from: old, identifiedBy: { $0 }, by: ==)
    #expect("\(changes)" == "rows: moved [0, 1] → [1, 0]")
  }

  @Test func `empty sections do not end the paths`() {
    #expect(list.paths.map(\.description) == ["[0, 0]", "[0, 1]", "[2, 0]"])
    #expect(list.paths.reversed().count == 3)
    #expect(list.numberOfItems == 3 && list.items.map(\.id) == [1, 2, 3])
    #expect(Snapshot(["A": [], "B": []]).paths.isEmpty)
  }

  @Test func `paths, items and offsets agree`() {
    #expect(Laws.roundTrip(list) == [])
    #expect(Laws.roundTrip(Snapshot<Row>()) == [])
    for seed in Seeds.range(200) {
      var random = SeededGenerator(seed: seed)
      #expect(Laws.roundTrip(random.list(mayRepeat: random.once(in: 3))) == [], "\(Seeds.hint(seed))")
    }
  }

  @Test func `a path out of range has no item`() {
    for path in [
      ItemPath(section: 4, item: 0), ItemPath(section: 0, item: 2), ItemPath(section: 1, item: 0),
      ItemPath(section: -1, item: 0), ItemPath(section: 0, item: -1), ItemPath(section: .max, item: .max),
    ] {
      #expect(list.item(at: path) == nil && list.offset(of: path) == nil)
    }
    #expect(list.path(atOffset: 3) == nil && list.path(atOffset: -1) == nil)
    #expect(list.path(of: 9) == nil)
  }

  #if !os(iOS) && !os(tvOS) && !os(watchOS)
    @Test func `a subscript out of range traps and names the path and the counts`() async throws {
      let row = try await #require(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { _ = Snapshot(["A": [1, 2], "B": []])[ItemPath(section: 0, item: 2)] }
      let text = String(decoding: row.standardErrorContent, as: UTF8.self)
      #expect(text.contains("path [0, 2] is out of range: section 0 of 2 has 2 rows"))
      let section = try await #require(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { _ = Snapshot(["A": [1, 2], "B": []])[ItemPath(section: 3, item: 0)] }
      #expect(
        String(decoding: section.standardErrorContent, as: UTF8.self)
          .contains("path [3, 0] is out of range: the list has 2 sections"))
    }

    @Test func `edits out of range trap, and name the place`() async throws {
      let negative = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        SectionController([1]).update(2, at: ItemPath(section: 0, item: -1))
      }
      #expect(String(decoding: negative.standardErrorContent, as: UTF8.self).contains("path [0, -1] is not there"))
      let beyond = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        SectionController([1]).insert(2, at: ItemPath(section: 0, item: 2))
      }
      #expect(
        String(decoding: beyond.standardErrorContent, as: UTF8.self)
          .contains("a row cannot be inserted at [0, 2]: section 0 has 1 rows"))
      await #expect(processExitsWith: .failure) {
        var list = Snapshot(["A": [1]])
        list.move(from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 1))
      }
      await #expect(processExitsWith: .failure) {
        var list = Snapshot(["A": [1]])
        list.insertSection(Section("B", []), at: 2)
      }
    }
  #endif

  @Test func `edits do to the list what they do to arrays`() {
    for seed in Seeds.range(300) {
      var random = SeededGenerator(seed: seed)
      var list = random.list()
      var model = list.map { Array($0.items) }
      for step in 0..<30 where !model.isEmpty {
        let section = random.below(model.count)
        let other = random.below(model.count)
        let rows = model[section].count
        let item = rows == 0 ? 0 : random.below(rows)
        switch random.below(8) {
        case 0:
          list.insert(Row(100 + step), at: ItemPath(section: section, item: item))
          model[section].insert(Row(100 + step), at: item)
        case 1:
          list.append(Row(100 + step), toSection: section)
          model[section].append(Row(100 + step))
        case 2 where rows > 0:
          #expect(list.remove(at: ItemPath(section: section, item: item)) == model[section].remove(at: item))
        case 3 where rows > 0:
          #expect(list.replace(at: ItemPath(section: section, item: item), with: Row(step)) == model[section][item])
          model[section][item] = Row(step)
        case 4 where rows > 0:
          let row = model[section].remove(at: item)
          let place = random.below(model[other].count + 1)
          model[other].insert(row, at: place)
          list.move(from: ItemPath(section: section, item: item), to: ItemPath(section: other, item: place))
        case 5:
          model.insert(model.remove(at: section), at: other)
          list.moveSection(from: section, to: other)
        case 6:
          let rows = (0..<3).map { Row(1000 * step + $0) }
          list.insert(contentsOf: rows, at: ItemPath(section: section, item: item))
          model[section].insert(contentsOf: rows, at: item)
        default:
          if random.once(in: 2) {
            #expect(Array(list.removeSection(at: section).items) == model.remove(at: section))
          } else {
            list.insertSection(Section("new", [1, 2]), at: section)
            model.insert([Row(1), Row(2)], at: section)
          }
        }
      }
      #expect(list.map { Array($0.items) } == model, "\(Seeds.hint(seed))")
      #expect(list.numberOfItems == model.joined().count, "\(Seeds.hint(seed))")
    }
  }

  @Test func `lists are equal by their values`() {
    #expect(rebuilt(list) == list && rebuilt(list).hashValue == list.hashValue)
    var other = list
    other.replace(at: ItemPath(section: 0, item: 0), with: Row(1, 1))
    #expect(other != list)
    other = list
    other.updateSection(at: 1) { $0.footer = "none" }
    #expect(other != list)
    other.removeAll()
    #expect(other == Snapshot())
  }

  @Test func `a list made of a list or of another section's rows shares memory`() {
    #expect(Snapshot(list).changes(from: list).isEmpty)
    let rows = Section(id: 1, name: "", items: 0..<100_000).items
    let twin = Section(id: 2, name: "", items: rows)
    #expect(twin.items.tree.isIdentical(to: rows.tree))
  }
}
