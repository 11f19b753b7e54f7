import FetchedResultsCore
import RowModel
import SQLiteStore

/// How a request is run, and how it is followed. A `QueryPlanner` makes it, again whenever the schema has changed.
struct QueryPlan: Sendable {
  /// A result column, counted from the front, or from the end if columns of unknown number precede it.
  enum ColumnPlace: Sendable, Equatable {
    case front(Int)
    case back(Int)

    func index(of count: Int32) -> Int32 {
      switch self {
      case .front(let index): Int32(index)
      case .back(let index): count - Int32(index)
      }
    }
  }

  /// The key of a table's row.
  enum TableKey: Sendable, Equatable {
    case rowID(String)
    case columns([String])

    var columns: [String] {
      switch self {
      case .rowID(let name): [name]
      case .columns(let names): names
      }
    }
  }

  /// A table whose changes affect the query, and how to find the entity's rows that depend on its rows.
  struct Dependency: Sendable {
    var table: String
    var role: ResultDependency.Role
    var affected: Composition.Keyed?
    var needsOldState = false
  }

  /// The whole result in order.
  var full: SQL
  /// The rows with one key of the entity's table, if the query is followed row by row.
  var restricted: Composition.Keyed?
  /// The statement whose values are used if wrapping it in `full` would change them.
  var values: SQL?
  var entityKey: [ColumnPlace] = []
  var isEntityKeyRowID = true
  var partnerKeys: [(places: [ColumnPlace], isRowID: Bool)] = []
  var order = KeyOrder(parts: [], sectionOrderParts: 0, hasSections: false)
  var orderPlaces: [ColumnPlace] = []
  var namePlace: ColumnPlace?
  /// Whether a section's name follows from its id alone.
  var isNameOfID = true
  var idName: String
  /// The columns that the entity's content is made of, in order.
  var contentNames: [String] = []
  /// The column of a table that each of these is, if it is one.
  var contentOrigins: [PlanProbe.Origin?] = []
  /// Whether the schema makes the id unique in its table; a join can still repeat the row.
  var isIDUnique = false
  /// Whether the id is the key of its table.
  var isIDKey = false
  var dependencies: [Dependency] = []
  /// What decides about a row, if that is a condition on the entity's table alone.
  var condition: RowCondition?
  /// Why the whole query runs after each commit; nil if it doesn't.
  var reason: String?
  var including: SQL?
  /// Which of the rows are shown.
  var window = 0..<Int.max

}
