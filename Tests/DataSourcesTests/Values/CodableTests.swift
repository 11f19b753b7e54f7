import DataSources
import DataSourcesTestSupport
import Foundation
import TestSupport
import Testing

@Suite struct CodableTests {
  private func json<Value: Encodable>(_ value: Value) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func copied<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
  }

  @Test func `a difference is short on the wire`() throws {
    let old = Snapshot(["A": [1, 2], "B": [3]])
    let new = Snapshot(["A": [2, 9], "B": [3, 1]])
    #expect(
      try json(new.changes(from: old))
        == #"{"insertedItems":[[0,1]],"movedItems":[{"from":[0,0],"to":[1,1]}]}"#)
    #expect(try json(Changes()) == "{}")
  }

  @Test func `ids keep their kind`() throws {
    let ids: [SectionID] = [.none, 7, -1, .real(7), 1.5, "", "Errands", [], [1, 2]]
    #expect(try copied(ids) == ids)
    #expect(try json([SectionID.integer(7), .text("a"), .none]) == #"[{"integer":7},{"text":"a"},{"none":true}]"#)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([SectionID].self, from: Data(#"[{"integer":7,"text":"a"}]"#.utf8))
    }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([SectionID].self, from: Data("[{}]".utf8)) }
  }

  @Test func `sections keep their titles also the ones that are none`() throws {
    let sections = [
      Section(id: 1, name: "a", items: [Row(1)]),
      Section(id: 2, name: "b", indexTitle: nil, header: "h", footer: "f", items: [Row(2)]),
      Section(id: 3, name: "c", indexTitle: "!", items: []),
    ]
    let list = Snapshot(sections)
    let copy = try copied(list)
    #expect(copy == list)
    #expect(copy.map(\.indexTitle) == ["A", nil, "!"])
    var renamed = copy[0]
    renamed.name = "z"
    #expect(renamed.indexTitle == "Z", "an index title that follows the name goes on to")
  }

  @Test func `updates and patches arrive as they were`() throws {
    for seed in Seeds.range(100) {
      var random = SeededGenerator(seed: seed)
      let update = Update(old: random.list(), new: random.list())
      let copy = try copied(update)
      #expect(copy == update, "\(Seeds.hint(seed))")
      #expect(try copied(update.patch) == update.patch, "\(Seeds.hint(seed))")
      #expect(try copied(update.changes) == update.changes, "\(Seeds.hint(seed))")
    }
  }

  @Test func `an update that does not fit itself is a decoding error`() throws {
    let update = Update(old: Snapshot(["A": [1]]), new: Snapshot(["A": []]))
    let text = try json(update).replacingOccurrences(of: "[0,0]", with: "[0,7]")
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Update<Row>.self, from: Data(text.utf8)) }
  }

  @Test func `a place that no list has is a decoding error`() throws {
    for number in [-1, Int.min, Int(Int32.max), Int.max] {
      for text in [
        #"{"deletedSections":[N]}"#, #"{"insertedSections":[N]}"#, #"{"movedSections":[{"from":0,"to":N}]}"#,
        #"{"updatedSections":[{"from":N,"to":0}]}"#, #"{"deletedItems":[[N,0]]}"#, #"{"insertedItems":[[0,N]]}"#,
        #"{"movedItems":[{"from":[N,0],"to":[0,0]}]}"#, #"{"updatedItems":[{"from":[0,0],"to":[0,N]}]}"#,
      ] {
        let data = Data(text.replacingOccurrences(of: "N", with: "\(number)").utf8)
        #expect(throws: DecodingError.self, "\(text) with \(number)") {
          try JSONDecoder().decode(Changes.self, from: data)
        }
      }
    }
  }

  @Test func `a difference that contradicts itself is staged without a trap`() throws {
    for seed in Seeds.range(1000) {
      var random = SeededGenerator(seed: seed)
      func number() -> Int { [0, 1, 2, 5, 1 << 30, Int(Int32.max) - 1][random.below(6)] }
      func some<Place>(_ make: () -> Place) -> [Place] { (0..<random.below(4)).map { _ in make() } }
      func path() -> ItemPath { ItemPath(section: number(), item: number()) }
      let changes = try copied(
        Changes(
          deletedSections: some(number), insertedSections: some(number),
          movedSections: some { SectionMove(from: number(), to: number()) },
          updatedSections: some { SectionMove(from: number(), to: number()) }, deletedItems: some(path),
          insertedItems: some(path), movedItems: some { ItemMove(from: path(), to: path()) },
          updatedItems: some { ItemMove(from: path(), to: path()) }))
      #expect(changes.batches().allSatisfy { !$0.isEmpty }, "\(Seeds.hint(seed))")
      #expect(changes.inverse.isEmpty == changes.isEmpty, "\(Seeds.hint(seed))")
    }
  }

  @Test(arguments: ["[1]", "[1, 2, 3]", "[1, 2, 3, 4]", "[]"]) func `a path that doesn't have two numbers is refused`(
    text: String
  ) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ItemPath.self, from: Data(text.utf8)) }
  }

  @Test func `an unknown part of changes is refused by name`() {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Changes.self, from: Data(#"{"deletedItems": [], "movedRows": []}"#.utf8))
    }
    #expect(error.map { "\($0)".contains("movedRows") && "\($0)".contains("movedItems") } == true)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 0, -0.0, 1.5, .greatestFiniteMagnitude])
  func `every real section id can be written as JSON and read back`(value: Double) throws {
    let data = try JSONEncoder().encode([SectionID.real(value)])
    #expect(try JSONDecoder().decode([SectionID].self, from: data) == [.real(value)])
  }

  @Test func `a real with any other text is refused`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SectionID.self, from: Data(#"{"real": "much"}"#.utf8))
    }
  }
}
