/// Why a whole query ran again.
enum Reason: Hashable, Sendable, CustomStringConvertible {
  /// Another request was set.
  case newRequest
  /// An error left the list unusable, or the changed rows could not be read.
  case recovery
  case schema
  case mostRows
  /// Reading the changed rows one by one cost more than the whole query.
  case costlyRows
  /// The state that was read may contain a commit that was not reported, so the changed rows could contradict others.
  case unreported
  /// The rows that depended on changed rows of a table before a commit are not known.
  case lacksOldState(table: String)
  /// What the engine says about the query or about a commit.
  case stated(String)

  /// The reason in words, for `Statistics.reasons`.
  var description: String {
    switch self {
    case .newRequest: "another request"
    case .recovery: "recovering from an error"
    case .schema: "the schema was changed, or VACUUM ran"
    case .mostRows: "most of the rows changed"
    case .costlyRows: "to read the changed rows one by one costs more than the whole query"
    case .unreported: "another program may have committed, and a waiting write prevented the check"
    case .lacksOldState(let table):
      "changes of \(table) whose earlier state is not known: by another program, or with too many dependent rows"
    case .stated(let words): words
    }
  }
}
