/// The cost of following a request so far.
///
/// ```swift
/// func report(_ statistics: Statistics) -> String {
///   "\(statistics.commits) commits: \(statistics.incremental) row by row, \(statistics.requeried) as a whole"
/// }
/// ```
public struct Statistics: Hashable, Sendable {
  /// The commits that touched the request's tables.
  public var commits = 0
  /// The evaluations that read only the rows that a commit could have changed.
  public var incremental = 0
  /// The evaluations that ran the whole query again.
  public var requeried = 0
  /// The rows that were read, including those of the first fetch.
  public var rowsRead = 0
  /// Why whole queries ran again, and how often. Also counts, for each run of a whole query, the conditions that can't
  /// use an index because a value may be stored in several forms; see `StoredForms`.
  public var reasons: [String: Int] = [:]

  /// Creates statistics with all counts at zero.
  public init() {}
}
