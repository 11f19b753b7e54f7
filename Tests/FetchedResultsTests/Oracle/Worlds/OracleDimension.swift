import DataSourcesTestSupport
import Foundation
import TestSupport

/// What a world of `OracleSchemaTests` can have in addition to plain tables.
///
/// Each world draws some of them. `ORACLE=keys,evictions` gives every world these and no others, and `ORACLE=none` none
/// at all.
enum OracleDimension: String, CaseIterable {
  /// Statements are compiled and cached before anything is followed, especially deletions of whole tables, also inside
  /// triggers; and following ends and starts again.
  case compiled
  /// Every form of primary key.
  case keys
  /// Every constraint by which REPLACE evicts a row.
  case evictions
  /// The schema is changed, by us and by others: tables are dropped and created again; columns, indices and triggers
  /// are added and removed.
  case schema
  /// Others write: plain SQLite with settings of its own, and another `Database`; with and without recorded history.
  case others
  /// The recording of the history is begun and ended, by us and by others.
  case recording
  /// A rollback journal, and caches so small that a transaction spills into the file.
  case journals
  /// The same text in different code points: in SQL, in ids, in values, in names of tables.
  case texts
  /// Hundreds of sections that come and go.
  case sections
  /// Sections with names under a limit and an offset.
  case windows
  /// Ids that are NULL or occur more than once.
  case ids
  /// Objects that no capture sees: FTS5, sqlite_sequence, sqlite_schema and similar ones.
  case unseen
  /// User code sets hooks of its own and removes them.
  case hooks
  /// Statements and user code change settings, and remove objects that the library keeps.
  case settings

  /// The dimensions that are asked for; nil when each world draws its own.
  static let fixed: Set<OracleDimension>? = {
    guard let list = ProcessInfo.processInfo.environment["ORACLE"] else { return nil }
    if list == "none" { return [] }
    let names = list.split(separator: ",").map(String.init)
    for name in names where OracleDimension(rawValue: name) == nil {
      preconditionFailure("ORACLE names no dimension \(name); try \(allCases.map(\.rawValue).joined(separator: ","))")
    }
    return Set(names.compactMap(OracleDimension.init))
  }()

  /// Small sets for worlds in which little else happens, so that the steps that must meet to show a fault do meet.
  static let themes: [Set<OracleDimension>] = [
    [.evictions, .others], [.evictions, .others], [.unseen], [.unseen], [.unseen], [.keys, .others], [.compiled],
    [.compiled, .others], [.journals, .others], [.recording, .others], [.schema, .others], [.texts],
  ]

  /// The dimensions of a world.
  static func draw(_ dice: inout SeededGenerator) -> Set<OracleDimension> {
    var drawn: Set<OracleDimension> = []
    // Few dimensions, so that each happens often enough; rarely all.
    let isCrowded = dice.once(in: 12)
    for dimension in allCases {
      // Hundreds of rows take much longer to compare than the few of other worlds.
      let share = dimension == .sections ? 1 : dimension == .keys ? 5 : 3
      if isCrowded && dimension != .sections ? dice.below(4) > 0 : dice.below(10) < share { drawn.insert(dimension) }
    }
    // Rows deleted by REPLACE are what a history would most likely miss.
    if drawn.contains(.evictions), dice.below(3) > 0 { drawn.insert(.others) }
    return fixed ?? drawn
  }
}
