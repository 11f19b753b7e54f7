/// Why a whole query ran again, for reasons other than the request or the commit itself.
enum Reason {
  static let newRequest = "another request"
  static let recovery = "recovering from an error"
  static let schema = "the schema was changed, or VACUUM ran"
  static let most = "most of the rows changed"
  static let reload = "asked to fetch anew"
  static func lacksOldState(_ table: String) -> String {
    "changes of \(table) of which the state before is not known: another program's, or with too many rows that depend on them"
  }
}
