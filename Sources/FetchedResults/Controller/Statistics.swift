/// What following a request has cost so far.
public struct Statistics: Hashable, Sendable {
  /// The commits that touched the request's tables.
  public var commits = 0
  /// The evaluations that read only the rows that a commit could have changed.
  public var incremental = 0
  /// The evaluations that ran the whole query again.
  public var requeried = 0
  /// The rows that were read, the first fetch included.
  public var rowsRead = 0
  /// Why queries were run again, and how often. Also, for each time that a query was run as a whole: the conditions that an index
  /// can't serve because a value may be stored in several forms, see `StoredForms`.
  public var reasons: [String: Int] = [:]

  /// All at zero.
  public init() {}
}
