import CFetchedResultsSQLite
import FetchedResultsCore
import RowModel
import SQLiteStore

/// Statements that select, for one row, the conditions of many lists as columns. SQLite decides about all of them in
/// one step, with the affinities and collations that each has in its own query.
struct ConditionScreen: Sendable {
  private struct Statement: Sendable {
    var sql: String
    var bindings: [Value]
    /// The lists of each column.
    var lists: [[Int]]
  }

  private var statements: [Statement] = []

  /// SQLite allows 2,000 columns, and old versions of it 999 values.
  private static let mostColumns = 500
  private static let mostValues = 900

  init(_ lists: [(number: Int, condition: RowCondition)]) {
    // The lists by scope and condition, each condition once.
    var scopes: [SQL: [SQL: [Int]]] = [:]
    for (number, list) in lists {
      let scope = list.from + SQL(raw: "\nWHERE " + list.key.map { "\($0) = ?" }.joined(separator: " AND "))
      scopes[scope, default: [:]][list.condition, default: []].append(number)
    }
    for (scope, conditions) in scopes {
      var columns: [String] = []
      var bindings: [Value] = []
      var numbers: [[Int]] = []
      func close() {
        if columns.isEmpty { return }
        statements.append(
          Statement(
            sql: "SELECT \(columns.joined(separator: ", ")) FROM \(scope.text)", bindings: bindings + scope.bindings,
            lists: numbers))
        (columns, bindings, numbers) = ([], [], [])
      }
      for (condition, lists) in conditions {
        if columns.count == Self.mostColumns || bindings.count + condition.bindings.count > Self.mostValues { close() }
        columns.append("(\(condition.text)\n) IS TRUE")
        bindings += condition.bindings
        numbers.append(lists)
      }
      close()
    }
  }

  /// The lists whose condition holds for one of the rows.
  func lists(matching rows: [RowKey], _ connection: Connection) throws -> Set<Int> {
    var found: Set<Int> = []
    for statement in statements {
      var isFirst = true
      func bindings(_ row: RowKey) -> [Value] {
        switch row {
        case .number(let number): statement.bindings + [.integer(number)]
        case .values(let values): statement.bindings + values
        }
      }
      guard let first = rows.first else { return [] }
      try connection.withCursor(statement.sql, bindings(first)) { cursor in
        for row in rows {
          if !isFirst { try cursor.restart(bindings(row)) }
          isFirst = false
          while try cursor.step() {
            for (column, lists) in statement.lists.enumerated()
            where sqlite3_column_int(cursor.handle, Int32(column)) != 0 {
              found.formUnion(lists)
            }
          }
        }
      }
    }
    return found
  }
}
