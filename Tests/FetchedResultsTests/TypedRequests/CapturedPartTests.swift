import FetchedResults
import Foundation
import Testing

/// Captured parts that Swift would stop at, in every kind of expression: behind a guard no row reaches them, elsewhere
/// they are errors, and nowhere do they stop the program.
@Suite struct CapturedPartTests {
  typealias Note = TypedRequestEdgeTests.Note

  @Test func `a captured part that fails behind a guard stops nothing, and is an error where every row reaches it`()
    throws
  {
    let (words, numbers, names, zero, big) = (["a", "b"], [1, 2, 3], [1: 1], 0, Int.max)
    let notANumber = Date(timeIntervalSinceReferenceDate: .nan)
    let guarded: [Predicate<Note>] = [
      #Predicate { $0.kind > 5 && "abc".starts(with: words[1 / zero]) },
      #Predicate { $0.kind > 5 && "abc".contains(words[1 / zero]) },
      #Predicate { $0.kind > 5 && numbers[0..<(1 / zero)].contains($0.kind) },
      #Predicate { $0.kind > 5 && numbers[0..<(numbers.count - 5)].contains($0.kind) },
      #Predicate { $0.kind > 5 && numbers[0..<(numbers.count + 5)].contains($0.kind) },
      #Predicate { $0.kind > 5 && names[1 / zero]! == $0.kind },
      #Predicate { $0.kind > 5 && names[big + 1] == nil },
      #Predicate { $0.kind > 5 && names[7, default: 1 / zero] == $0.kind },
      #Predicate { $0.kind > 5 && $0.kind == names[big + 1, default: 0] },
      #Predicate { $0.kind > 5 && words[1 / zero].starts(with: $0.text) },
      #Predicate { $0.kind > 5 && $0.text.starts(with: words[1 / zero]) },
      #Predicate { $0.kind > 5 && ((1 / zero) as Any) is Int },
      #Predicate { $0.kind > 5 && (((1 / zero) as Any) as? Int) == 1 },
      #Predicate { $0.kind > 5 && (((1 / zero) as Any) as! Int) == 1 },
      #Predicate { $0.kind > 5 && (notANumber...notANumber).contains(notANumber) },
    ]
    let database = try TypedRequestEdgeTests.database()
    for predicate in guarded {
      let controller = FetchedResultsController(fetchRequest: FetchRequest(predicate: predicate), database: database)
      try controller.performFetch()
      #expect(controller.fetchedObjects.isEmpty, "\(predicate)")
    }
    let reached: [Predicate<Note>] = [
      #Predicate { "abc".starts(with: words[1 / zero]) || $0.kind > 0 },
      #Predicate { numbers[0..<(numbers.count + 5)].contains($0.kind) },
      #Predicate { names[7, default: 1 / zero] == $0.kind },
    ]
    for predicate in reached {
      let request = FetchRequest<Note>(predicate: predicate)
      let controller = FetchedResultsController(fetchRequest: request, database: database)
      #expect(throws: DatabaseError.self) { try controller.performFetch() }
    }
    // The default is not reached where the key is there.
    #expect(try SQL(#Predicate<Note> { names[1, default: 1 / zero] == $0.kind }).bindings == [1])
  }
}
