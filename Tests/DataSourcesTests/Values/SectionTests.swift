import DataSources
import Testing

@Suite struct SectionTests {
  @Test func `ids of text are compared by their bytes`() {
    #expect(SectionID.text("caf\u{E9}") != SectionID.text("cafe\u{301}"))
    #expect(Set<SectionID>([.text("caf\u{E9}"), .text("cafe\u{301}"), .text("caf\u{E9}")]).count == 2)
  }

  @Test func `the index title is the first letter unless given`() {
    #expect(Section(id: "a", name: "errands", items: [1]).indexTitle == "E")
    #expect(Section(id: "a", name: "école", items: [1]).indexTitle == "É")
    #expect(Section(id: "a", name: "", items: [1]).indexTitle == nil)
    #expect(Section(id: "a", name: "errands", indexTitle: "!", items: [1]).indexTitle == "!")
    #expect(Section(id: "a", name: "errands", indexTitle: nil, items: [1]).indexTitle == nil)
  }

  @Test func `a new name changes the index title unless one was set`() {
    var section = Section(id: "a", name: "errands", items: [1])
    section.name = "career"
    #expect(section.indexTitle == "C")
    section.indexTitle = "#"
    section.name = "home"
    #expect(section.indexTitle == "#")
    #expect(section.id == "a")
  }

  @Test func `titles are optional and change on a copy only`() {
    let section = Section(id: 1, name: "A", items: [1, 2])
    var copy = section
    copy.header = "above"
    copy.footer = "below"
    copy.append(3)
    #expect(section.header == nil && section.footer == nil && Array(section.items) == [1, 2])
    #expect(copy.header == "above" && copy.footer == "below" && Array(copy.items) == [1, 2, 3])
    #expect(section != copy)
  }

  @Test func `rows are a random access collection from zero`() {
    let items = Section(id: .none, name: "", items: 0..<1000).items
    #expect(items.startIndex == 0 && items.endIndex == 1000 && items.count == 1000)
    #expect(items.indices == 0..<1000)
    #expect(items.elementsEqual(0..<1000))
    #expect(items.reversed().elementsEqual((0..<1000).reversed()))
    #expect(items[990...].elementsEqual(990..<1000))
    #expect(items.first == 0 && items.last == 999)
    #expect(items.partitioningIndex { $0 >= 333 } == 333)
    #expect(Section(id: .none, name: "", items: [Int]()).items.isEmpty)
  }

  @Test func `rows are edited in place`() {
    var section = Section(id: .none, name: "", items: 0..<5)
    section.insert(9, at: 0)
    #expect(section.remove(at: 1) == 0)
    #expect(section.replace(at: 4, with: 44) == 4)
    section.move(from: 0, to: 4)
    #expect(Array(section.items) == [1, 2, 3, 44, 9])
  }

  @Test func `literals make ids`() {
    #expect(SectionID.integer(7) == 7)
    #expect(SectionID.real(1.5) == 1.5)
    #expect(SectionID.text("Errands") == "Errands")
    #expect(SectionID.text("list 3") == "list \(3)")
    #expect(SectionID.blob([1, 2]) == [1, 2])
  }

  @Test func `ids of different cases differ and not a number equals itself`() {
    #expect(SectionID.integer(2) != .real(2))
    #expect(SectionID.text("") != .none)
    #expect(SectionID.text("A") != .blob([65]))
    #expect(SectionID.real(.nan) == .real(-.nan))
    #expect(SectionID.real(0) == .real(-0.0))
    #expect(Set([SectionID.real(.nan), .real(.nan), .real(0), .real(-0.0)]).count == 2)
    #expect(Set<SectionID>([.none, 1, 1.5, "1", [1], .none]).count == 5)
  }
}
