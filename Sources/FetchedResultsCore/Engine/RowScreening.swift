package import RowModel

/// The condition that decides, for a query of one table, whether a row of that table is in the result.
package struct RowCondition: Sendable {
  /// The name under which the table's commits are reported. The list follows no other table.
  package var table: String
  /// The FROM clause, with the table alone.
  package var from: SQL
  /// The columns of the table's key.
  package var key: [String]
  package var condition: SQL

  package init(table: String, from: SQL, key: [String], condition: SQL) {
    self.table = table
    self.from = from
    self.key = key
    self.condition = condition
  }
}

/// Finds the lists that a commit may concern, with one read for all of them.
package struct RowScreening: Sendable {
  /// The lists whose condition holds for one of some rows, by their numbers.
  package typealias Screen = @Sendable (_ rows: [RowKey], _ view: any EngineView) throws -> Set<Int>

  /// Runs `body` with a view of a state that contains every commit that was reported before `taking` was called.
  package let read: @Sendable (_ taking: () -> Void, _ body: (any EngineView) throws -> Void) throws -> Void
  /// Composes the function that finds the lists.
  package let screen: @Sendable ([(number: Int, condition: RowCondition)]) -> Screen

  package init(
    read: @escaping @Sendable (_ taking: () -> Void, _ body: (any EngineView) throws -> Void) throws -> Void,
    screen: @escaping @Sendable ([(number: Int, condition: RowCondition)]) -> Screen
  ) {
    self.read = read
    self.screen = screen
  }

  /// With fewer lists, reading for each of them takes no longer.
  package static let fewestLists = 8
  /// If a commit of at most this many rows concerns most lists, the next commits probably will too, so they are not
  /// screened. Larger commits allow no such conclusion.
  package static let fewRows = 64
  /// With more rows, each list reads for itself: one read for all would delay those that are quick.
  package static let mostRows = 1024
}

/// A list that can leave out an evaluation for commits that do not concern it.
package protocol ScreenedList: AnyObject, Sendable {
  /// Called if the list's condition holds for none of the rows of some commits. If the list contains none of the rows
  /// either, it counts the commits as evaluated, and returns true. Otherwise it changes nothing.
  func pass(_ commits: Int, _ rows: [RowKey], of query: any ResultQuery, _ view: any EngineView) -> Bool
  /// Called after that, under no lock of the list's.
  func passed()
}
