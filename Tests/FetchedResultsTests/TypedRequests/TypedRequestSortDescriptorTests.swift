import DataSourcesTestSupport
import FetchedResults
import FetchedResultsFoundation
import Foundation
import TestSupport
import Testing

@Suite struct TypedRequestSortDescriptorTests {
  private static let descriptors: [SortDescriptor<Thing>] = [
    SortDescriptor(\.number), SortDescriptor(\.number, order: .reverse), SortDescriptor(\.rank),
    SortDescriptor(\.rank, order: .reverse), SortDescriptor(\.big), SortDescriptor(\.weight),
    SortDescriptor(\.ratio, order: .reverse), SortDescriptor(\.made), SortDescriptor(\.small),
    SortDescriptor(\.title, comparator: .lexical), SortDescriptor(\.note, comparator: .lexical, order: .reverse),
  ]

  @Test func `a sort descriptor sorts rows as it sorts them in Swift`() throws {
    for seed in Seeds.range(3) {
      let comparing = try Comparing(seed: seed, rows: 80)
      for descriptor in Self.descriptors {
        let request = FetchRequest<Thing>(sortBy: [descriptor, SortDescriptor(\.id)])
        let terms = request.orderBy.map { term -> SQL in
          let collation = term.collation.map { " COLLATE \($0.name)" } ?? ""
          return "\(term.expression)\(raw: collation) \(raw: term.direction == .ascending ? "ASC" : "DESC")"
        }
        let ids = try comparing.database.read {
          try $0.values(
            "SELECT id FROM \(identifier: Thing.table) ORDER BY \(terms[0]), \(terms[1])", as: Int64.self)
        }
        let sorted = comparing.things.sorted(using: [descriptor, SortDescriptor(\.id)]).map(\.id)
        #expect(ids == sorted, "\(String(describing: descriptor.keyPath)), replay with SEED=\(seed)")
      }
    }
  }

  @Test func `an order that SQLite doesn't know is refused`() throws {
    for descriptor in [SortDescriptor(\Thing.level), SortDescriptor(\.other), SortDescriptor(\.title.count)] {
      #expect(throws: DatabaseError.self) { try TypedOrderTerm(descriptor).term() }
    }
    let error = #expect(throws: DatabaseError.self) { try TypedOrderTerm(SortDescriptor(\Thing.level)).term() }
    #expect(try #require(error).message.contains("order of its own"))
  }

  @Test func `a request can contain both kinds of terms`() throws {
    let typed = FetchRequest<Thing>(
      predicate: #Predicate { !$0.done }, sortBy: [.ascending(\.number)], sectionBy: \.rank)
    let described = FetchRequest<Thing>(
      predicate: #Predicate { !$0.done }, sortBy: [SortDescriptor(\.number)], sectionBy: \.rank)
    #expect(typed == described)
    #expect(FetchRequest<Thing>(sortBy: []) == FetchRequest<Thing>())
  }
}
