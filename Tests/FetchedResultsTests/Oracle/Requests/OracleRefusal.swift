import DataSourcesTestSupport
import FetchedResults
import TestSupport

/// A request that uses the clock or random values and must be refused, or one that resembles it and must be answered.
struct OracleRefusal: CustomStringConvertible {
  private let sql: SQL
  private let place: Int
  let isRefused: Bool

  init(_ dice: inout SeededGenerator) {
    place = dice.below(5)
    if dice.once(in: 4) {
      isRefused = true
      sql = SQL(
        raw: dice.pick("random()", "RANDOM ()", "hex(randomblob(2))", "changes()", "CURRENT_DATE", "current_timestamp"))
      return
    }
    let function = dice.pick(
      "date", "DATE", "\"date\"", "[date]", "datetime", "time", "julianday", "unixepoch", "strftime")
    let open = function + dice.pick("(", " (", "/* */(") + (function == "strftime" ? "'%Y', " : "")
    isRefused = dice.below(3) > 0
    let value = isRefused ? dice.pick("now", "NOW", "Now") : dice.pick("2024-01-01", "2024-01-01 10:00")
    switch dice.below(6) {
    case 0: sql = SQL(raw: open + "'\(value)')")
    case 1: sql = SQL(raw: open + "?)", bindings: [.text(value)])
    case 2: sql = SQL(raw: open + "?, '+1 day')", bindings: [.text(value)])
    case 3: sql = SQL(raw: open + "?)", bindings: [.blob(Array(value.utf8))])
    case 4: sql = SQL(raw: open + "ifnull(thing.name, ?))", bindings: [.text(value)])
    // What the row holds is no clock; without an argument it is.
    default:
      if isRefused {
        sql = SQL(raw: function == "strftime" ? "strftime('%Y')" : function + "()")
      } else {
        sql = SQL(raw: open + "thing.name)")
      }
    }
  }

  var description: String { "\(isRefused ? "refused" : "answered"): \(sql.text) \(sql.bindings), in place \(place)" }

  private var request: FetchRequest<Record<ThingTable>> {
    // A term has to read a column.
    let term = SQL(raw: "thing.rank || ") + sql
    return switch place {
    case 0: FetchRequest(where: SQL(raw: "thing.name > ") + sql)
    case 1: FetchRequest(orderBy: [OrderTerm(term)])
    case 2: FetchRequest(select: ["moment": sql])
    case 3: FetchRequest(sectionBy: .by(term))
    default: FetchRequest(sql: SQL(raw: "SELECT id, name FROM thing WHERE name IS NOT ") + sql, orderBy: ["id"])
    }
  }

  func check(_ database: Database) async throws {
    let controller = FetchedResultsController(fetchRequest: request, database: database)
    do {
      try await controller.performFetch()
    } catch let error as DatabaseError where error.code == .misuse {
      // A row that occurs twice is an error too.
      let isOther = error.message.contains("more than once")
      if isRefused == !isOther || isOther { return }
      throw OracleFailure(description: "\(self)\n\(error)")
    }
    if isRefused { throw OracleFailure(description: "not refused: \(self)") }
  }
}
