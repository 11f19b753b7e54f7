import DataSourcesTestSupport
import FetchedResults

/// An entity that shows all of what was stored for it, so that it can be compared with what plain SQL gives.
protocol OracleEntity: Entity where ID == Value {
  /// The selected values, in order.
  var content: [Value] { get }
  /// The columns that those are.
  var names: [String] { get }
  /// The columns that are selected for it, by name; nil for all of its table.
  static var columns: [String]? { get }
  static func violations(of update: Update<Self>) -> [Violation]
}

extension OracleEntity {
  static var columns: [String]? { nil }

  static func violations(of update: Update<Self>) -> [Violation] {
    let violations = Laws.violations(of: update, identifiedBy: \.id, by: { $0.isStoredLike($1) })
    if violations.isEmpty { return [] }
    // Where another request selects other columns, rows differ by them.
    let strict = Laws.violations(
      of: update, identifiedBy: \.id, by: { $0.names == $1.names && areStoredAlike($0.content, $1.content) })
    return strict.isEmpty ? [] : violations
  }

  /// Whether the stored values are the same to the last bit, in the columns that both have: no update reports that a
  /// column was added, only a value that was written to it.
  func isStoredLike(_ other: Self) -> Bool {
    if names == other.names { return areStoredAlike(content, other.content) }
    // Several columns of a join can have one name.
    var rest = Array(other.names.indices)
    var isAlike = true
    for (name, value) in zip(names, content) {
      if let found = rest.firstIndex(where: { other.names[$0] == name }) {
        isAlike = isAlike && areStoredAlike([value], [other.content[rest.remove(at: found)]])
      } else if value == "written" {
        isAlike = false
      }
    }
    return isAlike && rest.allSatisfy { other.content[$0] != "written" }
  }
}

extension OracleEntity where Self: Equatable {
  static func violations(of update: Update<Self>) -> [Violation] { Laws.violations(of: update) }
}

/// Whether values are the same to the last bit.
func areStoredAlike(_ left: [Value], _ right: [Value]) -> Bool {
  left.count == right.count
    && zip(left, right).allSatisfy { left, right in
      if case (.real(let left), .real(let right)) = (left, right) { return left.bitPattern == right.bitPattern }
      return left == right
    }
}

/// The table that a type of rows is of.
protocol TableName: Sendable {
  static var name: String { get }
}

enum ItemTable: TableName { static let name = "item" }
enum ListTable: TableName { static let name = "list" }
enum ItemView: TableName { static let name = "item_view" }
enum OpenView: TableName { static let name = "open_item" }
enum NestedView: TableName { static let name = "nested_view" }
enum OddView: TableName { static let name = "odd_view" }
enum JoinedView: TableName { static let name = "joined_view" }
enum DistinctView: TableName { static let name = "distinct_view" }
enum OldView: TableName { static let name = "archive.old_view" }

/// A row as it is, which can be compared.
struct Record<Table: TableName>: OracleEntity, Equatable {
  static var table: String { Table.name }
  var id: Value
  var names: [String]
  var content: [Value]

  init(row: Row) throws {
    id = try row["id"]
    (names, content) = try RowContent.values(of: row)
  }
}

/// A row as it is, which can't be compared: its stored values decide whether it differs.
struct Opaque<Table: TableName>: OracleEntity {
  static var table: String { Table.name }
  var id: Value
  var names: [String]
  var content: [Value]

  init(row: Row) throws {
    id = try row["id"]
    (names, content) = try RowContent.values(of: row)
  }
}

/// A row by its mapping.
struct MappedItem: OracleEntity, MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(
    MappedItem.init, ("id", \.id), ("title", \.title), ("rank", \.rank), ("list", \.list), ("done", \.done))
  static var columns: [String]? { mapping.columnNames }
  var names: [String] { Self.mapping.columnNames }
  var id: Value
  var title: Value
  var rank: Value
  var list: Value
  var done: Value
  var content: [Value] { [id, title, rank, list, done] }
}

enum RowContent {
  /// All that the row shows.
  static func values(of row: Row) throws -> (names: [String], values: [Value]) { (row.columnNames, try row.values) }
}

enum ThingTable: TableName { static let name = "thing" }
enum KindTable: TableName { static let name = "kind" }
enum ExtraTable: TableName { static let name = "extra" }
/// The names of two tables that Swift's strings hold to be the same.
enum ComposedTable: TableName { static let name = "caf\u{e9}" }
enum DecomposedTable: TableName { static let name = "cafe\u{301}" }
