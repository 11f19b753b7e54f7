import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport
import Testing

@Suite struct TypedRequestPredicateTests {
  @Test(arguments: PredicateCases.all.map(\.name))
  func `SQL finds the rows that the predicate finds in Swift`(_ name: String) throws {
    let predicates = try #require(PredicateCases.all.first { $0.name == name }).predicates
    for seed in Seeds.range(3) {
      let comparing = try Comparing(seed: seed, rows: 150)
      for predicate in predicates {
        let differences = try comparing.differences(predicate)
        #expect(differences.isEmpty, "\(predicate): \(differences.first ?? ""), replay with SEED=\(seed)")
      }
    }
  }

  @Test func `predicates of any shape find the same rows in SQL as in Swift`() throws {
    let comparing = try Comparing(seed: 7, rows: 40)
    var translated = 0
    let seeds = Seeds.range(1000)
    for seed in seeds {
      let predicate = PredicateTrees.predicate(seed: seed)
      do {
        let differences = try comparing.differences(predicate)
        #expect(differences.isEmpty, "\(predicate): \(differences.first ?? ""), replay with SEED=\(seed)")
        translated += 1
      } catch let error as DatabaseError where error.message.contains("NaN") {
        // What may be no number in an optional is refused.
      }
    }
    #expect(translated > seeds.count * 9 / 10)
  }

  @Test func `most predicates find some rows and leave others out`() throws {
    let comparing = try Comparing(seed: 1, rows: 300)
    let predicates = PredicateCases.all.flatMap(\.predicates)
    let telling = try predicates.filter { predicate in
      let count = try comparing.ids(where: SQL(predicate)).count
      return count > 0 && count < 300
    }
    #expect(predicates.count >= 100)
    #expect(Double(telling.count) > Double(predicates.count) * 0.9)
  }
}
