import FetchedResults
import Foundation
import Testing

@Suite struct TypedRequestRefusalTests {
  private func message(_ predicate: Predicate<Thing>) throws -> String {
    let error = #expect(throws: DatabaseError.self) { try SQL(predicate) }
    return try #require(error).message
  }

  @Test func `captured lists are named by a few elements or their number, and dates that are no date too`() throws {
    let ends: [Date]? = [Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: 0)]
    let message = try message(
      #Predicate<Thing> { thing in (ends.flatMap { $0.contains(thing.made) } ?? false) && thing.title.contains(/a/) })
    #expect(message.contains("StringContainsRegex"), "\(message)")
    let many: [Int]? = Array(0..<1000)
    let shown = try self.message(
      #Predicate<Thing> { thing in
        (many.flatMap { $0.contains(thing.title.count) } ?? false) && thing.title.contains(/a/)
      })
    #expect(!shown.contains("999"), "\(shown)")
  }

  @Test func `an expression without an exact meaning in SQL is refused by name, with an alternative`() throws {
    let invalid = Double("nan")!
    let owner = Edge.owners[0]
    let level = Thing.Level.high
    let nothing: Int? = nil
    let dated = Date(timeIntervalSinceReferenceDate: .nan)
    let place = Thing.Place(city: "a", floor: 1)
    let numbers = [1, 2]
    let cases: [(Predicate<Thing>, [String])] = [
      (#Predicate { $0.title.count > 3 }, ["$0.title.count", "utf8.count"]),
      (#Predicate { ($0.note?.count ?? 0) > 3 }, ["$0.note?.count", "characters"]),
      (#Predicate { $0.title.first == $0.place.city.first }, ["$0.title.", " == $0.place.city.", "Character"]),
      (#Predicate { $0.level < level }, ["$0.level < high", "order of its own"]),
      (#Predicate { $0.other < owner }, ["$0.other < ", "order of its own"]),
      (#Predicate { $0.weight < invalid }, ["$0.weight < nan", "NULL"]),
      (#Predicate { $0.weight == invalid }, ["$0.weight == nan", "NULL"]),
      (#Predicate { $0.made < dated }, ["NaN"]),
      (#Predicate { $0.ratio.flatMap { $0 / $0 } == nil }, ["($0.ratio? / $0.ratio?)", "NaN"]),
      (#Predicate { $0.single * 2 > 1 }, ["($0.single * 2.0)", "Float"]),
      (
        #Predicate { $0.headline == "A" },
        ["$0.<computed (String)> can't", "no column in the mapping of Thing", "\"title\"", "generic code"]
      ),
      (#Predicate { $0.extra > 1 }, ["$0.extra", "\\Thing.extra has no column in the mapping of Thing"]),
      (#Predicate { $0.place == place }, ["$0.place == ", "Place"]),
      (#Predicate { $0.bytes.contains(1) }, ["$0.bytes.contains(1)", "capture"]),
      (#Predicate { $0.number > nothing! }, ["$0.number > nil! can't", "fails"]),
      (#Predicate { $0.title.contains(/a+/) }, ["StringContainsRegex"]),
      (#Predicate { thing in numbers.filter { $0 > thing.number }.isEmpty }, ["Filter"]),
      (
        Predicate<Thing> {
          PredicateExpressions.TypeCheck<_, String>(PredicateExpressions.build_KeyPath(root: $0, keyPath: \.title))
        }, ["TypeCheck"]
      ),
      (
        Predicate<Thing> {
          PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_NilCoalesce(
              lhs: PredicateExpressions.build_Arg(nil as Int??),
              rhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: \.rank)),
            rhs: PredicateExpressions.build_Arg(1 as Int?))
        }, ["??", "optional of an optional"]
      ),
    ]
    for (predicate, words) in cases {
      let message = try message(predicate)
      for word in words { #expect(message.contains(word), "\(message)") }
      #expect(message.hasSuffix("write the condition in SQL, with `where:`"), "\(message)")
    }
  }

  @Test func `a long closure over a captured array is refused`() throws {
    let numbers = Array(0...500)
    #expect(try message(#Predicate { thing in numbers.contains { $0 == thing.number } }).contains("501 elements"))
  }

  @Test func `a type with several stored forms is not compared`() throws {
    struct Note: MappedEntity {
      static let table = "note"
      static let mapping = Mapping(Note.init, ("id", \.id), ("tags", \.tags), ("any", \.any), ("size", \.size))
      var id: Int64
      var tags: JSONColumn<[String]>
      var any: Value
      var size: UInt64
    }
    let large = UInt64.max
    let tags = JSONColumn(["a"])
    #expect(throws: DatabaseError.self) { try SQL(#Predicate<Note> { $0.tags == tags }) }
    #expect(throws: DatabaseError.self) { try SQL(#Predicate<Note> { $0.tags == $0.tags }) }
    #expect(throws: DatabaseError.self) { try SQL(#Predicate<Note> { $0.any == $0.any }) }
    let error = #expect(throws: DatabaseError.self) { try SQL(#Predicate<Note> { $0.size < large }) }
    #expect(try #require(error).message.contains("$0.size < 18446744073709551615"))
  }
}
