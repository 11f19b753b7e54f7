import FetchedResultsCore
import RowModel
import SQLiteStore

/// A query in parts, from which its statements are composed: the whole query, or the rows that depend on one key.
struct Composition: Sendable {
  /// A surrounding query, whose terms refer to its result's columns.
  struct Wrapper: Sendable {
    var alias: String
    var condition: SQL?
  }

  /// A term of the order: the expression, or the selected column that is equal to it.
  struct Term: Sendable {
    var expression: SQL
    var selected: Int?
    /// The collation, its direction and where NULL comes.
    var suffix: String
    /// The part of it that is the collation.
    var collation = ""
  }

  var columns: SQL
  var from: SQL
  var condition: SQL?
  var wrapper: Wrapper?
  /// The entity's key and those of its partners, in the scope of `from`.
  var entityKey: [String] = []
  var partnerKeys: [[String]] = []
  /// In the scope of the wrapper, if there is one.
  var terms: [Term] = []
  var name: SQL?
  /// The prefix of the generated names, which no other name in the statement has.
  var prefix = "frc_"

  /// A statement with the position of a key's values among its bindings.
  struct Keyed: Sendable {
    var sql: SQL
    var place: Int
  }

  /// The whole statement.
  func whole(ordered: Bool) -> SQL { keyed(by: nil, ordered: ordered).sql }

  /// The statement for one key of a table.
  func keyed(by key: [String]?, ordered: Bool = false) -> Keyed {
    var sql = SQL(raw: "SELECT ")
    let extra = terms.enumerated().compactMap { index, term -> SQL? in
      term.selected == nil ? term.expression + SQL(raw: "\n AS \"\(prefix)o\(index)\"") : nil
    }
    let outer = extra + (name.map { [$0 + SQL(raw: "\n AS \"\(prefix)name\"")] } ?? [])
    let keys = (entityKey + partnerKeys.flatMap { $0 }).enumerated().map { ", \($1) AS \"\(prefix)k\($0)\"" }.joined()
    func appendOuter() { for column in outer { sql += SQL(raw: ", ") + column } }
    if let wrapper {
      sql += SQL(raw: "\(SQL.quoted(wrapper.alias)).*")
      appendOuter()
      sql += SQL(raw: " FROM (SELECT ") + columns + SQL(raw: keys)
    } else {
      sql += columns + SQL(raw: keys)
      appendOuter()
    }
    sql += SQL(raw: " FROM ") + from
    var conditions: [SQL] = []
    if let condition { conditions.append(SQL(raw: "(") + condition + SQL(raw: "\n)")) }
    sql += Self.whereClause(conditions, key: key)
    let place = sql.bindings.count
    if let wrapper {
      sql += SQL(raw: "\n) AS \(SQL.quoted(wrapper.alias))")
      if let condition = wrapper.condition { sql += SQL(raw: " WHERE ") + condition + SQL(raw: "\n") }
    }
    if ordered, !terms.isEmpty {
      sql += SQL(raw: " ORDER BY ")
      for (index, term) in terms.enumerated() {
        if index > 0 { sql += SQL(raw: ", ") }
        // A new line ends a comment.
        sql += term.selected == nil ? SQL(raw: "\"\(prefix)o\(index)\"") : term.expression + SQL(raw: "\n")
        sql += SQL(raw: term.suffix)
      }
    }
    return Keyed(sql: sql, place: place)
  }

  /// The keys of the entity's rows that depend on a row of a table.
  func affected(from: SQL, condition: SQL?, key: [String]) -> Keyed {
    var sql = SQL(raw: "SELECT DISTINCT \(entityKey.joined(separator: ", ")) FROM ") + from
    sql += Self.whereClause(condition.map { [SQL(raw: "(") + $0 + SQL(raw: "\n)")] } ?? [], key: key)
    return Keyed(sql: sql, place: sql.bindings.count)
  }

  private static func whereClause(_ conditions: [SQL], key: [String]?) -> SQL {
    let all = conditions + (key ?? []).map { SQL(raw: "\($0) = ?") }
    guard let first = all.first else { return SQL(raw: "\n") }
    return all.dropFirst().reduce(SQL(raw: "\nWHERE ") + first) { $0 + SQL(raw: " AND ") + $1 }
  }
}
