import FetchedResults
import FetchedResultsFoundation
import Foundation
import Testing

@Suite struct TypedRequestSortDescriptorTests {
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
