import FetchedResults

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Typed requests: costs that must not grow quadratically with a condition, and long lists.
func predicateBenchmarks() -> [Benchmark] {
  [
    Benchmark("frc.predicate_translation_growth", "4,000 conditions into SQL, against 400, per condition") { context in
      let (long, short) = (LongCondition.predicate(4000), LongCondition.predicate(400))
      func translate(_ predicate: Predicate<Word>, _ count: Int) throws {
        let sql = try SQL(predicate)
        try context.check(sql.bindings.count == count, "\(sql.bindings.count) values for \(count) conditions")
      }
      return try context.ratio(
        subject: { try translate(long, 4000) }, baseline: { for _ in 0..<10 { try translate(short, 400) } })
    },
    Benchmark(
      "frc.predicate_list_100k", "a fetch with 100,000 texts in a list, against a joined temporary table that is filled"
    ) { context in
      let database = try Word.database(200_000)
      let texts = stride(from: 0, to: 200_000, by: 2).map(Word.text)
      let typed = FetchRequest<Word>(predicate: #Predicate { texts.contains($0.text) }, sortBy: [.ascending(\.id)])
      let joined = FetchRequest<Word>(from: "word JOIN temp.listed ON listed.text = word.text", orderBy: ["word.id"])
      func fetch(_ request: FetchRequest<Word>) throws {
        let controller = FetchedResultsController(fetchRequest: request, database: database)
        try controller.performFetch()
        try context.check(controller.fetchedObjects.count == texts.count, "another number of rows")
        controller.stop()
      }
      return try context.ratio(
        subject: { try fetch(typed) },
        baseline: {
          try database.write { c in
            try c.execute("CREATE TEMP TABLE IF NOT EXISTS listed(text TEXT PRIMARY KEY) WITHOUT ROWID")
            try c.execute("DELETE FROM temp.listed")
            let insert = try c.prepare("INSERT INTO temp.listed VALUES (?)")
            for text in texts { try insert.run(text) }
          }
          try fetch(joined)
        })
    },
  ]
}

private struct Word: MappedEntity, Equatable {
  static let table = "word"
  static let mapping = Mapping(Word.init, ("id", \.id), ("text", \.text))
  var id: Int
  var text: String

  static func text(_ number: Int) -> String { "word number \(number &* 7919 % 200_000) of many" }

  /// In memory, where every read sees a temporary table.
  static func database(_ count: Int) throws -> Database {
    let database = try Database.inMemory()
    try database.write { c in
      try c.execute("CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
      for id in 0..<count { try c.insert(Word(id: id, text: text(id))) }
    }
    return database
  }
}

/// A condition that a program builds step by step.
private enum LongCondition {
  typealias Condition = any StandardPredicateExpression<Bool>

  static func predicate(_ count: Int) -> Predicate<Word> {
    Predicate<Word> { row in
      var all: Condition = one(row, 0)
      for number in 1..<count { all = either(all, one(row, number)) }
      return all
    }
  }

  private static func one(_ row: PredicateExpressions.Variable<Word>, _ number: Int) -> Condition {
    PredicateExpressions.build_Equal(
      lhs: PredicateExpressions.build_KeyPath(root: row, keyPath: \Word.id),
      rhs: PredicateExpressions.build_Arg(number))
  }

  private static func either(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Condition {
    PredicateExpressions.build_Disjunction(lhs: left, rhs: right)
  }
}
