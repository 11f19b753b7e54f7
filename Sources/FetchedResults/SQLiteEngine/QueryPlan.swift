import SQLiteStore

/// How a request is run, and how it is followed: made by a `QueryPlanner`, anew whenever the schema has changed.
struct QueryPlan: Sendable {
  /// A result column, counted from the front, or back from the end where it stands behind columns of unknown number.
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

  /// What identifies a row of a table here.
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

  /// A table whose changes matter, and how the entity's rows that one of its rows has to do with are found.
  struct Dependency: Sendable {
    var table: String
    var role: ResultDependency.Role
    var affected: Composition.Keyed?
    var needsOldState = false
  }

  /// The whole result in order.
  var full: SQL
  /// The rows of one key of the entity's table, when it is followed row by row.
  var restricted: Composition.Keyed?
  /// The statement whose values count where `full` would change them by its wrapping.
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
  /// Whether the schema says that an id stands once in its table; a join can still repeat the row.
  var isIDUnique = false
  var dependencies: [Dependency] = []
  /// Why the query is run as a whole after each commit; nil when it isn't.
  var reason: String?
  var including: SQL?
  /// Which of the rows are shown.
  var window = 0..<Int.max

}
