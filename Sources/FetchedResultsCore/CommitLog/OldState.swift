import RowModel
import Synchronization

/// A question about the state before a commit: which of the entity's rows depend on a table's changed rows.
///
/// Lists that ask the same share one answer, whatever else they show.
package struct OldStateQuestion: Hashable, Sendable {
  /// The table whose rows change.
  let table: String
  let query: any ResultQuery
  let dependency: Int
  /// The statement that finds the rows. Questions with the same statement are the same.
  private let wording: SQL

  /// The questions of a query, each with its dependency; nil where none is asked.
  static func all(of query: any ResultQuery) -> [OldStateQuestion?] {
    query.dependencies.enumerated().map { number, dependency in
      guard dependency.needsOldState, !dependency.role.isWhole, let wording = query.wording(of: number) else {
        return nil
      }
      return OldStateQuestion(table: dependency.table, query: query, dependency: number, wording: wording)
    }
  }

  private init(table: String, query: any ResultQuery, dependency: Int, wording: SQL) {
    self.table = table
    self.query = query
    self.dependency = dependency
    self.wording = wording
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.table.utf8.elementsEqual(right.table.utf8) && left.wording == right.wording
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(wording) }
}

/// The answers to questions about the state before one commit. Those that could not be answered are missing.
package final class OldState: Sendable {
  private let answers: [OldStateQuestion: [RowKey]]
  /// The number of keys in all answers.
  package let count: Int

  package init(_ answers: [OldStateQuestion: [RowKey]]) {
    self.answers = answers
    count = answers.values.reduce(0) { $0 + $1.count }
  }

  package func answer(to question: OldStateQuestion) -> [RowKey]? { answers[question] }

  /// Answers questions before a commit, on the writer's thread. `read` runs its argument with a view of the old state.
  ///
  /// All questions are answered in one read, and each only once, however many lists ask it. A writer pays for a few
  /// rows for each row that it changed, and for at most `most` more, whether these rows answer a question or are only
  /// looked at. A question counts as some of these rows, even if it looks at none. Lists whose question was not
  /// answered run their query again.
  package static func answers(
    to questions: [OldStateQuestion], _ changes: [String: ChangedRows], _ work: OldStateWork,
    _ read: ((any EngineView) throws -> Void) throws -> Void
  ) -> OldState {
    var answers: [OldStateQuestion: [RowKey]] = [:]
    var rest = most
    for case .rows(let rows) in changes.values { rest += 4 * rows.count }
    var steps = stepsPerRow * rest
    do {
      try read { view in
        for question in questions {
          guard case .rows(let rows)? = changes[question.table], rest >= rows.count, steps > stepsPerQuestion else {
            continue
          }
          steps -= stepsPerQuestion
          // A question that takes long leaves something for the others.
          let share = steps / 2 + 1
          var limit = SearchLimit(keys: rest, steps: share)
          rest -= rows.count
          defer {
            steps -= share - limit.steps
            work.add(rows.count, steps: share - limit.steps)
          }
          do {
            let keys = try question.query.affected(by: rows, of: question.dependency, within: &limit, view)
            rest -= keys.count
            answers[question] = keys
          } catch is TooMany {
            continue
          } catch is CostlierThanWhole {
            continue
          }
        }
      }
    } catch {
      // Without the old state, the lists run their queries again.
    }
    return OldState(answers)
  }

  /// How many rows a writer may have read for lists, beyond a few for each row that it changed. Reading so many takes
  /// some milliseconds.
  private static let most = 4096
  /// What it may cost the engine to look at one of them.
  private static let stepsPerRow = 50
  /// What it may cost the engine to begin with a question: it may have to compile the statement.
  private static let stepsPerQuestion = 200

  /// Thrown if more keys are found than the limit allows, or finding them costs more.
  package struct TooMany: Error {
    package init() {}
  }
}

/// Counts what writers do for lists that need the state before a commit. Tests compare it with what was written.
package final class OldStateWork: Sendable {
  private let rows = Atomic<Int>(0)
  private let allSteps = Atomic<Int>(0)

  package init() {}

  /// How many rows the old state was searched for.
  package var count: Int { rows.load(ordering: .relaxed) }

  /// What that has cost the engine, in its own unit.
  package var steps: Int { allSteps.load(ordering: .relaxed) }

  package func add(_ count: Int, steps: Int) {
    rows.add(count, ordering: .relaxed)
    allSteps.add(steps, ordering: .relaxed)
  }
}
